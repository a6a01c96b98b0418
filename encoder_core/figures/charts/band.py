"""A curve within the band of the values that it summarises."""

import numpy as np
from jaxtyping import Float

from encoder_core.figures.base import build_panel, plain_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import require_integer, require_numbers


def band(
    low: Float[np.ndarray, "x"],
    mean: Float[np.ndarray, "x"],
    high: Float[np.ndarray, "x"],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    start: int = 0,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """`mean` as a curve over `start`, `start` + 1, ..., and behind it the band from `low` to `high`.

    Where the band has no width, all values are equal. Raises ValueError unless all three are as many numbers, and
    where `start` is no whole number from 0.
    """
    low, mean, high = (
        require_numbers(name, values, "x") for name, values in (("low", low), ("mean", mean), ("high", high))
    )
    if not len(low) == len(mean) == len(high):
        raise ValueError(
            f"low, mean and high have {len(low)}, {len(mean)} and {len(high)} numbers: allowed are as many."
        )
    start = require_integer("start", start, 0)
    require_style(style)
    colours = style.colours
    x = np.arange(start, start + len(mean))
    filled = {"fill": "tonexty", "fillcolor": _translucent(colours.signed[6][1])}
    edge = {"type": "scatter", "mode": "lines", "line": {"width": 0}, "hovertemplate": "%{hovertext}"}
    traces = [
        edge | {"x": x, "y": low.astype(np.float32), "name": "smallest", "hovertext": _texts(low)},
        edge | {"x": x, "y": high.astype(np.float32), "name": "largest", "hovertext": _texts(high)} | filled,
        {
            "type": "scatter",
            "mode": "lines",
            "x": x,
            "y": mean.astype(np.float32),
            "name": "mean",
            "line": {"color": colours.signed[1][1], "width": 2},
            "hovertext": _texts(mean),
            "hovertemplate": "%{hovertext}",
        },
    ]
    return build_panel(
        "band",
        traces,
        style,
        title=title,
        alt=f"{title}: mean of {y_axis} over {x_axis}, within the band from the smallest to the largest",
        weight=28,
        xaxis=plain_axis(x_axis, colours),
        yaxis=plain_axis(y_axis, colours),
        hovermode="x unified",
    )


def _texts(values: Float[np.ndarray, "x"]) -> list[str]:
    return [format_number(value) for value in values]


def _translucent(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.35)"
