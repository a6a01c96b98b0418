"""Panels as the plot component gets them, for tests of its scripts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dashboard.components.plot.serialise import to_json
from encoder_core.figures import heatmap


def axis(kind: str, names: Sequence[str], start: int = 0, size: int = 1, labels: Sequence[str] = ()) -> dict[str, Any]:
    """An axis whose title is its kind."""
    return {"kind": kind, "title": kind, "names": list(names), "start": start, "size": size, "labels": list(labels)}


def matrix_panel(
    values: Sequence[Sequence[float]], rows: dict[str, Any], columns: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    """A parsed panel with one heatmap."""
    return {
        "kind": "heatmap",
        "title": "M",
        "alt": "",
        "rows": rows,
        "columns": columns,
        "tiles": None,
        "product": None,
        "setByHand": [],
        "marked": [],
        "data": [{"type": "heatmap", "z": values, "xgap": 1, "ygap": 1}],
        "layout": {"height": 230, "margin": {"l": 60, "r": 10, "t": 50, "b": 30}, "xaxis": {}, "yaxis": {}},
        "values": values,
        **fields,
    }


def one_number_figures(*numbers: float, panels: int = 1) -> list[dict[str, Any]]:
    """A figure for each number, as the server sends it: heatmaps full of it."""
    matrices = [to_json(heatmap(np.full((4, 4), number, np.float32), list("abcd"), title="M")) for number in numbers]
    return [
        {"panels": [{"operator": "", "panel": matrix}] * panels, "stack": False, "present": False}
        for matrix in matrices
    ]
