"""Heatmaps: rows and columns as the formula has them, queries down, keys across."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures.axis import AxisKind, AxisMeaning, axis_of
from encoder_core.figures.base import PLOT_HEIGHT, TICK_SIZE, build_panel, token_axis
from encoder_core.figures.panel import Mark, Panel, Product
from encoder_core.figures.tensor_map import Place, TensorMap
from encoder_core.figures.theme import Theme, ThemeName, theme_named
from encoder_core.figures.window import Labels, Window, cell_of, drawn, said_of, title_of

Kind = Literal["signed", "weights"]

_MOST_HATCHED = 700  # one line a masked cell; beyond this many, flat grey says it as well


def limit_of(*arrays: Float[np.ndarray, "..."]) -> float:
    """The largest magnitude over all arrays, so that steps which follow one another share one scale."""
    finite = [np.abs(array[np.isfinite(array)]) for array in arrays]
    return max((float(values.max()) for values in finite if values.size), default=0.0) or 1.0


def scale_of(*arrays: Float[np.ndarray, "..."]) -> float:
    """The end of a colour scale that steps which follow one another share: their largest magnitude, unless few cells
    tower above all others.

    A trained encoder has such outliers, a hundred times as large as the rest (Kovaleva et al. 2021): with them at the
    end of the scale, everything else would look like zero. So an array counts with no more than 2.5 times the 98th
    percentile of its magnitudes, zeros left out: of normal numbers, that is beyond the largest of a million.
    """
    return max((_without_outliers(array) for array in arrays), default=0.0) or 1.0


def _without_outliers(array: Float[np.ndarray, "..."]) -> float:
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    return min(float(sizes.max()), 2.5 * float(np.percentile(sizes, 98))) if sizes.size else 0.0


def heatmap(
    values: Float[np.ndarray, "row column"],
    rows: Labels,
    columns: Labels | None = None,
    *,
    title: str,
    row_axis: AxisKind | AxisMeaning = "token",
    column_axis: AxisKind | AxisMeaning = "dimension",
    kind: Kind = "signed",
    limit: float | None = None,
    mask: Bool[np.ndarray, "row column"] | None = None,
    marks: Sequence[Mark] = (),
    flags: Sequence[int] = (),
    column_flags: Mapping[int, str] | None = None,
    title_colour: str | None = None,
    shows: TensorMap | None = None,
    product: Product | None = None,
    set_by_hand: Collection[tuple[int, int]] = (),
    show_values: bool = False,
    weight: int | None = None,
    alt: str | None = None,
    height: int = PLOT_HEIGHT,
    theme: ThemeName = "light",
) -> Panel:
    """One matrix as a heatmap.

    rows, columns  the names of all, or the window on them that is drawn, numbered; None numbers all columns
    kind    "signed": centred on zero, from -limit to limit; "weights": 0 to limit (1 if not given).
    limit   the end of the colour scale; None takes `scale_of` the values, drawn or not. Cells beyond it are marked with
            a dot.
    mask    False cells, and those that are not finite, are masked: hatched, never a number's colour.
    marks   cells, rows (row, None) or columns (None, column) of the matrix to outline, where they are drawn.
    flags   rows with a bar at their left edge: those in use, say, of a table.
    shows   the slice of a tensor that the matrix is
    product  the two panels of its line whose product it is
    set_by_hand  the cells of the matrix that an edit has set
    column_flags  columns with a bar above them, each in its colour: those drawn as curves beside it.
    show_values  each cell's number is written in it, for a matrix of few cells.
    weight  how wide the figure is beside others; None takes the number of columns, within bounds.
    Raises ValueError where labels and values differ in number.
    """
    colours = theme_named(theme)
    columns = Window(0, values.shape[1]) if columns is None else columns
    shown = np.isfinite(values) if mask is None else np.isfinite(values) & mask
    end = (scale_of(values[shown]) if kind == "signed" else 1.0) if limit is None else limit
    cells, offsets = drawn(np.where(shown, values, np.nan), rows, columns)
    down, across = axis_of(rows, row_axis), axis_of(columns, column_axis)
    if cells.shape != (len(down), len(across)):
        raise ValueError(f"values of shape {values.shape} do not fit {len(down)} rows and {len(across)} columns.")
    shown = np.isfinite(cells)
    traces = [_cells(cells, kind, end, colours)]
    if offsets is not None:
        traces[0] |= {"customdata": offsets}
    if show_values:
        traces[0] |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 12}}
    if not shown.all():
        traces += _masked(~shown, colours)
    traces += beyond(cells, end, colours)
    marked = tuple(found for mark in marks if (found := placed(mark, rows, columns)))
    size = f"{len(down)} {down.title} rows by {len(across)} {across.title} columns{said_of(offsets)}"
    panel = build_panel(
        "heatmap",
        traces,
        colours,
        title=title,
        alt=alt or f"{title}: heatmap, {size}",
        height=height,
        weight=weight or int(np.clip(len(across), 8, 40)),
        title_colour=title_colour,
        xaxis=token_axis(across.names, title_of(columns, across.title), colours)
        | {"tickangle": column_angle(across.names)},
        yaxis=token_axis(down.names, title_of(rows, down.title), colours, reverse=True)
        | ({"ticklabelstandoff": 7} if flags else {}),
        shapes=[
            *_flags("y", _in_sight(dict.fromkeys(flags, colours.text), rows)),
            *_flags("x", _in_sight(column_flags or {}, columns)),
            *(_outline(mark, cells.shape, colours) for mark in marked),
        ],
        uirevision=f"{cells.shape}",
    )
    panel = replace(panel, rows=down, columns=across, values=traces[0]["z"], offsets=offsets, shows=shows,
                    product=product, marked=marked)  # fmt: skip
    by_hand = (panel.drawn_at(Place(*cell)) for cell in set_by_hand)
    return replace(panel, set_by_hand=frozenset(cell[:2] for cell in by_hand if cell)) if set_by_hand else panel


def dimensions(count: int, start: int = 0) -> list[str]:
    """Labels for `count` dimensions, counted from `start`."""
    return [str(index) for index in range(start, start + count)]


def position_labels(count: int) -> list[str]:
    """Labels for `count` positions: positions count from 1 on screen, like tokens."""
    return dimensions(count, start=1)


def _cells(values: Float[np.ndarray, "row column"], kind: Kind, end: float, theme: Theme) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "zmin": -end if kind == "signed" else 0.0,
        "zmax": end,
        "colorscale": [list(stop) for stop in (theme.signed if kind == "signed" else theme.weights)],
        "xgap": 1 if values.shape[1] <= 64 else 0,
        "ygap": 1,
        "colorbar": {"thickness": 8, "outlinewidth": 0, "tickfont": {"size": TICK_SIZE}},
        "hovertemplate": "%{y} · %{x}: %{z:.4g}<extra></extra>",
        "hoverongaps": False,
    }


def _masked(masked: Bool[np.ndarray, "row column"], theme: Theme) -> list[dict[str, Any]]:
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
    row, column = np.nonzero(masked)
    if len(row) > _MOST_HATCHED:
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


def beyond(values: Float[np.ndarray, "row column"], end: float, theme: Theme) -> list[dict[str, Any]]:
    """A dot on each cell that is beyond the end of the colour scale, if there is one."""
    row, column = np.nonzero(np.abs(values) > end * (1 + 1e-6))
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": column,
        "y": row,
        "marker": {"size": 4, "color": theme.background, "line": {"width": 1, "color": theme.text}},
        "hoverinfo": "skip",
        "name": "beyond the colour scale",
    }
    return [dots] if len(row) else []


def placed(mark: Mark, rows: Labels, columns: Labels) -> Mark | None:
    """Where a cell, row or column of the matrix is drawn; None where it is not."""
    row, column = (
        None if place is None else cell_of(axis, place) for axis, place in zip((rows, columns), mark, strict=True)
    )
    return (row, column) if (row is None, column is None) == (mark[0] is None, mark[1] is None) else None


def _in_sight(colour_of: Mapping[int, str], axis: Labels) -> dict[int, str]:
    """The same for the cells that stand for these places."""
    found = {cell_of(axis, place): colour for place, colour in colour_of.items()}
    return {cell: colour for cell, colour in found.items() if cell is not None}


def _outline(mark: Mark, shape: tuple[int, int], theme: Theme) -> dict[str, Any]:
    row, column = mark
    x0, x1 = (-0.5, shape[1] - 0.5) if column is None else (column - 0.5, column + 0.5)
    y0, y1 = (-0.5, shape[0] - 0.5) if row is None else (row - 0.5, row + 0.5)
    width = 2 if shape[0] <= 40 else 1  # a thick line would cover low rows
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": theme.text, "width": width}}


def _flags(axis: Literal["x", "y"], colour_of: Mapping[int, str]) -> list[dict[str, Any]]:
    """One bar for each run of neighbours of one colour, outside the left edge (rows) or the top edge (columns)."""
    # Its thickness is in pixels from the edge: the same at any zoom and any number of cells.
    other, edge, inner, outer = ("x", 0, -2, -5) if axis == "y" else ("y", 1, 1, 4)
    across = {f"{other}ref": "paper", f"{other}sizemode": "pixel", f"{other}anchor": edge}
    thickness = {f"{other}0": inner, f"{other}1": outer}
    runs: list[dict[str, Any]] = []
    for index, colour in sorted(colour_of.items()):
        if runs and runs[-1]["fillcolor"] == colour and runs[-1][f"{axis}1"] == index - 0.5:
            runs[-1][f"{axis}1"] = index + 0.5
        else:
            along = {f"{axis}0": index - 0.5, f"{axis}1": index + 0.5}
            runs.append({"type": "rect", **along, **across, **thickness, "line": {"width": 0}, "fillcolor": colour})
    return runs


def column_angle(columns: Sequence[str]) -> int:
    """Short labels stand level, longer ones upright."""
    return 0 if all(len(column) <= 3 for column in columns) else -90
