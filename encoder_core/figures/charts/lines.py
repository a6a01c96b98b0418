"""Curves and vertical bars."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures.axis import AxisMeaning, axis_of
from encoder_core.figures.base import build_panel, label, plain_axis, token_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.figures.theme import Theme, require_colour
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import (
    invalid_value,
    require_choice,
    require_index,
    require_indices,
    require_items,
    require_numbers,
    require_pair,
    require_type,
)

_LINE_WIDTH, _POINT_SIZE, _MAX_POINTS = 2, 5, 24  # pixels; a curve of more points is a line without them
_MARKED_WIDTH, _MARKED_SIZE = 4, 10  # pixels, of what is marked
_ROOM_ABOVE = 1.12  # the end of the axis, relative to the largest bar: its value has room above it


def series_colours(theme: Theme) -> tuple[str, ...]:
    """Colours for curves that are not queries, keys, values or attention; they differ in hue and in lightness."""
    signed = theme.signed
    return (signed[1][1], signed[6][1], theme.muted, theme.text, signed[2][1], signed[7][1])


def curves(
    series: Mapping[str, Float[np.ndarray, "x"]],
    x: Sequence[int | float] | Sequence[str],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    y_range: tuple[float, float] | None = None,
    colours: Sequence[str] | None = None,
    mark: int | None = None,
    marked_series: str | None = None,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """Named curves over one x axis, which has numbers or names.

    mark           the index of a place on the x axis, with a vertical line and larger points
    marked_series  the name of a curve that is drawn thicker

    Raises ValueError for a series that is not one number for each place on the x axis, and for marks that are no place
    and no series.
    """
    require_type("series", series, Mapping, "mappings of names to numbers")
    if isinstance(x, str) or not isinstance(x, Sequence | np.ndarray):
        raise invalid_value("x", x, "lists of numbers or names")
    for name, values in series.items():
        require_type("name of a series", name, str, "strings")
        if len(require_numbers(f"series[{name!r}]", values, "*x")) != len(x):
            raise ValueError(f"series[{name!r}]: {len(values)} numbers do not fit {len(x)} places on the x axis.")
    if y_range is not None:
        require_pair("y_range", y_range)
    if colours is not None:
        colours = require_items("colours", colours, str, "None and lists of colours")
    if mark is not None:
        require_index("mark", mark, len(x))
    if marked_series is not None:
        require_choice("marked_series", marked_series, tuple(series))
    require_style(style)
    theme = style.colours
    palette = colours or series_colours(theme)
    named = bool(len(x)) and isinstance(x[0], str)
    positions = list(range(len(x))) if named else np.array(x, np.float32)
    point_size = _POINT_SIZE if len(x) <= _MAX_POINTS else 0
    points: dict[str, Any] = {"size": point_size}
    if mark is not None:
        sizes = [_MARKED_SIZE if i == mark else point_size for i in range(len(x))]
        points = {"size": sizes, "opacity": 1, "line": {"width": 0}}  # by default, points of several sizes are bubbles
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers" if point_size or mark is not None else "lines",
            "x": positions,
            "y": np.array(values, np.float32),
            "name": label(name) if len(name) > 24 else name,
            "line": {
                "color": palette[index % len(palette)],
                "width": _MARKED_WIDTH if name == marked_series else _LINE_WIDTH,
            },
            "marker": points,
            "hovertext": [format_number(value) for value in values],
            "hovertemplate": "%{hovertext}",
        }
        for index, (name, values) in enumerate(series.items())
    ]
    names = list(map(str, x))
    marked = [*([] if mark is None else [names[mark]]), *([] if marked_series is None else [marked_series])]
    panel = build_panel(
        "curves",
        traces,
        style,
        title=title,
        alt=f"{title}: {', '.join(series)} over {x_axis}{'; marked: ' if marked else ''}{', '.join(marked)}",
        weight=28,
        xaxis=token_axis(names, x_axis, theme) if named else plain_axis(x_axis, theme),
        yaxis=plain_axis(y_axis, theme) | ({"range": list(y_range)} if y_range else {}),
        hovermode="x unified" if len(series) > 1 else "closest",
        showlegend=len(series) > 1,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right", "font": {"size": 11}},
        margin={"t": 68},
        shapes=[] if mark is None else [_vertical_line(float(positions[mark]), theme)],
    )
    return replace(panel, columns=axis_of(names, AxisMeaning("", x_axis)) if named else None)


def _vertical_line(x: float, theme: Theme) -> dict[str, Any]:
    place = {"x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    return {"type": "line", **place, "layer": "below", "line": {"color": theme.muted, "width": 1}}


def bars(
    values: Float[np.ndarray, "bar"],
    names: Sequence[str],
    *,
    title: str,
    y_axis: str = "",
    colour: str = "muted",
    marks: Sequence[int] = (),
    show_values: bool = False,
    texts: Sequence[str] | None = None,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """One vertical bar for each name. `colour` is a field of the theme; the bars in `marks` are outlined.

    show_values  writes each value above its bar
    texts        what is written above the bars instead

    Raises ValueError for values that are no numbers, for another number of names or texts, for marks that are no bars,
    and for an unknown colour.
    """
    values = require_numbers("values", values, "bar")
    names = require_items("names", names, str, "lists of names")
    marks = require_indices("marks", marks, len(values), "lists of indices of bars")
    require_colour("colour", colour)
    require_choice("show_values", show_values, (True, False))
    if len(names) != len(values):
        raise ValueError(f"{len(values)} values do not fit {len(names)} names.")
    if texts is not None and len(texts := require_items("texts", texts, str, "None and lists of texts")) != len(values):
        raise ValueError(f"{len(values)} values do not fit {len(texts)} texts.")
    require_style(style)
    theme = style.colours
    trace: dict[str, Any] = {
        "type": "bar",
        "x": list(range(len(names))),
        "y": np.array(values, np.float32),
        "marker": {
            "color": getattr(theme, colour),
            "line": {"color": theme.text, "width": [2 if i in marks else 0 for i in range(len(names))]},
        },
        "hovertemplate": "%{x}: %{hovertext}<extra></extra>",
        "hovertext": [format_number(value) for value in values],
    }
    if show_values or texts:
        texts = texts or [format_number(value, 3) for value in values]
        trace |= {"text": list(texts), "textposition": "outside", "cliponaxis": False}
    finite = values[np.isfinite(values)]
    above_zero = len(finite) > 0 and finite.min() >= 0 and finite.max() > 0
    y_range = {"range": [0, _ROOM_ABOVE * float(finite.max())]} if above_zero else {}
    panel = build_panel(
        "bars",
        [trace],
        style,
        title=title,
        alt=f"{title}: one bar for each of {len(names)}",
        weight=int(np.clip(len(names), 12, 40)),
        xaxis=token_axis(names, "", theme),
        yaxis=plain_axis(y_axis, theme) | {"zeroline": True, "zerolinecolor": theme.line} | y_range,
        bargap=0.25,
    )
    return replace(panel, columns=axis_of(names, ""))
