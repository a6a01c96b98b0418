"""The inspected cell: the one that was clicked, and the trail from it to the operands that were opened after it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from dashboard.appearance import sentence
from dashboard.focus import Focus
from dashboard.model import Model
from dashboard.state.parameter import Parameter, declare
from dashboard.state.session import session
from encoder_core import Run
from encoder_core.derive import Cell, Derivation, derive, parse_cell
from encoder_core.derive.cell import PARAMETERS, tensor_at


class Address(NamedTuple):
    """What the matrix of a heatmap is: which tensor, and which part of it are its rows and columns. How much of the
    matrix is drawn, the figure knows (figures/window.py).

    lead        the indices before the last two: the sentence, or the sentence and the head
    transposed  rows of the figure are columns of the tensor
    rows        the rows of the tensor that the figure has, where they are not all of them
    tiles       of a mosaic, what the tile looked at adds: its column the head, its row the sentence or the layer
    """

    tensor: str
    lead: tuple[int, ...] = ()
    layer: int | None = None
    transposed: bool = False
    rows: Sequence[int] | None = None
    tiles: Literal["", "head", "sentence and head", "layer and head"] = ""

    def cell(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor at this row and column of the figure's matrix, or of a tile of it; None beyond its
        end."""
        if self.tiles and tile:
            lead = tile if self.tiles == "sentence and head" else (*self.lead, tile[1])
            layer = tile[0] if self.tiles == "layer and head" else self.layer
            return Address(self.tensor, tuple(lead), layer).cell(row, column)
        if self.rows is not None:
            if row >= len(self.rows):
                return None
            row = int(self.rows[row])
        place = (row, column)
        return Cell(self.tensor, (*self.lead, *(place[::-1] if self.transposed else place)), self.layer)

    def place(self, cell: Cell) -> tuple[int, int] | None:
        """Row and column of the figure's matrix that are the cell; None where it is not of this part."""
        depth = len(self.lead)
        if (cell.tensor, cell.layer, cell.index[:depth]) != (self.tensor, self.layer, self.lead):
            return None
        if len(cell.index) != depth + 2:
            return None
        row, column = cell.index[depth:][::-1] if self.transposed else cell.index[depth:]
        if self.rows is not None:
            found = [place for place, index in enumerate(self.rows) if index == row]
            row = found[0] if found else -1
        return (row, column) if row >= 0 else None


class Stages(NamedTuple):
    """The residual stream: what enters, what leaves each of the `layers` blocks, and the final norm's output.

    token  of which the figure shows one row a stage; None where each stage is a tile with all tokens
    """

    sentence: int
    layers: int
    token: int | None = None

    def cell(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor that the stage is."""
        stage, token = (tile[1], row) if tile else (row, self.token or 0)
        index = (self.sentence, token, column)
        if 0 < stage <= self.layers:
            return Cell("resid_post", index, stage - 1)
        return Cell("output" if stage else "embedded", index)

    def place(self, cell: Cell) -> tuple[int, int] | None:
        """Stage and column that show the cell, on the figure of one token."""
        stages = {"embedded": 0, "resid_post": (cell.layer or 0) + 1, "output": self.layers + 1}
        if cell.tensor not in stages or cell.index[:2] != (self.sentence, self.token):
            return None
        return (stages[cell.tensor], cell.index[2])


class SideBySide(NamedTuple):
    """The rows of all heads beside each other, `d_head` columns each."""

    tensor: str
    sentence: int
    layer: int
    d_head: int

    def cell(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the head that owns the column."""
        return Cell(self.tensor, (self.sentence, column // self.d_head, row, column % self.d_head), self.layer)

    def place(self, cell: Cell) -> tuple[int, int] | None:
        """Row and column of the cell among all heads."""
        if (cell.tensor, cell.layer, *cell.index[:1]) != (self.tensor, self.layer, self.sentence):
            return None
        _, head, row, column = cell.index
        return row, head * self.d_head + column


Shows = Address | Stages | SideBySide


def of_head(tensor: str, at: Focus, *, transposed: bool = False) -> Address:
    """A tensor of the head looked at."""
    return Address(tensor, (at.sentence, at.head), at.layer, transposed)


def of_block(tensor: str, at: Focus) -> Address:
    """A tensor of the block looked at."""
    return Address(tensor, (at.sentence,), at.layer)


def of_text(tensor: str, at: Focus) -> Address:
    """A tensor before or after all blocks."""
    return Address(tensor, (at.sentence,))


def of_parameter(name: str, *, rows: Sequence[int] | None = None) -> Address:
    """A matrix of parameters."""
    return Address(f"{PARAMETERS}{name}", rows=rows)


_BETWEEN, _MOST = "~", 32  # cells of a trail in a link

CELL: Parameter[tuple[str, ...]] = declare(
    Parameter("cell", (), lambda given: tuple(given.split(_BETWEEN)[:_MOST]), _BETWEEN.join, scope="page")
)
_POSITION = "position of the inspected cell"  # None until the next run sees the trail


class Looked(NamedTuple):
    """The cells of the trail, the first of which was clicked, and the derivation of the last."""

    trail: tuple[Cell, ...]
    derivation: Derivation
    at: Focus
    shape: tuple[int, ...]  # of the last cell's tensor
    run: Run  # that the page shows


def look(model: Model, at: Focus, cell: Cell | None, run: Run | None = None) -> Looked:
    """The cell that was chosen on this page; until one is, or when the position moves on, the page's own `cell`.

    `run` is the one that the page shows, where that is another than the model's.
    """
    run = run or model.run
    trail = _trail(model, at) or (cell or Cell("output", (at.sentence, at.token, 0)),)
    shape = tensor_at(run.trace, run.parameters, trail[-1]).shape
    return Looked(trail, derive(run, trail[-1]), at, shape, run)


def _trail(model: Model, at: Focus) -> tuple[Cell, ...]:
    """What was chosen, as long as the position stays and the model has such cells; else nothing."""
    current = session()
    chosen, position = current.get(CELL), current.seen.get(_POSITION)
    if not chosen:
        return ()
    if position in (None, at):
        current.seen[_POSITION] = at
        try:
            return tuple(_parsed(model, text) for text in chosen)
        except ValueError as error:  # the sizes have changed since, or the link is wrong
            reason = f"there is no such cell: {sentence(str(error).rstrip('.'))}. The page's own cell is shown"
            current.refuse(CELL, reason, None)
    drop_cell()
    return ()


def choose(cell: Cell) -> None:
    """Inspect this cell; call it from a callback."""
    session().set(CELL, (str(cell),))
    session().seen[_POSITION] = None


def go(looked: Looked, address: str) -> None:
    """From a cell of the trail to one of its operands, or back: a step for the browser's Back. Call it from a
    callback."""
    cells = tuple(str(cell) for cell in looked.trail)
    cells = cells[: cells.index(address) + 1] if address in cells else (*cells, address)
    session().set(CELL, cells[-_MOST:])
    session().steps += 1
    session().seen[_POSITION] = looked.at


def drop_unseen_cell() -> None:
    """Forget a cell that was clicked on a picture that is out of date: it would be another number by now."""
    if session().seen.get(_POSITION, ()) is None:
        drop_cell()


def drop_cell() -> None:
    """Forget what was chosen: the page's own cell is inspected."""
    session().put(CELL, ())
    session().seen.pop(_POSITION, None)


def _parsed(model: Model, text: str) -> Cell:
    return parse_cell(text, model.trace, model.encoder.parameters())
