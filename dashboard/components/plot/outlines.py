"""What is marked on a heatmap: the inspected cell, and the cells that it was computed from."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from dashboard.selection.inspected_cell import Inspection
from encoder_core.explain import Cell
from encoder_core.figures import Panel, Place


def outlines(panel: Panel, inspection: Inspection | None) -> list[dict[str, Any]]:
    """Shapes for a panel: a frame around the inspected cell, in each tile a dotted one around its operands."""
    if panel.shows is None or inspection is None or panel.kind == "row_bars":
        return []
    found = inspection.derivation
    cells = {operand.cell for step in found.steps for term in step.terms for operand in term.operands if operand.cell}
    operands = sorted((at for cell in cells if (at := _drawn_at(panel, cell))), key=lambda at: at.tile or (0, 0))
    dotted = {"width": 1.5, "dash": "dot"}
    shapes = [_frame(panel, list(tile), dotted) for _, tile in groupby(operands, attrgetter("tile"))]
    here = _drawn_at(panel, found.cell)
    return [*shapes, _frame(panel, [here], {"width": 3})] if here else shapes


def _drawn_at(panel: Panel, cell: Cell) -> Place | None:
    """Where on the panel the cell is drawn, if it is."""
    place = panel.shows.place(cell) if panel.shows else None
    return place and panel.drawn_at(place)


def _frame(panel: Panel, places: Sequence[Place], line: dict[str, Any]) -> dict[str, Any]:
    on_sheet = (panel.tiles.on_sheet(place) if panel.tiles else place[:2] for place in places)
    rows, columns = zip(*on_sheet, strict=True)
    return {
        "type": "rect",
        "x0": min(columns) - 0.5,
        "x1": max(columns) + 0.5,
        "y0": min(rows) - 0.5,
        "y1": max(rows) + 0.5,
        "line": {"color": panel.theme.text, **line},
    }
