"""The inspected cell, and the trail of cells from the clicked one to it: each is an operand of the one before."""

from typing import NamedTuple

from dashboard.markdown import escape_message
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, counted_labels
from dashboard.state.parameter import Parameter, declare
from dashboard.state.session import session
from encoder_core import Run
from encoder_core.explain import Cell, Derivation, derive, parse_cell, tensor_shapes
from encoder_core.figures.axis import AxisKind

_SEPARATOR, _MAX_CELLS = "~", 32  # of a trail in a link

CELL: Parameter[tuple[str, ...]] = declare(
    Parameter("cell", (), lambda text: tuple(text.split(_SEPARATOR)[:_MAX_CELLS]), _SEPARATOR.join, scope="page")
)
_FOCUS = "focus of the inspected cell"  # None from a click until the next run
# Axes of the trace's tensors -> axes of a panel: their words on screen, where d_model is the number of dimensions.
AXIS_KINDS: dict[str, AxisKind] = {
    "batch": "sentence", "head": "head", "seq": "token", "query": "query", "key": "key", "d_model": "dimension",
    "d_head": "dimension", "qkv_dim": "dimension", "d_ff": "neuron", "vocab": "id", "row": "row", "column": "column",
    "position": "position", "other_position": "other position", "input": "input token", "other": "other token",
}  # fmt: skip


FROM_ONE: set[AxisKind] = {  # counted from 1 on screen; dimensions from 0
    "sentence", "head", "query", "key", "token", "input token", "other token", "position", "other position",
}  # fmt: skip


class Inspection(NamedTuple):
    """The trail, which begins with the clicked cell, and the derivation of its last cell."""

    trail: tuple[Cell, ...]
    derivation: Derivation
    at: Focus
    shape: tuple[int, ...]  # of the tensor of the last cell
    run: Run  # the run that the page shows


def inspect_cell(
    model: Model, at: Focus, cell: Cell | None, run: Run | None = None, method: str | None = None
) -> Inspection:
    """The inspection of the trail; of the page's default `cell` before a click and after a move of the focus.

    run     the run that the page shows, if it is not the model's
    method  the method of the derivation of `cell`, if it is not the first; other cells have their first
    """
    run = run or model.run
    trail = _trail(model, at) or (cell or Cell("output", (at.sentence, at.token, 0)),)
    last = trail[-1]
    shape = run.parameters[last.parameter].shape if last.parameter else tensor_shapes(run.trace)[last.tensor].shape
    return Inspection(trail, derive(run, trail[-1], method if trail[-1] == cell else None), at, shape, run)


def _trail(model: Model, at: Focus) -> tuple[Cell, ...]:
    """The chosen trail; empty if the focus has moved or the model does not have these cells."""
    current = session()
    texts, before, now = current.get(CELL), current.last_used.get(_FOCUS), _focus_state(at)
    if not texts:
        return ()
    if before in (None, now):
        current.last_used[_FOCUS] = now
        try:
            return tuple(_parse(model, text) for text in texts)
        except ValueError as error:  # the sizes have changed, or the link is wrong
            reason = f"there is no such cell: {escape_message(str(error).rstrip('.'))}. The page's default cell is used"
            current.report_invalid(CELL, reason, None)
    drop_cell()
    return ()


def _focus_state(at: Focus) -> tuple[object, ...]:
    """The indices of the focus, and the tokens that it counts: those of the text, so that an edit keeps the cell."""
    return *at._replace(labels=()), counted_labels()


def set_inspected_cell(cell: Cell) -> None:
    """Inspect this cell, with a new trail; call it from a callback."""
    session().set(CELL, (str(cell),))
    session().last_used[_FOCUS] = None


def open_operand(inspection: Inspection, address: str) -> None:
    """Inspect an operand of the current cell, or an earlier cell of the trail; call it from a callback.

    It is a separate entry for the browser's Back button.
    """
    cells = tuple(str(cell) for cell in inspection.trail)
    cells = cells[: cells.index(address) + 1] if address in cells else (*cells, address)
    session().set(CELL, cells[-_MAX_CELLS:])
    session().history_steps += 1
    session().last_used[_FOCUS] = _focus_state(inspection.at)


def drop_outdated_cell() -> None:
    """Drop a cell that was clicked on a plot of another model or text. No run has inspected it yet."""
    if session().last_used.get(_FOCUS, ()) is None:
        drop_cell()


def drop_cell() -> None:
    """Drop the trail, so that the page's default cell is inspected."""
    session().set_derived(CELL, ())
    session().last_used.pop(_FOCUS, None)


def _parse(model: Model, text: str) -> Cell:
    return parse_cell(text, model.trace, model.run.parameters)
