"""Points in a plane with their names and their paths. Both axes have one scale, so that angles are right."""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures.axis import AxisMeaning, axis_of
from encoder_core.figures.base import build_panel, label, plain_axis
from encoder_core.figures.charts.lines import series_colours
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.figures.theme import Theme
from encoder_core.support.validation import (
    invalid_item,
    invalid_value,
    require_index,
    require_items,
    require_numbers,
    require_pair,
    require_two,
)
from encoder_core.support.wording import format_count

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "star", "cross")
_PADDING = 0.09  # of the larger span, around the points

Places = Float[np.ndarray, "point 2"]
Extent = tuple[tuple[float, float], tuple[float, float]]


def extent_of(places: Float[np.ndarray, "*point 2"], padding: float = _PADDING) -> Extent:
    """The range of x and the range of y that show all places, never empty.

    padding  around the places, as a fraction of the larger span

    Raises ValueError for places that are no pairs of finite numbers.
    """
    places = require_numbers("places", places, "*point 2")
    if places.shape[-1] != 2 or not places.size or not np.isfinite(places).all():
        raise invalid_value("places", places, "finite numbers of shape (*point, 2)")
    rows = places.reshape(-1, 2).astype(float)
    low, high = rows.min(axis=0), rows.max(axis=0)
    space = padding * float((high - low).max()) or 1.0
    (left, bottom), (right, top) = low - space, high + space
    return (float(left), float(right)), (float(bottom), float(top))


def points(
    places: Places,
    names: Sequence[str],
    groups: Sequence[str],
    *,
    title: str,
    extent: Extent,
    axis_titles: tuple[str, str],
    meaning: AxisMeaning,
    paths: Sequence[tuple[int, Float[np.ndarray, "stage 2"]]] = (),
    marked: int | None = None,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """One point for each name. The points of a group have one colour and one symbol; a legend names the groups.

    extent   ranges of both axes
    meaning  of the points: what a click on each selects
    paths    of some points: the index of the point, and its places at earlier stages and now
    marked   the point that is outlined; its label is drawn first, others only where they have room

    Raises ValueError for places that are no pairs of numbers, and where the number of names or groups is another one.
    """
    places = require_numbers("places", places, "point 2")
    names, groups = (
        require_items(key, value, str, "lists of names") for key, value in (("names", names), ("groups", groups))
    )
    if places.shape != (len(names), 2) or len(groups) != len(names):
        raise ValueError(f"places of shape {places.shape} do not fit {len(names)} names and {len(groups)} groups.")
    for name, value in (("extent", extent), ("axis_titles", axis_titles)):
        require_two(name, value, "pairs, one for the x axis and one for the y axis")
    for index, ends in enumerate(extent):
        require_pair(f"extent[{index}]", ends)
    require_items("axis_titles", axis_titles, str, "pairs of strings")
    if marked is not None:
        require_index("marked", marked, len(names))
    paths = require_items("paths", paths, tuple, "lists of an index and places")
    for number, path in enumerate(paths):
        if len(path) != 2 or not isinstance(path[0], Integral):
            raise invalid_item("paths", number, path, "lists of an index and places")
        require_index(f"paths[{number}]: index", path[0], len(names))
        if require_numbers(f"paths[{number}]", path[1], "stage 2").shape[1] != 2:
            raise invalid_value(f"paths[{number}]", path[1], "places of shape (stage, 2)")
    require_style(style)
    theme = style.colours
    colours = series_colours(theme)
    order = list(dict.fromkeys(groups))
    looks = {name: (colours[i % len(colours)], _SYMBOLS[i % len(_SYMBOLS)]) for i, name in enumerate(order)}
    traces = [
        _path(path, f"path of {label(names[index])}", looks[groups[index]][0], thick=index == marked)
        for index, path in paths
    ]
    for name in order:
        members = [index for index, group in enumerate(groups) if group == name]
        colour, symbol = looks[name]
        outlines = [2.5 if index == marked else 1 for index in members]
        sizes = [13 if index == marked else 9 for index in members]
        marker = {"opacity": 1, "symbol": symbol, "size": sizes, "color": colour,
                  "line": {"width": outlines, "color": [theme.text if index == marked else theme.background
                                                        for index in members]}}  # fmt: skip
        traces.append(dots(places, members, names, marker, theme) | {"name": label(name)})
    alt = f"{title}: one point for each of {format_count(len(names), 'token')}"
    panel = plane_panel(traces, style, title, extent, axis_titles, alt=alt)
    layout = panel.layout
    if len(order) > 1:
        legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": 11}}
        layout = {**layout, "showlegend": True, "legend": legend}
    return replace(panel, layout=layout, columns=axis_of(names, meaning),
                   marked=() if marked is None else ((None, marked),))  # fmt: skip


def plane_panel(
    traces: Sequence[dict[str, Any]],
    style: PanelStyle,
    title: str,
    extent: Extent,
    axis_titles: tuple[str, str],
    *,
    alt: str,
) -> Panel:
    """A panel with both axes on one scale, which the browser fits to the width that it has."""
    x, y = (
        plain_axis(name, style.colours) | {"range": list(ends), "zeroline": True, "zerolinecolor": style.colours.line}
        for name, ends in zip(axis_titles, extent, strict=True)
    )
    return build_panel("points", traces, style, title=title, alt=alt, height=400, weight=30,
                       xaxis=x, yaxis=y | {"scaleanchor": "x"}, margin={"t": 68})  # fmt: skip


def dots(
    places: Places,
    members: Sequence[int],
    names: Sequence[str],
    marker: dict[str, Any],
    theme: Theme,
    hover: Sequence[str] = (),
) -> dict[str, Any]:
    """Markers with names for some of the points; `customdata` is the index of each."""
    texts = [label(names[index]) for index in members]
    lines = [f"{text}: {hover[index]}" for index, text in zip(members, texts, strict=True)] if hover else texts
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": places[members, 0].astype(np.float32),
        "y": places[members, 1].astype(np.float32),
        "text": texts,
        "textposition": "top center",
        "textfont": {"color": theme.text, "size": 12},
        "cliponaxis": False,
        "customdata": list(members),
        "marker": marker,
        "hovertext": lines,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": True,
    }


def _path(path: Float[np.ndarray, "stage 2"], name: str, colour: str, *, thick: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": name,
        "mode": "lines+markers",
        "x": path[:, 0].astype(np.float32),
        "y": path[:, 1].astype(np.float32),
        "line": {"color": colour, "width": 2.5 if thick else 1},
        "marker": {"size": 4, "color": colour},
        "opacity": 0.9 if thick else 0.55,
        "hoverinfo": "skip",
        "showlegend": False,
    }
