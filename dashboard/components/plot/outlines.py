"""Outlines on a heatmap: around the inspected cell and around its operands."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from dashboard.selection.inspected_cell import Inspection
from encoder_core.explain import Cell
from encoder_core.figures import Panel, Place


def inspection_outlines(panel: Panel, inspection: Inspection | None) -> list[dict[str, Any]]:
    """Shapes for a panel: a frame around the inspected cell, and in each tile a dotted frame around its operands."""
    if panel.shows is None or inspection is None or panel.kind == "row_bars":
        return []
    derivation = inspection.derivation
    operands = sorted(
        (at for cell in derivation.operand_cells if (at := _place_on_panel(panel, cell))),
        key=lambda at: at.tile or (0, 0),
    )
    dotted = {"width": 1.5, "dash": "dot"}
    shapes = [_frame(panel, list(tile), dotted) for _, tile in groupby(operands, attrgetter("tile"))]
    place = _place_on_panel(panel, derivation.cell)
    return [*shapes, _frame(panel, [place], {"width": 3})] if place else shapes


def shows_inspected_cell(panel: Panel, inspection: Inspection | None) -> bool:
    """Whether the inspected cell is a cell of the panel's heatmap."""
    if inspection is None or panel.kind == "row_bars":
        return False
    return _place_on_panel(panel, inspection.derivation.cell) is not None


def _place_on_panel(panel: Panel, cell: Cell) -> Place | None:
    """The place of a cell on the panel; None if the panel does not show it."""
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
