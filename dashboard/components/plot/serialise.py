"""Serialise a panel for the browser: JSON with arrays in base64."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Shaped
from plotly.utils import PlotlyJSONEncoder

from encoder_core.figures import Axis, Panel

# Plotly's names for the types of base64 arrays.
_DTYPES = {"float32": "f4", "float64": "f8", "int8": "i1", "int16": "i2", "int32": "i4", "uint8": "u1", "uint16": "u2"}


def to_json(panel: Panel, outlines: Sequence[Mapping[str, Any]] = (), *, is_inspected: bool = False) -> str:
    """The figure of a panel, with these additional shapes, and its description.

    is_inspected  whether one of its cells is the inspected cell
    """
    tiles = panel.tiles
    description: dict[str, Any] = {
        "kind": panel.kind,
        "title": panel.title,
        "titleColour": panel.title_colour,
        "alt": panel.alt,
        "weight": panel.weight,
        "rows": _axis(panel.rows),
        "columns": _axis(panel.columns),
        "tiles": tiles and {
            "rows": _axis(tiles.rows), "columns": _axis(tiles.columns),
            "tall": tiles.tall, "wide": tiles.wide, "gap": tiles.gap,
        },
        "product": panel.product and panel.product._asdict(),
        "isInspected": is_inspected,
        "opensNext": panel.opens_next,
        "setByHand": sorted(panel.set_by_hand),
        "marked": panel.marked,
    }  # fmt: skip
    if panel.kind == "row_bars" and panel.values is not None:
        missing = np.flatnonzero(~np.isfinite(panel.values))
        if missing.size:
            description["missing"] = missing.tolist()
    layout = {**panel.layout, "shapes": [*panel.layout.get("shapes", ()), *outlines]}
    figure = {"data": [_packed(trace) for trace in panel.data], "layout": layout}
    return json.dumps(description | figure, cls=PlotlyJSONEncoder, separators=(",", ":"))


def _axis(axis: Axis | None) -> dict[str, Any] | None:
    if axis is None:
        return None
    return {"kind": axis.kind, "title": axis.title, "names": axis.names, "start": axis.start, "size": axis.size,
            "labels": axis.labels}  # fmt: skip


def _packed(value: Any) -> Any:
    """The value with its arrays in base64, which Plotly reads: a third of the length of decimal numbers."""
    if isinstance(value, Mapping):
        return {name: _packed(part) for name, part in value.items()}
    return _base64(value) if isinstance(value, np.ndarray) and value.size else value


def _base64(array: Shaped[np.ndarray, "..."]) -> dict[str, str]:
    if array.dtype == np.int64:  # indices of rows and columns; Plotly cannot read 64-bit integers
        array = array.astype(np.int32)
    packed = {"dtype": _DTYPES[str(array.dtype)], "bdata": base64.b64encode(array.tobytes()).decode()}
    return packed if array.ndim == 1 else packed | {"shape": ", ".join(map(str, array.shape))}
