"""One column of numbers as horizontal bars: one bar a row, at the height of that row in the heatmap beside it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.explain.number_format import format_fixed, format_number
from encoder_core.figures.axis import AxisKind, AxisMeaning, axis_of
from encoder_core.figures.base import PLOT_HEIGHT, TICK_SIZE, build_panel, label, plain_axis, token_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.tensor_map import TensorMap
from encoder_core.figures.theme import Theme, ThemeName, theme_named

_MOST_NUMBERED = 26  # rows; with more of them, the numbers would touch
_NUMBERS_SHARE = 0.75  # room for the numbers of a narrow figure, as a fraction of the bars' range


def span_of(*columns: Float[np.ndarray, "row"]) -> tuple[float, float]:
    """One scale for columns of signed numbers: from the smallest finite one to the largest, with zero inside."""
    finite = np.concatenate([column[np.isfinite(column)] for column in columns] + [np.zeros(1)])
    low, high = float(finite.min()), float(finite.max())
    return low, high if high > low else low + 1.0


def row_bars(
    values: Float[np.ndarray, "row"],
    rows: Sequence[str],
    *,
    title: str,
    row_axis: AxisKind | AxisMeaning = "key",
    span: tuple[float, float] = (0.0, 1.0),
    starts: Float[np.ndarray, "row"] | None = None,
    hidden: Bool[np.ndarray, "row"] | None = None,
    aside: Collection[int] = (),
    ends: Float[np.ndarray, "row"] | None = None,
    marks: Sequence[int] = (),
    colour: str | None = None,
    title_colour: str | None = None,
    decimals: int | None = 2,
    foot: str = "",
    weight: int = 10,
    room: float = _NUMBERS_SHARE,
    shows: TensorMap | None = None,
    alt: str | None = None,
    height: int = PLOT_HEIGHT,
    theme: ThemeName = "light",
) -> Panel:
    """Bars with their numbers, to be read like a column of a table.

    span    the values at the left and right end of the bars; it must hold zero. Steps that follow one another share it.
    starts  where each bar begins, if not at zero: bars that begin where the one above ended show a running sum.
    hidden  rows that are masked: hatched. Their number is still written: -inf as a score, 0 as a weight.
    aside   rows that are measured but do not count: their bar is hatched.
    ends    a value to compare each bar with, such as how long it could be at most; drawn as a short line.
    marks   rows to outline.
    colour  a field of the theme ("attention", ...); None takes the signed scale's two sides.
    decimals  how many the numbers have, so that their points are aligned; None: 3 significant digits each.
    foot    what the whole column amounts to ("sum 1.00"), written below it.
    weight  how wide the figure is beside others.
    room    how wide the column of numbers is, as a fraction of the span.
    shows   the slice of a tensor that the column is.
    """
    palette = theme_named(theme)
    hidden = np.zeros(len(rows), bool) if hidden is None else hidden
    numbered = len(rows) <= _MOST_NUMBERED
    low, high = span
    right = high + (high - low) * (room if numbered else 0.05)
    shown = np.isfinite(values) & ~hidden
    lengths = np.where(shown, values - (0 if starts is None else starts), 0)
    numbers = [format_number(value, 3) if decimals is None else format_fixed(value, decimals) for value in values]
    traces = [_bars(lengths, _fill(lengths, colour, palette))]
    if aside:
        traces[0]["marker"] |= _set_aside(traces[0]["marker"]["color"], aside, len(rows), palette)
    if not numbered:
        words = [f"{label(row)}: {number}" for row, number in zip(rows, numbers, strict=True)]
        traces[0] |= {"hovertext": words, "hoverinfo": "text"}
    if starts is not None:
        traces[0]["base"] = np.asarray(starts, np.float32)
    if hidden.any():
        traces.append(_hidden(hidden, low, high, palette))
    if ends is not None:
        traces.append(_ends(ends, values, palette))
    if numbered:
        traces.append(_numbers(numbers, right - 0.03 * (right - low), palette))
    axis = axis_of(rows, row_axis)
    x_axis = plain_axis(foot, palette) | {"range": [low, right], "showgrid": False, "showticklabels": False}
    x_axis["title"]["font"] = {"size": 12, "color": palette.text}
    panel = build_panel(
        "row_bars",
        traces,
        palette,
        title=title,
        alt=alt or f"{title}: one bar for each of {len(rows)} {axis.title} rows. {foot}",
        height=height,
        weight=weight,
        title_colour=title_colour,
        xaxis=x_axis | {"zeroline": True, "zerolinecolor": palette.muted, "zerolinewidth": 1},
        yaxis=token_axis(rows, axis.title, palette, reverse=True),
        shapes=[_outline(row, palette) for row in marks],
        hovermode="y",  # anywhere in the row, not on the bar alone
        barmode="overlay",
        bargap=0.3,
        uirevision=f"{len(rows)}",
    )
    return replace(panel, rows=axis, columns=axis_of([""], ""), shows=shows, marked=tuple((row, None) for row in marks),
                   values=np.where(np.isfinite(values), values, np.nan).astype(np.float32)[:, None])  # fmt: skip


def _fill(lengths: Float[np.ndarray, "row"], colour: str | None, theme: Theme) -> str | list[str]:
    if colour:
        return getattr(theme, colour)
    negative, positive = theme.signed[2][1], theme.signed[6][1]
    return [negative if length < 0 else positive for length in lengths]


def _bars(lengths: Float[np.ndarray, "row"], fill: str | list[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.asarray(lengths, np.float32),
        "y": list(range(len(lengths))),
        "marker": {"color": fill, "line": {"width": 0}},
        "hoverinfo": "none",  # a click counts all the same
    }


def _set_aside(fill: str | list[str], aside: Collection[int], count: int, theme: Theme) -> dict[str, Any]:
    """Grey and hatched where a row is set aside, else as it is."""
    colours = [fill] * count if isinstance(fill, str) else fill
    return {
        "color": [theme.masked if row in aside else colours[row] for row in range(count)],
        "pattern": {
            "shape": ["/" if row in aside else "" for row in range(count)],
            "fgcolor": theme.muted,
            "size": 6,
            "solidity": 0.2,
            "fillmode": "overlay",
        },
    }


def _hidden(hidden: Bool[np.ndarray, "row"], low: float, high: float, theme: Theme) -> dict[str, Any]:
    row = np.flatnonzero(hidden)
    return {
        "type": "bar",
        "orientation": "h",
        "base": low,
        "x": np.full(len(row), high - low, np.float32),
        "y": row.astype(np.int16),
        "width": 0.9,
        "marker": {
            "color": theme.masked,
            "line": {"width": 0},
            "pattern": {"shape": "/", "fgcolor": theme.hatch, "size": 6, "solidity": 0.12, "fillmode": "overlay"},
        },
        "hoverinfo": "skip",
        "name": "masked",
    }


def _ends(ends: Float[np.ndarray, "row"], values: Float[np.ndarray, "row"], theme: Theme) -> dict[str, Any]:
    """A line on the bar has the colour of the background: muted, it would not be seen there."""
    on_bar = ends < 0.99 * values
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.asarray(ends, np.float32),
        "y": list(range(len(ends))),
        "marker": {
            "symbol": "line-ns-open",
            "size": 9,
            "color": np.where(on_bar, theme.background, theme.muted).tolist(),
            "line": {"width": 1.5},
        },
        "hoverinfo": "skip",
        "name": "compared with",
    }


def _numbers(numbers: Sequence[str], right: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [right] * len(numbers),
        "y": list(range(len(numbers))),
        "text": numbers,
        "textposition": "middle left",
        "textfont": {"size": TICK_SIZE, "color": theme.text},
        "hoverinfo": "skip",
    }


def _outline(row: int, theme: Theme) -> dict[str, Any]:
    place = {"xref": "x domain", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", **place, "line": {"color": theme.text, "width": 2}}
