"""Heatmaps: rows and columns in the order of the formula, so queries are rows and keys are columns."""

import html
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures.alt_text import cell_in_words, numbers_in_words
from encoder_core.figures.axis import Axis, axis_of
from encoder_core.figures.base import build_panel, token_axis
from encoder_core.figures.colour_scale import dots_beyond, plotly_scale, scale_end
from encoder_core.figures.panel import Mark, Panel
from encoder_core.figures.style import MatrixStyle
from encoder_core.figures.tensor_map import TensorMap
from encoder_core.figures.theme import Theme
from encoder_core.figures.window import Labels, Window, axis_title, bins_in_words, cell_index, pool
from encoder_core.support.validation import (
    invalid_item,
    invalid_value,
    require_array,
    require_choice,
    require_index,
    require_indices,
    require_integer,
    require_items,
    require_mask,
    require_numbers,
    require_type,
)
from encoder_core.support.wording import format_count

_MAX_HATCHED = 700  # each masked cell adds a line; more masked cells than this are only grey


@dataclass(frozen=True, kw_only=True)
class HeatmapStyle(MatrixStyle):
    """The appearance of a heatmap.

    show_values   whether each cell contains its number, for a matrix of few cells
    has_scale     whether a scale explains the colours; a mask of cells that are hatched or not needs none
    row_flags     rows with a bar at their left edge, such as the rows of a table that are in use
    column_flags  columns with a bar above them, and its colour, such as the columns drawn as curves beside the heatmap
    """

    show_values: bool = False
    has_scale: bool = True
    row_flags: Collection[int] = ()
    column_flags: Mapping[int, str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice("show_values", self.show_values, (True, False))
        require_choice("has_scale", self.has_scale, (True, False))
        require_type("row_flags", self.row_flags, Collection, "collections of row indices")
        allowed = "None and mappings of column indices to colours"
        require_type("column_flags", self.column_flags, Mapping | None, allowed)
        if not all(isinstance(colour, str) for colour in (self.column_flags or {}).values()):
            raise invalid_value("column_flags", self.column_flags, allowed)


def heatmap(
    values: Float[np.ndarray, "row column"],
    rows: Labels,
    columns: Labels | None = None,
    *,
    title: str,
    mask: Bool[np.ndarray, "row column"] | None = None,
    texts: Sequence[Sequence[str]] | None = None,
    marks: Sequence[Mark] = (),
    shows: TensorMap | None = None,
    style: HeatmapStyle = HeatmapStyle(),
) -> Panel:
    """One matrix as a heatmap.

    rows, columns  the names of all rows and columns, or the window of them that is drawn; None numbers the columns
    mask           False cells, and cells that are not finite, are masked: they are hatched and have no number
    texts          what each cell says instead of its number, where no cell is a bin; None says nothing
    marks          cells, rows (row, None) and columns (None, column) of the matrix that are outlined where visible
    shows          the slice of a tensor that the matrix is

    Raises ValueError for values that are no matrix of numbers, where the number of labels or texts is not that of the
    values, for a mask of another shape, and for marks and flags outside the matrix.
    """
    values = require_numbers("values", values, "row column")
    require_mask("mask", mask, values.shape, optional=True)
    require_type("style", style, HeatmapStyle, "styles such as HeatmapStyle(kind='weights')")
    marks = require_marks(marks, values.shape)
    require_indices("row_flags", style.row_flags, len(values), "collections of row indices")
    require_indices("column_flags", (style.column_flags or {}).keys(), values.shape[1], "mappings of column indices")
    columns = Window(0, values.shape[1]) if columns is None else columns
    visible = np.isfinite(values) if mask is None else np.isfinite(values) & mask
    limit, colours = scale_end(style, values[visible]), style.colours
    cells, offsets = pool(np.where(visible, values, np.nan), rows, columns)
    row_axis, column_axis = axis_of(rows, style.row_axis), axis_of(columns, style.column_axis)
    if cells.shape != (len(row_axis), len(column_axis)):
        raise ValueError(
            f"values of shape {values.shape} do not fit {len(row_axis)} rows and {len(column_axis)} columns."
        )
    trace = _cells(cells, style, limit)
    if offsets is not None:
        trace["customdata"] = offsets
    elif texts is not None:
        allowed = f"one text for each of the values of shape {values.shape}"
        read = require_array("texts", texts, allowed)
        if read.shape != values.shape or not all(isinstance(text, str) for text in read.flat):
            raise invalid_value("texts", texts, allowed)
        trace |= _texts(read.tolist(), visible)
    outlined = tuple(cell for mark in marks if (cell := visible_mark(mark, rows, columns)))
    size = (
        f"{format_count(len(row_axis), _line_name(row_axis, 'row'))} by "
        f"{format_count(len(column_axis), _line_name(column_axis, 'column'))}"
    )
    masked = ~np.isfinite(cells)
    numbers = numbers_in_words(trace["z"], partial(cell_in_words, (row_axis, column_axis)), int(masked.sum()))
    panel = build_panel(
        "heatmap",
        [trace, *_masked(masked, colours), *dots_beyond(cells, limit, colours)],
        style,
        title=title,
        alt=f"{title}: heatmap, {size}{bins_in_words(offsets)}{numbers}",
        weight=int(np.clip(len(column_axis), 8, 40)),
        xaxis=token_axis(column_axis.names, axis_title(columns, column_axis.title, values.shape[1]), colours),
        yaxis=token_axis(row_axis.names, axis_title(rows, row_axis.title, values.shape[0]), colours, reverse=True)
        | ({"ticklabelstandoff": 7} if style.row_flags else {}),
        shapes=[
            *_flags("y", _visible_colours(dict.fromkeys(style.row_flags, colours.text), rows)),
            *_flags("x", _visible_colours(style.column_flags or {}, columns)),
            *(_outline(mark, cells.shape, colours) for mark in outlined),
        ],
        uirevision=f"{cells.shape}",
    )
    return replace(panel, rows=row_axis, columns=column_axis, values=trace["z"], offsets=offsets, shows=shows,
                   marked=outlined)  # fmt: skip


def dimensions(count: int, start: int = 0) -> list[str]:
    """Labels for `count` dimensions, counted from `start`. Raises ValueError unless both are whole numbers from 0."""
    count, start = require_integer("count", count, 0), require_integer("start", start, 0)
    return [str(index) for index in range(start, start + count)]


def position_labels(count: int) -> list[str]:
    """Labels for `count` positions: positions count from 1 on screen, like tokens.

    Raises ValueError unless `count` is a whole number from 0.
    """
    return dimensions(count, start=1)


def _line_name(axis: Axis, line: str) -> str:
    """What a row or a column is called: "query row"; "row" where the axis counts rows."""
    return line if axis.title == line else f"{axis.title} {line}".lstrip()


def visible_mark(mark: Mark, rows: Labels, columns: Labels) -> Mark | None:
    """A cell, row or column of the matrix as an index of cells; None where it is outside the window."""
    row, column = (
        None if place is None else cell_index(axis, place) for axis, place in zip((rows, columns), mark, strict=True)
    )
    return (row, column) if (row is None, column is None) == (mark[0] is None, mark[1] is None) else None


def require_marks(marks: Sequence[Mark], shape: tuple[int, ...]) -> list[Mark]:
    """The marks as a list. Raises ValueError for what is no list of them, and for marks outside a matrix of this
    shape."""
    allowed = "lists of cells (row, column), rows (row, None) and columns (None, column)"
    marks = require_items("marks", marks, tuple, allowed)
    for index, mark in enumerate(marks):
        if len(mark) != 2 or not all(place is None or isinstance(place, Integral) for place in mark):
            raise invalid_item("marks", index, mark, allowed)
        for axis, place, size in zip(("row", "column"), mark, shape, strict=True):
            if place is not None:
                require_index(f"marks[{index}]: {axis}", place, size)
    return marks


def _cells(values: Float[np.ndarray, "row column"], style: HeatmapStyle, limit: float) -> dict[str, Any]:
    numbers = {"texttemplate": "%{z:.2f}", "textfont": {"size": 12}} if style.show_values else {}
    scale = {} if style.has_scale else {"showscale": False}
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        **plotly_scale(style, limit),
        **scale,
        "xgap": 1 if values.shape[1] <= 64 else 0,
        "ygap": 1,
        "hovertemplate": "%{y} · %{x}: %{z:.4g}<extra></extra>",
        "hoverongaps": False,
        **numbers,
    }


def _texts(texts: Sequence[Sequence[str]], visible: Bool[np.ndarray, "row column"]) -> dict[str, Any]:
    """The texts, as large as the cells allow; the hover repeats them unescaped, because it renders no HTML."""
    rows = [
        [text if is_visible else "" for text, is_visible in zip(*row, strict=True)]
        for row in zip(texts, visible, strict=True)
    ]
    escaped = [[html.escape(text, quote=False) for text in row] for row in rows]
    return {"text": escaped, "hovertext": rows, "texttemplate": "%{text}"}


def _masked(masked: Bool[np.ndarray, "row column"], theme: Theme) -> list[dict[str, Any]]:
    """Grey cells, and one diagonal line in each of them; no trace where no cell is masked."""
    if not masked.any():
        return []
    row, column = np.nonzero(masked)
    grey = {
        "type": "heatmap",
        "z": np.where(masked, 0.0, np.nan).astype(np.float32),
        "colorscale": [[0, theme.masked], [1, theme.masked]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y} · %{x}: masked<extra></extra>",
        "hoverongaps": False,
        "name": "masked",
    }
    if len(row) > _MAX_HATCHED:
        return [grey]
    gap = np.full(len(row), np.nan)
    hatch = {
        "type": "scatter",
        "mode": "lines",
        "x": np.stack([column - 0.42, column + 0.42, gap], axis=1).ravel().astype(np.float32),
        "y": np.stack([row + 0.42, row - 0.42, gap], axis=1).ravel().astype(np.float32),
        "line": {"width": 1, "color": theme.hatch},
        "hoverinfo": "skip",
    }
    return [grey, hatch]


def _visible_colours(colours: Mapping[int, str], axis: Labels) -> dict[int, str]:
    """The colours by the cell that stands for each place; places outside the window are left out."""
    cells = {cell_index(axis, place): colour for place, colour in colours.items()}
    return {cell: colour for cell, colour in cells.items() if cell is not None}


def _outline(mark: Mark, shape: tuple[int, int], theme: Theme) -> dict[str, Any]:
    row, column = mark
    x0, x1 = (-0.5, shape[1] - 0.5) if column is None else (column - 0.5, column + 0.5)
    y0, y1 = (-0.5, shape[0] - 0.5) if row is None else (row - 0.5, row + 0.5)
    width = 2 if shape[0] <= 40 else 1  # a thick line would cover low rows
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": theme.text, "width": width}}


def _flags(axis: Literal["x", "y"], colours: Mapping[int, str]) -> list[dict[str, Any]]:
    """One bar for each run of neighbours of one colour, outside the left edge (rows) or the top edge (columns)."""
    # The thickness is in pixels from the edge: the same at any zoom and any number of cells.
    other, edge, inner, outer = ("x", 0, -2, -5) if axis == "y" else ("y", 1, 1, 4)
    across = {f"{other}ref": "paper", f"{other}sizemode": "pixel", f"{other}anchor": edge}
    thickness = {f"{other}0": inner, f"{other}1": outer}
    runs: list[dict[str, Any]] = []
    for index, colour in sorted(colours.items()):
        if runs and runs[-1]["fillcolor"] == colour and runs[-1][f"{axis}1"] == index - 0.5:
            runs[-1][f"{axis}1"] = index + 0.5
        else:
            along = {f"{axis}0": index - 0.5, f"{axis}1": index + 0.5}
            runs.append({"type": "rect", **along, **across, **thickness, "line": {"width": 0}, "fillcolor": colour})
    return runs
