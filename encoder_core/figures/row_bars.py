"""A column of numbers as horizontal bars, each at the height of its row in the heatmap beside it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures.alt_text import numbers_in_words, place_in_words
from encoder_core.figures.axis import AxisKind, AxisMeaning, axis_of, require_axis
from encoder_core.figures.base import PLOT_HEIGHT, TICK_SIZE, build_panel, label, plain_axis, token_axis
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import PanelStyle
from encoder_core.figures.tensor_map import TensorMap
from encoder_core.figures.theme import Theme, require_colour
from encoder_core.support.number_format import Number, format_fixed, format_number
from encoder_core.support.validation import (
    require_indices,
    require_integer,
    require_items,
    require_mask,
    require_number,
    require_numbers,
    require_pair,
    require_type,
)
from encoder_core.support.wording import format_count

_SMALLEST_NUMBER = 10  # pixels: the font of numbers in rows that are lower than a usual line; the page leaves out some
_MAX_NUMBERED = 26  # rows; the numbers of more rows would touch


@dataclass(frozen=True, kw_only=True)
class RowBarsStyle(PanelStyle):
    """The appearance of a column of bars.

    row_axis       what the rows stand for
    span           the values at the left and the right end of the bars, with zero between them; consecutive steps
                   share one span
    colour         a field of the theme ("attention", ...); None takes the colours of negative and positive numbers
    decimals       of each number, so that the decimal points are aligned; None writes 3 significant digits
    tells_zero     whether positive numbers that would be rounded to zero are written as "<0.01"
    numbers_width  the width of the column of numbers, as a fraction of the span
    """

    row_axis: AxisKind | AxisMeaning = "key"
    span: tuple[float, float] = (0.0, 1.0)
    colour: str | None = None
    decimals: int | None = 2
    tells_zero: bool = False
    numbers_width: float = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        require_axis("row_axis", self.row_axis)
        if self.colour is not None:
            require_colour("colour", self.colour)
        if self.decimals is not None:
            require_integer("decimals", self.decimals, 0)
        require_pair("span", self.span)
        require_number("numbers_width", self.numbers_width, 0, 10)

    def format(self, value: Number) -> str:
        """A number as the column writes it; for the footer, which is about the same numbers."""
        if self.decimals is None:
            return format_number(value, 3)
        text = format_fixed(value, self.decimals)
        is_rounded_to_zero = self.tells_zero and value > 0 and not text.strip("0.")
        return f"<{format_fixed(10.0**-self.decimals, self.decimals)}" if is_rounded_to_zero else text


@dataclass(frozen=True, eq=False, kw_only=True)
class RowBarsDetails:
    """What a column of bars shows besides its values.

    starts      where each bar begins, if not at zero; bars that begin where the bar above ends show a running sum
    references  a value to compare each bar with, such as its largest possible length; drawn as a short line
    excluded    rows that are measured but do not count; their bars are hatched
    footer      a summary of the column ("sum 1.00"), written below it
    """

    starts: Float[np.ndarray, "row"] | None = None
    references: Float[np.ndarray, "row"] | None = None
    excluded: Collection[int] = ()
    footer: str = ""


def span_of(*columns: Float[np.ndarray, "row"]) -> tuple[float, float]:
    """The span that columns of signed numbers share: from their smallest finite value to the largest, with zero."""
    finite = np.concatenate([column[np.isfinite(column)] for column in columns] + [np.zeros(1)])
    low, high = float(finite.min()), float(finite.max())
    return low, high if high > low else low + 1.0


def row_bars(
    values: Float[np.ndarray, "row"],
    rows: Sequence[str],
    *,
    title: str,
    mask: Bool[np.ndarray, "row"] | None = None,
    marks: Sequence[int] = (),
    details: RowBarsDetails = RowBarsDetails(),
    shows: TensorMap | None = None,
    style: RowBarsStyle = RowBarsStyle(),
) -> Panel:
    """A column of bars with their numbers; many rows show their numbers on hover only.

    mask   False rows are masked: hatched, without a bar. Their number is still written: -inf as a score, 0 as a weight
    marks  rows that are outlined
    shows  the slice of a tensor that the column is

    Raises ValueError for values that are no column of numbers, where the number of names is not that of the values, for
    a mask of another shape, and for marks and excluded rows that do not exist.
    """
    values = require_numbers("values", values, "row")
    rows = require_items("rows", rows, str, "lists of names")
    require_mask("mask", mask, values.shape, optional=True)
    require_type("style", style, RowBarsStyle, "styles such as RowBarsStyle(decimals=2)")
    require_type("details", details, RowBarsDetails, "details such as RowBarsDetails(footer='sum 1.00')")
    marks = require_indices("marks", marks, len(values), "lists of row indices")
    if len(rows) != len(values):
        raise ValueError(f"{len(values)} values do not fit {len(rows)} rows.")
    require_indices("excluded", details.excluded, len(values), "collections of row indices")
    for name, column in (("starts", details.starts), ("references", details.references)):
        if column is not None and require_numbers(name, column, "row").shape != values.shape:
            raise ValueError(f"{name}: shape={np.shape(column)} is invalid: allowed are {len(values)} numbers.")
    theme, numbered = style.colours, len(rows) <= _MAX_NUMBERED
    low, high = style.span
    right = high + (high - low) * (style.numbers_width if numbered else 0.05)
    visible = np.isfinite(values) if mask is None else np.isfinite(values) & mask
    lengths = np.where(visible, values - (0 if details.starts is None else details.starts), 0)
    numbers = [style.format(value) for value in values]
    traces = [_bars(lengths, _fill(lengths, style.colour, theme))]
    if details.excluded:
        traces[0]["marker"] |= _excluded(traces[0]["marker"]["color"], details.excluded, len(rows), theme)
    if not numbered:
        hovers = [f"{label(row)}: {number}" for row, number in zip(rows, numbers, strict=True)]
        traces[0] |= {"hovertext": hovers, "hoverinfo": "text"}
    if details.starts is not None:
        traces[0]["base"] = np.array(details.starts, np.float32)
    if mask is not None and not mask.all():
        traces.append(_masked(~mask, style.span, theme))
    if details.references is not None:
        traces.append(_references(details.references, values, theme))
    if numbered:
        height = (PLOT_HEIGHT if style.height is None else style.height) / len(rows)
        traces.append(_numbers(numbers, right - 0.05 * (right - low), height, theme))
    axis = axis_of(rows, style.row_axis)
    masked = 0 if mask is None else int((~mask).sum())
    not_finite = int((~visible).sum()) - masked
    in_words = numbers_in_words(np.where(visible, values, np.nan)[:, None], lambda row, _: place_in_words(axis, row),
                                masked, "row", style.format)  # fmt: skip
    in_words += f"; {format_count(not_finite, 'row')} not finite" if not_finite else ""
    x_axis = plain_axis(details.footer, theme) | {"range": [low, right], "showgrid": False, "showticklabels": False}
    x_axis["title"]["font"] = {"size": 12, "color": theme.text}
    panel = build_panel(
        "row_bars",
        traces,
        style,
        title=title,
        alt=f"{title}: one bar for each of {format_count(len(rows), f'{axis.title} row')}{in_words}. {details.footer}",
        weight=10,
        xaxis=x_axis | {"zeroline": True, "zerolinecolor": theme.muted, "zerolinewidth": 1},
        yaxis=token_axis(rows, axis.title, theme, reverse=True),
        shapes=[_outline(row, theme) for row in marks],
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
    return [theme.negative if length < 0 else theme.positive for length in lengths]


def _bars(lengths: Float[np.ndarray, "row"], fill: str | list[str]) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "x": np.array(lengths, np.float32),
        "y": list(range(len(lengths))),
        "marker": {"color": fill, "line": {"width": 0}},
        "hoverinfo": "none",  # the bar still reacts to clicks
    }


def _excluded(fill: str | list[str], excluded: Collection[int], count: int, theme: Theme) -> dict[str, Any]:
    """The markers of the bars: grey and hatched where a row is excluded."""
    colours = [fill] * count if isinstance(fill, str) else fill
    return {
        "color": [theme.masked if row in excluded else colours[row] for row in range(count)],
        "pattern": {
            "shape": ["/" if row in excluded else "" for row in range(count)],
            "bgcolor": theme.masked,  # by default the list of colours, of which Plotly cannot find the contrast
            "fgcolor": theme.muted,
            "size": 6,
            "solidity": 0.2,
            "fillmode": "overlay",
        },
    }


def _masked(masked: Bool[np.ndarray, "row"], span: tuple[float, float], theme: Theme) -> dict[str, Any]:
    row, (low, high) = np.flatnonzero(masked), span
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


def _references(references: Float[np.ndarray, "row"], values: Float[np.ndarray, "row"], theme: Theme) -> dict[str, Any]:
    """One line a row; on its bar it has the colour of the background, because a muted line would not be visible."""
    on_bar = references < 0.99 * values
    return {
        "type": "scatter",
        "mode": "markers",
        "x": np.array(references, np.float32),
        "y": list(range(len(references))),
        "marker": {
            "symbol": "line-ns-open",
            "size": 9,
            "color": np.where(on_bar, theme.background, theme.muted).tolist(),
            "line": {"width": 1.5},
        },
        "hoverinfo": "skip",
        "name": "compared with",
    }


def _numbers(numbers: Sequence[str], right: float, height: float, theme: Theme) -> dict[str, Any]:
    """The numbers at the right, not much higher than the rows, which have this height in pixels."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [right] * len(numbers),
        "y": list(range(len(numbers))),
        "text": numbers,
        "textposition": "middle left",
        "textfont": {"size": min(TICK_SIZE, max(_SMALLEST_NUMBER, int(height))), "color": theme.text},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _outline(row: int, theme: Theme) -> dict[str, Any]:
    place = {"xref": "x domain", "x0": 0, "x1": 1, "y0": row - 0.5, "y1": row + 0.5}
    return {"type": "rect", **place, "line": {"color": theme.text, "width": 2}}
