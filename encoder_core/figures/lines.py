"""Curves and bars."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.explain.number_format import format_number
from encoder_core.figures.axis import axis_of
from encoder_core.figures.base import build_panel, label, plain_axis, token_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.theme import Theme, ThemeName, theme_named


def series_colours(theme: Theme) -> tuple[str, ...]:
    """Colours for curves that are not queries, keys, values or attention: set apart by hue and by lightness."""
    signed = theme.signed
    return (signed[1][1], signed[6][1], theme.muted, theme.text, signed[2][1], signed[7][1])


def curves(
    series: Mapping[str, Float[np.ndarray, "x"]],
    x: Sequence[int | float] | Sequence[str],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    points: Mapping[str, tuple[float, float]] | None = None,
    colours: Sequence[str] | None = None,
    y_range: tuple[float, float] | None = None,
    alt: str | None = None,
    height: int = 300,
    theme: ThemeName = "light",
) -> Panel:
    """Named curves over one x axis; `points` puts a dot with a name on the plane. Words on x become token labels."""
    palette = theme_named(theme)
    hues = colours or series_colours(palette)
    named = bool(len(x)) and isinstance(x[0], str)
    positions = list(range(len(x))) if named else np.asarray(x, np.float32)
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(x) <= 24 else "lines",
            "x": positions,
            "y": np.asarray(values, np.float32),
            "name": label(name) if len(name) > 24 else name,
            "line": {"color": hues[index % len(hues)], "width": 2},
            "marker": {"size": 5},
            "hovertext": [format_number(value) for value in values],
            "hovertemplate": "%{hovertext}",
        }
        for index, (name, values) in enumerate(series.items())
    ]
    for name, (at_x, at_y) in (points or {}).items():
        traces.append(_point(name, at_x, at_y, palette))
    x_kind = token_axis(list(map(str, x)), x_axis, palette) if named else plain_axis(x_axis, palette)
    if named:
        x_kind |= {"tickangle": -90 if max(map(len, map(str, x))) > 3 else 0}
    return build_panel(
        "curves",
        traces,
        palette,
        title=title,
        alt=alt or f"{title}: {', '.join(series)} over {x_axis}",
        height=height,
        weight=28,
        xaxis=x_kind,
        yaxis=plain_axis(y_axis, palette) | ({"range": list(y_range)} if y_range else {}),
        hovermode="x unified" if len(series) > 1 else "closest",
        showlegend=len(series) > 1,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 1, "xanchor": "right", "font": {"size": 11}},
        margin={"t": 68},
    )


def bars(
    values: Float[np.ndarray, "bar"],
    names: Sequence[str],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    colour: str | Sequence[str] | None = None,
    limit: float | None = None,
    marks: Sequence[int] = (),
    show_values: bool = False,
    alt: str | None = None,
    height: int = 300,
    theme: ThemeName = "light",
) -> Panel:
    """One bar a name. `colour` is a field of the theme ("query", "attention", ...) or colours; `marks` are outlined."""
    palette = theme_named(theme)
    fill = getattr(palette, colour) if isinstance(colour, str) else colour
    trace: dict[str, Any] = {
        "type": "bar",
        "x": list(range(len(names))),
        "y": np.asarray(values, np.float32),
        "marker": {
            "color": fill or palette.muted,
            "line": {"color": palette.text, "width": [2 if i in marks else 0 for i in range(len(names))]},
        },
        "hovertemplate": "%{x}: %{hovertext}<extra></extra>",
        "hovertext": [format_number(value) for value in values],
    }
    if show_values:
        trace |= {"text": [format_number(value, 3) for value in values], "textposition": "outside", "cliponaxis": False}
    y_kind = plain_axis(y_axis, palette)
    if limit is not None:
        y_kind |= {"range": [-limit if np.min(values, initial=0) < 0 else 0, limit]}
    panel = build_panel(
        "bars",
        [trace],
        palette,
        title=title,
        alt=alt or f"{title}: one bar for each of {len(names)}",
        height=height,
        weight=int(np.clip(len(names), 12, 40)),
        xaxis=token_axis(names, x_axis, palette) | {"tickangle": -90 if max(map(len, names), default=0) > 3 else 0},
        yaxis=y_kind | {"zeroline": True, "zerolinecolor": palette.line},
        bargap=0.25,
    )
    return replace(panel, columns=axis_of(names, ""))


def _point(name: str, x: float, y: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x],
        "y": [y],
        "text": [label(name)],
        "textposition": "top center",
        "textfont": {"color": theme.text, "size": 12},
        "marker": {"size": 11, "color": theme.background, "line": {"width": 3, "color": theme.text}},
        "hovertemplate": f"{format_number(x)}, {format_number(y)}<extra></extra>",
        "showlegend": False,
    }
