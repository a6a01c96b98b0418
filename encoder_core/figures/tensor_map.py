"""Which cell of a tensor each cell of a panel is: what a click inspects, and where an inspected cell is outlined."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from encoder_core.explain.cell import PARAMETERS, Cell

PanelAxis = Literal["row", "column", "tile row", "tile column"]


class Place(NamedTuple):
    """A place on a panel's matrix: its row and column; of a mosaic, those of its tile as well."""

    row: int
    column: int
    tile: tuple[int, int] | None = None

    def along(self, axis: PanelAxis) -> int:
        """The place along one axis; 0 along that of tiles where there are none."""
        tile = self.tile or (0, 0)
        return {"row": self.row, "column": self.column, "tile row": tile[0], "tile column": tile[1]}[axis]


@dataclass(frozen=True)
class TensorSlice:
    """A slice of one tensor: each of its indices, and its layer, is fixed or runs along an axis of the panel.

    index   ("scores", (0, 1, "row", "column"), layer=2) is head 1 of sentence 0 in layer 2; with ("column", "row") at
            the end it is drawn transposed; a "tile column" among them makes each column of tiles a head
    rows    the tensor's rows that the panel has, where they are not all of them, in order
    factor  the panel draws the tensor's numbers times this
    step    the panel draws the value of this step of a cell's derivation; None draws the cell itself
    """

    tensor: str
    index: tuple[int | PanelAxis, ...]
    layer: int | PanelAxis | None = None
    rows: Sequence[int] | None = None
    factor: float = 1.0
    step: int | None = None

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor at this place; None where the tensor has no such row."""
        if self.rows is not None:
            if row >= len(self.rows):
                return None
            row = int(self.rows[row])
        place = Place(row, column, tile)
        index = tuple(place.along(along) if isinstance(along, str) else along for along in self.index)
        layer = place.along(self.layer) if isinstance(self.layer, str) else self.layer
        return Cell(self.tensor, index, layer)

    def place(self, cell: Cell) -> Place | None:
        """Where the cell is on the panel's matrix; None where it is not in this slice."""
        if cell.tensor != self.tensor or len(cell.index) != len(self.index):
            return None
        if (cell.layer is None) != (self.layer is None):
            return None
        found: dict[str, int] = {}
        for mine, other in ((self.layer, cell.layer), *zip(self.index, cell.index, strict=True)):
            if isinstance(mine, str) and other is not None:
                found[mine] = other
            elif mine != other:
                return None
        if self.rows is not None:
            if found["row"] not in self.rows:
                return None
            found["row"] = list(self.rows).index(found["row"])
        return _place_of(found)


@dataclass(frozen=True)
class ResidualStages:
    """The residual stream: what enters, what leaves each of the `layers` blocks, and the final norm's output.

    token  the token whose row is drawn at each stage, a stage a row; None where each column of tiles is a stage, with
           all tokens as its rows
    """

    sentence: int
    layers: int
    token: int | None = None

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor that the stage is."""
        stage, token = (tile[1] if tile else 0, row) if self.token is None else (row, self.token)
        index = (self.sentence, token, column)
        if 0 < stage <= self.layers:
            return Cell("resid_post", index, stage - 1)
        return Cell("output" if stage else "embedded", index)

    def place(self, cell: Cell) -> Place | None:
        """Where the cell is on the panel's matrix."""
        stages = {"embedded": 0, "resid_post": (cell.layer or 0) + 1, "output": self.layers + 1}
        if cell.tensor not in stages or cell.index[0] != self.sentence:
            return None
        (_, token, dimension), stage = cell.index, stages[cell.tensor]
        if self.token is None:
            return Place(token, dimension, (0, stage))
        return Place(stage, dimension) if token == self.token else None


@dataclass(frozen=True)
class HeadsSideBySide:
    """The rows of all heads beside each other, `d_head` columns each."""

    tensor: str
    sentence: int
    layer: int
    d_head: int

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the head that owns the column."""
        head, dimension = divmod(column, self.d_head)
        return Cell(self.tensor, (self.sentence, head, row, dimension), self.layer)

    def place(self, cell: Cell) -> Place | None:
        """Row and column of the cell among all heads."""
        if (cell.tensor, cell.layer, *cell.index[:1]) != (self.tensor, self.layer, self.sentence):
            return None
        _, head, row, dimension = cell.index
        return Place(row, head * self.d_head + dimension)


TensorMap = TensorSlice | ResidualStages | HeadsSideBySide


def parameter_slice(name: str, rows: Sequence[int] | None = None) -> TensorSlice:
    """A matrix of parameters, or these rows of it."""
    return TensorSlice(f"{PARAMETERS}{name}", ("row", "column"), rows=rows)


def _place_of(found: dict[str, int]) -> Place:
    has_tiles = "tile row" in found or "tile column" in found
    tile = (found.get("tile row", 0), found.get("tile column", 0)) if has_tiles else None
    return Place(found.get("row", 0), found.get("column", 0), tile)
