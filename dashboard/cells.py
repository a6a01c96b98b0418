"""Which number is looked at: the cell that was clicked, and the trail from it back through what made it."""

from typing import NamedTuple

import streamlit as st

from dashboard.focus import BETWEEN, TRAIL, Focus
from dashboard.model import Model
from encoder_core.derive import Cell, Derivation, derive, parse_cell
from encoder_core.derive.cell import tensor_at
from encoder_core.shown import Shown


class Looked(NamedTuple):
    """The cells of the trail, the first of which was clicked, and the derivation of the last."""

    trail: tuple[Cell, ...]
    derivation: Derivation
    at: Focus
    shape: tuple[int, ...]  # of the last cell's tensor
    problem: str = ""  # what is wrong with the cell of a link


def look(model: Model, at: Focus, cell: Cell | None, shown: Shown | None = None) -> Looked:
    """The cell that was chosen on this page; until one is, or when the focus moves on, the page's own `cell`.

    `shown` is the trace that the page shows, where that is another than the model's.
    """
    shown = shown or model.shown
    cell = cell or Cell("output", (at.sentence, at.token, 0))
    problem = _arrive(model, at) if st.session_state.get("arriving", True) else ""
    trail = _trail(model, at) or (cell,)
    derivation = derive(shown.trace, shown.config, shown.parameters, trail[-1], shown.edits)
    return Looked(trail, derivation, at, tensor_at(shown.trace, shown.parameters, trail[-1]).shape, problem)


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
