"""Many small heatmaps as one: heads beside each other, layers above each other. One trace, so it is drawn at once."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from encoder_core.figures.axis import AxisKind, AxisMeaning, axis_of
from encoder_core.figures.base import TICK_SIZE, build_panel, label, plain_axis, token_axis
from encoder_core.figures.heatmap import Kind, beyond, column_angle, placed, scale_of
from encoder_core.figures.panel import Mark, Panel, Tiles
from encoder_core.figures.tensor_map import TensorMap
from encoder_core.figures.theme import Theme, ThemeName, theme_named
from encoder_core.figures.window import Labels, drawn, said_of, title_of

_LABEL_PITCH = 13  # pixels a row label needs


def mosaic(
    tiles: Float[np.ndarray, "tile_row tile_column row column"],
    row_titles: Sequence[str],
    column_titles: Sequence[str],
    *,
    title: str,
    rows: Labels,
    columns: Labels,
    row_axis: AxisKind | AxisMeaning = "query",
    column_axis: AxisKind | AxisMeaning = "key",
    tile_row_axis: AxisKind | AxisMeaning = "layer",
    tile_column_axis: AxisKind | AxisMeaning = "head",
    kind: Kind = "weights",
    limit: float | None = None,
    mask: Bool[np.ndarray, "tile_row tile_column row column"] | None = None,
    gap: int = 1,
    weight: int = 40,
    selected: tuple[int, int] | None = None,
    marks: Sequence[Mark] = (),
    title_colour: str | None = None,
    shows: TensorMap | None = None,
    alt: str | None = None,
    height: int = 300,
    theme: ThemeName = "light",
) -> Panel:
    """A grid of heatmaps on one scale; every tile has the same rows and columns.

    rows, columns  the names of all, or the window on them that is drawn in every tile.
    tile_row_axis, tile_column_axis  what a row and a column of tiles stand for.
    mask      False cells are masked: grey, never a number's colour. Cells that are not finite stay empty.
    gap       empty cells between tiles; 0 for stripes of one matrix.
    weight    how wide the figure is beside others.
    selected  (tile row, tile column) of the tile to outline.
    marks     rows (row, None) or columns (None, column) to outline: a row in the tile selected, a column in all.
    shows     the slice of a tensor that the tiles are.
    A single row of tiles without a title has the names of its rows on the left, a single column of them the names of
    its columns below. A hover names the tile and the cell.
    """
    colours = theme_named(theme)
    finite = tiles[np.isfinite(tiles)]
    end = (scale_of(finite) if kind == "signed" else 1.0) if limit is None else limit
    shown = np.isfinite(tiles) if mask is None else np.isfinite(tiles) & mask
    cells, offsets = drawn(np.where(shown, tiles, np.nan), rows, columns)
    down, across, tall, wide = cells.shape
    cell_rows, cell_columns = axis_of(rows, row_axis), axis_of(columns, column_axis)
    if cells.shape != (len(row_titles), len(column_titles), len(cell_rows), len(cell_columns)):
        raise ValueError(f"tiles of shape {tiles.shape} do not fit the titles and labels given.")
    sheet = _sheet(cells, gap)
    trace = {
        "type": "heatmap",
        "z": sheet,
        "zmin": -end if kind == "signed" else 0.0,
        "zmax": end,
        "colorscale": [list(stop) for stop in (colours.signed if kind == "signed" else colours.weights)],
        "colorbar": {"thickness": 8, "outlinewidth": 0, "tickfont": {"size": TICK_SIZE}},
        "hovertemplate": "%{y} · %{x}: %{z:.4g}<extra></extra>",
        "hoverongaps": False,
    }
    if offsets is not None:
        offsets = np.nan_to_num(_sheet(offsets, gap)).astype(offsets.dtype)
        trace["customdata"] = offsets
    traces = [trace, *beyond(sheet, end, colours)]
    if mask is not None and not mask.all():
        visible, _ = drawn(mask.astype(np.float32), rows, columns)
        traces.append(_masked(_sheet(np.where(visible > 0, np.nan, 0.0), gap), colours))
    frames = [
        _frame(i, j, tall, wide, gap, colours.line if gap else colours.muted, 1)
        for i in range(down)
        for j in range(across)
        if selected != (i, j)
    ]
    if selected is not None:
        frames.append(_frame(*selected, tall, wide, gap, colours.text, 2))
    first = selected[0] * (tall + gap) if selected else 0
    on_tile = tuple(found for mark in marks if (found := placed(mark, rows, columns)))
    frames += [_mark(mark, first, sheet.shape, colours.text) for mark in on_tile]
    named = list(column_titles) == [""]
    across_axis = (
        _column_axis(cell_columns.names, title_of(columns, cell_columns.title), colours)
        if named
        else _tile_axis(column_titles, wide, gap) | {"side": "top"}
    )
    what = f"{down} by {across} heatmaps of {cell_rows.title} by {cell_columns.title}{said_of(offsets)}"
    panel = build_panel(
        "mosaic",
        traces,
        colours,
        title=title,
        alt=alt or f"{title}: {what}",
        height=height,
        weight=weight,
        title_colour=title_colour,
        xaxis=across_axis | {"range": [-1, sheet.shape[1]]},
        yaxis=(_row_axis(cell_rows.names, height) if list(row_titles) == [""] else _tile_axis(row_titles, tall, gap))
        | {"range": [sheet.shape[0], -1]},
        shapes=frames,
        margin={"t": 44, "b": 52} if named else {"t": 62, "b": 6},
        uirevision=f"{cells.shape}",
    )
    tile_rows, tile_columns = axis_of(row_titles, tile_row_axis), axis_of(column_titles, tile_column_axis)
    return replace(panel, rows=cell_rows, columns=cell_columns, tiles=Tiles(tile_rows, tile_columns, tall, wide, gap),
                   values=sheet, offsets=offsets, shows=shows, marked=on_tile)  # fmt: skip


def _sheet(
    tiles: Shaped[np.ndarray, "tile_row tile_column row column"], gap: int
) -> Float[np.ndarray, "sheet_row sheet_column"]:
    down, across, tall, wide = tiles.shape
    padded = np.full((down, across, tall + gap, wide + gap), np.nan, np.float32)
    padded[:, :, :tall, :wide] = tiles
    sheet = padded.swapaxes(1, 2).reshape(down * (tall + gap), across * (wide + gap))
    return sheet[: sheet.shape[0] - gap, : sheet.shape[1] - gap]


def _masked(sheet: Float[np.ndarray, "sheet_row sheet_column"], theme: Theme) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": sheet,
        "colorscale": [[0, theme.masked], [1, theme.masked]],
        "showscale": False,
        "hoverongaps": False,
        "name": "masked",
    }


def _tile_axis(titles: Sequence[str], size: int, gap: int) -> dict[str, Any]:
    axis = plain_axis("", theme_named("light")) | {"showgrid": False, "tickmode": "array", "tickangle": 0}
    axis["tickvals"] = [index * (size + gap) + (size - 1) / 2 for index in range(len(titles))]
    axis["ticktext"] = [label(text) for text in titles]
    return axis


def _column_axis(columns: Sequence[str], title: str, theme: Theme) -> dict[str, Any]:
    return token_axis(columns, title, theme) | {"tickangle": column_angle(columns)}


def _row_axis(rows: Sequence[str], height: int) -> dict[str, Any]:
    step = max(1, math.ceil(len(rows) * _LABEL_PITCH / height))
    axis = _tile_axis(rows[::step], step, 0)
    axis["tickvals"] = list(range(0, len(rows), step))
    return axis


def _mark(mark: Mark, first: int, shape: tuple[int, ...], colour: str) -> dict[str, Any]:
    """A row, counted within the tile that begins at `first`, or a column of the whole sheet."""
    row, column = mark
    x0, x1 = (-0.5, shape[1] - 0.5) if column is None else (column - 0.5, column + 0.5)
    y0, y1 = (-0.5, shape[0] - 0.5) if row is None else (first + row - 0.5, first + row + 0.5)
    return {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": colour, "width": 1}}


def _frame(i: int, j: int, tall: int, wide: int, gap: int, colour: str, width: int) -> dict[str, Any]:
    x0, y0 = j * (wide + gap) - 0.5, i * (tall + gap) - 0.5
    line = {"color": colour, "width": width}
    return {"type": "rect", "x0": x0, "x1": x0 + wide, "y0": y0, "y1": y0 + tall, "line": line}
