"""Which number is looked at: the cell that was clicked, and the trail from it back through what made it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from dashboard.focus import BETWEEN, TRAIL, Focus
from dashboard.model import Model
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


class Looked(NamedTuple):
    """The cells of the trail, the first of which was clicked, and the derivation of the last."""

    trail: tuple[Cell, ...]
    derivation: Derivation
    at: Focus
    shape: tuple[int, ...]  # of the last cell's tensor
    run: Run  # that the page shows
    problem: str = ""  # what is wrong with the cell of a link


def look(model: Model, at: Focus, cell: Cell | None, run: Run | None = None) -> Looked:
    """The cell that was chosen on this page; until one is, or when the focus moves on, the page's own `cell`.

    `run` is the one that the page shows, where that is another than the model's.
    """
    run = run or model.run
    cell = cell or Cell("output", (at.sentence, at.token, 0))
    problem = _arrive(model, at) if st.session_state.get("arriving", True) else ""
    trail = _trail(model, at) or (cell,)
    shape = tensor_at(run.trace, run.parameters, trail[-1]).shape
    return Looked(trail, derive(run, trail[-1]), at, shape, run, problem)


def _arrive(model: Model, at: Focus) -> str:
    """The trail of the page before is left behind; that of the link, if it has one, is taken up."""
    st.session_state.pop(TRAIL, None)
    in_link = st.query_params.get("cell", "")
    return _take_from_link(model, at, in_link) if in_link else ""


def _trail(model: Model, at: Focus) -> tuple[Cell, ...]:
    """What was chosen, as long as the focus stays and the model has such cells; else nothing."""
    chosen = st.session_state.get(TRAIL)
    if not chosen or chosen["focus"] not in (None, at):
        st.session_state.pop(TRAIL, None)
        return ()
    chosen["focus"] = at
    try:
        return tuple(_parsed(model, text) for text in chosen["cells"])
    except ValueError:  # the sizes have changed since
        st.session_state.pop(TRAIL)
        return ()


def choose(cell: Cell) -> None:
    """Look at this cell; call it from a callback."""
    st.session_state[TRAIL] = {"cells": [str(cell)], "focus": None}


def go(looked: Looked, address: str) -> None:
    """From a cell of the trail to one of its operands, or back; call it from a callback."""
    cells = [str(cell) for cell in looked.trail]
    cells = cells[: cells.index(address) + 1] if address in cells else [*cells, address]
    st.session_state[TRAIL] = {"cells": cells, "focus": looked.at}


def _take_from_link(model: Model, at: Focus, text: str) -> str:
    cells = text.split(BETWEEN)[:32]
    try:
        for cell in cells:
            _parsed(model, cell)
    except ValueError as error:
        return f"The link asks for a cell that is not here: {error} The page's own cell is shown."
    st.session_state[TRAIL] = {"cells": cells, "focus": at}
    return ""


def _parsed(model: Model, text: str) -> Cell:
    return parse_cell(text, model.trace, model.encoder.parameters())
