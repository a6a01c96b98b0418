"""What is marked on a heatmap: the cell looked at, and the cells that it was computed from."""

from typing import Any

import plotly.graph_objects as go

from dashboard.cells import Looked, Shows


def outlines(figure: go.Figure, address: Shows | None, looked: Looked | None) -> list[dict[str, Any]]:
    """Shapes for a figure that shows this part of a tensor: a frame around the cell, a dotted one around operands."""
    if address is None or looked is None:
        return []
    meta, colour = figure.layout.meta, figure.layout.title.font.color
    shape = (len(meta["rows"]), len(meta["columns"]))
    found = looked.derivation
    operands = [
        place
        for step in found.steps
        for term in step.terms
        for operand in term.operands
        if operand.cell is not None and (place := address.place(operand.cell)) and _inside(place, shape)
    ]
    shapes = [_frame(operands, colour, {"width": 1.5, "dash": "dot"})] if operands else []
    here = address.place(found.cell)
    if here and _inside(here, shape):
        shapes.append(_frame([here], colour, {"width": 3}))
    return shapes


def _inside(place: tuple[int, int], shape: tuple[int, int]) -> bool:
    return place[0] < shape[0] and place[1] < shape[1]


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
