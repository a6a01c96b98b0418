"""An activation function, and where neurons stand on its curve."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.explain.number_format import format_number
from encoder_core.figures.base import build_panel, plain_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.theme import Theme, ThemeName, theme_named


def activation_curve(
    x: Float[np.ndarray, "x"],
    functions: Mapping[str, Float[np.ndarray, "x"]],
    chosen: str,
    neurons: tuple[Float[np.ndarray, "neuron"], Float[np.ndarray, "neuron"]],
    selected: int,
    *,
    title: str,
    alt: str | None = None,
    height: int = 240,
    theme: ThemeName = "light",
) -> Panel:
    """The chosen function strong, the others faint; one small dot a neuron (before, after), the selected one large."""
    palette = theme_named(theme)
    faint = [_curve(name, x, y, palette.muted, 1) for name, y in functions.items() if name != chosen]
    before, after = neurons
    cloud = {
        "type": "scatter",
        "mode": "markers",
        "x": np.asarray(before, np.float32),
        "y": np.asarray(after, np.float32),
        "marker": {"size": 7, "color": palette.attention, "opacity": 0.3},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    point = _point(float(before[selected]), float(after[selected]), palette)
    return build_panel(
        "curves",
        [*faint, _curve(chosen, x, functions[chosen], palette.attention, 2.5), cloud, *point],
        palette,
        title=title,
        alt=alt or f"{title}: the curve of {chosen}, and on it one dot for each of {len(before)} neurons",
        height=height,
        weight=30,
        xaxis=plain_axis("before", palette)
        | {"zeroline": True, "zerolinecolor": palette.muted, "range": [float(x[0]), float(x[-1])]},
        yaxis=plain_axis("after", palette) | {"zeroline": True, "zerolinecolor": palette.muted},
        showlegend=True,
        legend={
            "x": 0.02,
            "y": 0.98,
            "xanchor": "left",
            "yanchor": "top",
            "font": {"size": 11},
            "bgcolor": "rgba(0,0,0,0)",
        },
    )


def _curve(
    name: str, x: Float[np.ndarray, "x"], y: Float[np.ndarray, "x"], colour: str, width: int | float
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.asarray(x, np.float32),
        "y": np.asarray(y, np.float32),
        "name": name,
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def _point(x: float, y: float, theme: Theme) -> list[dict[str, Any]]:
    """The dot, and the way to it: up from the value before, across to the value after."""
    way = {
        "type": "scatter",
        "mode": "lines",
        "x": [x, x, 0],
        "y": [0, y, y],
        "line": {"color": theme.text, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    dot = {
        "type": "scatter",
        "mode": "markers",
        "x": [x],
        "y": [y],
        "marker": {"size": 12, "color": theme.background, "line": {"width": 3, "color": theme.text}},
        "hovertemplate": f"{format_number(x)} → {format_number(y)}<extra></extra>",
        "showlegend": False,
    }
    return [way, dot]
