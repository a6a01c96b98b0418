"""The inspected cell: the one that was clicked, and the trail from it to the operands that were opened after it."""

from typing import NamedTuple

from dashboard.markdown import sentence
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.parameter import Parameter, declare
from dashboard.state.session import session
from encoder_core import Run
from encoder_core.explain import Cell, Derivation, derive, parse_cell
from encoder_core.explain.cell import tensor_at

_BETWEEN, _MOST = "~", 32  # cells of a trail in a link

CELL: Parameter[tuple[str, ...]] = declare(
    Parameter("cell", (), lambda given: tuple(given.split(_BETWEEN)[:_MOST]), _BETWEEN.join, scope="page")
)
_POSITION = "position of the inspected cell"  # None until the next run sees the trail


class Inspection(NamedTuple):
    """The cells of the trail, the first of which was clicked, and the derivation of the last."""

    trail: tuple[Cell, ...]
    derivation: Derivation
    at: Focus
    shape: tuple[int, ...]  # of the last cell's tensor
    run: Run  # that the page shows


def inspect_cell(model: Model, at: Focus, cell: Cell | None, run: Run | None = None) -> Inspection:
    """The cell that was chosen on this page; until one is, or when the position moves on, the page's own `cell`.

    `run` is the one that the page shows, where that is another than the model's.
    """
    run = run or model.run
    trail = _trail(model, at) or (cell or Cell("output", (at.sentence, at.token, 0)),)
    shape = tensor_at(run.trace, run.parameters, trail[-1]).shape
    return Inspection(trail, derive(run, trail[-1]), at, shape, run)


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


def go(inspection: Inspection, address: str) -> None:
    """From a cell of the trail to one of its operands, or back: a step for the browser's Back. Call it from a
    callback."""
    cells = tuple(str(cell) for cell in inspection.trail)
    cells = cells[: cells.index(address) + 1] if address in cells else (*cells, address)
    session().set(CELL, cells[-_MOST:])
    session().steps += 1
    session().seen[_POSITION] = inspection.at


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
