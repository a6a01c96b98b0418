"""An activation function, with neurons as dots on its curve."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures.base import build_panel, plain_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.figures.theme import Theme
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import require_choice, require_index, require_numbers, require_two, require_type


def activation_curve(
    x: Float[np.ndarray, "x"],
    functions: Mapping[str, Float[np.ndarray, "x"]],
    chosen: str,
    neurons: tuple[Float[np.ndarray, "neuron"], Float[np.ndarray, "neuron"]],
    selected: int,
    *,
    title: str,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """The chosen function as a thick curve, the others as thin ones, and a small dot for each neuron; the selected
    neuron is a large dot.

    neurons  the values of each neuron before and after the activation

    Raises ValueError for a function or a neuron that does not exist, and for what is no numbers.
    """
    x = require_numbers("x", x, "x")
    require_type("functions", functions, Mapping, "mappings of names to numbers")
    require_choice("chosen", chosen, functions)
    require_two("neurons", neurons, "pairs of the numbers before and after the activation")
    neurons = require_numbers("neurons[0]", neurons[0], "neuron"), require_numbers("neurons[1]", neurons[1], "neuron")
    require_index("selected", selected, min(map(len, neurons)))
    require_style(style)
    theme = style.colours
    others = [_curve(name, x, y, theme.muted, 1) for name, y in functions.items() if name != chosen]
    before, after = neurons
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": np.array(before, np.float32),
        "y": np.array(after, np.float32),
        "marker": {"size": 7, "color": theme.text, "opacity": 0.3},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return build_panel(
        "curves",
        [
            *others,
            _curve(chosen, x, functions[chosen], theme.text, 2.5),
            dots,
            *_selected_neuron(float(before[selected]), float(after[selected]), theme),
        ],
        style,
        title=title,
        alt=f"{title}: the curve of {chosen} with one dot for each of {len(before)} neurons",
        height=240,
        weight=30,
        xaxis=plain_axis("before", theme)
        | {"zeroline": True, "zerolinecolor": theme.muted, "range": [float(x[0]), float(x[-1])]},
        yaxis=plain_axis("after", theme) | {"zeroline": True, "zerolinecolor": theme.muted},
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
        "x": np.array(x, np.float32),
        "y": np.array(y, np.float32),
        "name": name,
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def _selected_neuron(x: float, y: float, theme: Theme) -> list[dict[str, Any]]:
    """The dot, and dotted lines to it from the value before (x axis) and to the value after (y axis)."""
    lines = {
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
    return [lines, dot]
