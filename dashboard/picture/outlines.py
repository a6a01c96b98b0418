"""What is marked on a heatmap: the cell looked at, and the cells that it was computed from."""

from typing import Any

import plotly.graph_objects as go

from dashboard.cells import Looked, Shows
from encoder_core.derive import Cell
from encoder_core.figures.window import place_on


def outlines(figure: go.Figure, address: Shows | None, looked: Looked | None) -> list[dict[str, Any]]:
    """Shapes for a figure that shows this part of a tensor: a frame around the cell, a dotted one around operands."""
    if address is None or looked is None:
        return []
    colour, found = figure.layout.title.font.color, looked.derivation

    def place(cell: Cell) -> tuple[int, int] | None:
        """Where on the figure the cell is drawn, if it is."""
        in_matrix = address.place(cell)
        return in_matrix and place_on(figure, *in_matrix)

    operands = [
        drawn
        for step in found.steps
        for term in step.terms
        for operand in term.operands
        if operand.cell is not None and (drawn := place(operand.cell))
    ]
    shapes = [_frame(operands, colour, {"width": 1.5, "dash": "dot"})] if operands else []
    here = place(found.cell)
    if here:
        shapes.append(_frame([here], colour, {"width": 3}))
    return shapes


def _frame(places: list[tuple[int, int]], colour: str, line: dict[str, Any]) -> dict[str, Any]:
    rows, columns = zip(*places, strict=True)
    return {
        "type": "rect",
        "x0": min(columns) - 0.5,
        "x1": max(columns) + 0.5,
        "y0": min(rows) - 0.5,
        "y1": max(rows) + 0.5,
        "line": {"color": colour, **line},
    }
