"""Many small heatmaps in one panel: heads side by side, layers below each other. One trace has all of them, because
the browser draws one trace faster than many."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from encoder_core.figures.alt_text import cell_in_words, numbers_in_words
from encoder_core.figures.axis import Axis, AxisKind, AxisMeaning, axis_of, require_axis
from encoder_core.figures.base import PLOT_HEIGHT, build_panel, label, plain_axis, token_axis
from encoder_core.figures.colour_scale import dots_beyond, plotly_scale, scale_end
from encoder_core.figures.heatmap import require_marks, visible_mark
from encoder_core.figures.panel import Mark, Panel, Tiles
from encoder_core.figures.style import MatrixKind, MatrixStyle
from encoder_core.figures.tensor_map import TensorMap
from encoder_core.figures.theme import Theme
from encoder_core.figures.window import Labels, axis_title, bins_in_words, pool
from encoder_core.support.validation import require_integer, require_items, require_mask, require_numbers, require_type
from encoder_core.support.wording import form_for

_LABEL_HEIGHT = 10  # pixels from one label of a row to the next


@dataclass(frozen=True, kw_only=True)
class MosaicStyle(MatrixStyle):
    """The appearance of the tiles of a mosaic: weights of attention, unless a field is set."""

    kind: MatrixKind = "weights"
    row_axis: AxisKind | AxisMeaning = "query"
    column_axis: AxisKind | AxisMeaning = "key"


@dataclass(frozen=True)
class TileGrid:
    """The rows and columns of tiles of a mosaic.

    row_titles, column_titles  one for each row and column of tiles. A single row of tiles with an empty title has the
                               labels of its rows on the left, a single column the labels of its columns below
    row_axis, column_axis      what a row and a column of tiles stand for
    gap                        empty cells between two tiles; 0 for stripes of one matrix
    selected                   (tile row, tile column) of the tile that is outlined
    marks                      rows (row, None) of the selected tile and columns (None, column) of all tiles that are
                               outlined
    """

    row_titles: Sequence[str]
    column_titles: Sequence[str]
    row_axis: AxisKind | AxisMeaning = "layer"
    column_axis: AxisKind | AxisMeaning = "head"
    gap: int = 1
    selected: tuple[int, int] | None = None
    marks: Sequence[Mark] = ()

    def __post_init__(self) -> None:
        for name in ("row_titles", "column_titles"):
            titles = require_items(name, getattr(self, name), str, "lists of titles", least=1)
            object.__setattr__(self, name, tuple(titles))
        require_axis("row_axis", self.row_axis)
        require_axis("column_axis", self.column_axis)
        require_integer("gap", self.gap, 0, 100)


def tile_titles(kind: str, count: int) -> list[str]:
    """The titles of `count` rows or columns of tiles: "layer 1", "2", "3", ...

    Raises ValueError unless `count` is a whole number from 1.
    """
    count = require_integer("count", count, 1)
    return [f"{kind} 1", *(str(number) for number in range(2, count + 1))]


def tile_bin_size(count: int, max_cells: int) -> int:
    """The number of rows, and of columns, in one cell of a tile, so that `count` cells become at most about
    `max_cells`. Raises ValueError unless both are whole numbers from 1."""
    count, max_cells = require_integer("count", count, 1), require_integer("max_cells", max_cells, 1)
    return math.ceil(math.sqrt(count / max_cells))


def mosaic(
    tiles: Float[np.ndarray, "tile_row tile_column row column"],
    grid: TileGrid,
    rows: Labels,
    columns: Labels,
    *,
    title: str,
    mask: Bool[np.ndarray, "tile_row tile_column row column"] | None = None,
    shows: TensorMap | None = None,
    style: MosaicStyle = MosaicStyle(),
) -> Panel:
    """A grid of heatmaps on one scale, all with the same rows and columns.

    rows, columns  the names of all rows and columns of a tile, or the window of them that is drawn in every tile
    mask           False cells are masked: grey, without a number. Cells that are not finite stay empty
    shows          the slice of a tensor that the tiles are

    Raises ValueError for tiles that are no numbers on four axes, where the number of titles or labels is not that of
    the tiles, for a mask of another shape, and for marks outside a tile.
    """
    tiles = require_numbers("tiles", tiles, "tile_row tile_column row column")
    require_mask("mask", mask, tiles.shape, optional=True)
    require_type("grid", grid, TileGrid, "grids such as TileGrid(['layer 1'], ['head 1'])")
    require_type("style", style, MosaicStyle, "styles such as MosaicStyle(kind='weights')")
    marks = require_marks(grid.marks, tiles.shape[2:])
    colours, gap = style.colours, grid.gap
    limit = scale_end(style, tiles[np.isfinite(tiles)])
    visible = np.isfinite(tiles) if mask is None else np.isfinite(tiles) & mask
    cells, offsets = pool(np.where(visible, tiles, np.nan), rows, columns)
    row_axis, column_axis = axis_of(rows, style.row_axis), axis_of(columns, style.column_axis)
    if cells.shape != (len(grid.row_titles), len(grid.column_titles), len(row_axis), len(column_axis)):
        raise ValueError(f"tiles of shape {tiles.shape} do not fit their titles and labels.")
    sheet = _sheet(cells, gap)
    trace = {
        "type": "heatmap",
        "z": sheet,
        **plotly_scale(style, limit),
        "hovertemplate": "%{y} · %{x}: %{z:.4g}<extra></extra>",
        "hoverongaps": False,
    }
    if offsets is not None:
        offsets = np.nan_to_num(_sheet(offsets, gap)).astype(offsets.dtype)
        trace["customdata"] = offsets
    traces, masked = [trace, *dots_beyond(sheet, limit, colours)], 0
    if mask is not None and not mask.all():
        unmasked, _ = pool(mask.astype(np.float32), rows, columns)
        masked = int((unmasked <= 0).sum())
        traces.append(_masked(_sheet(np.where(unmasked > 0, np.nan, 0.0), gap), colours))
    tile_rows, tile_columns = axis_of(grid.row_titles, grid.row_axis), axis_of(grid.column_titles, grid.column_axis)
    placed = Tiles(tile_rows, tile_columns, cells.shape[2], cells.shape[3], gap)
    marked = tuple(cell for mark in marks if (cell := visible_mark(mark, rows, columns)))
    labels_below = list(grid.column_titles) == [""]
    labels_left = list(grid.row_titles) == [""]
    height = PLOT_HEIGHT if style.height is None else style.height
    x_axis = (
        token_axis(column_axis.names, axis_title(columns, column_axis.title, tiles.shape[-1]), colours)
        if labels_below
        else _tile_axis(grid.column_titles, placed.wide, gap, colours) | {"side": "top"}
    )
    y_axis = (
        _row_axis(row_axis.names, height, colours, [row for row, _ in marked if row is not None])
        if labels_left
        else _tile_axis(grid.row_titles, placed.tall, gap, colours)
    )
    tiles_word = form_for(len(placed.rows) * len(placed.columns), "heatmap", "heatmaps")
    what = f"{len(placed.rows)} by {len(placed.columns)} {tiles_word} of {row_axis.title} by {column_axis.title}"
    numbers = numbers_in_words(sheet, partial(_cell_in_words, placed, (row_axis, column_axis)), masked)
    panel = build_panel(
        "mosaic",
        traces,
        style,
        title=title,
        alt=f"{title}: {what}{bins_in_words(offsets)}{numbers}",
        weight=40,
        xaxis=x_axis | {"range": [-1, sheet.shape[1]]},
        yaxis=y_axis | {"range": [sheet.shape[0], -1]},
        shapes=[*_frames(placed, grid.selected, colours), *_outlines(marked, placed, grid.selected, colours)],
        margin={"t": 44, "b": 52} if labels_below else {"t": 62, "b": 6},
        uirevision=f"{cells.shape}",
    )
    return replace(panel, rows=row_axis, columns=column_axis, tiles=placed, values=sheet, offsets=offsets, shows=shows,
                   marked=marked)  # fmt: skip


def _sheet(
    tiles: Shaped[np.ndarray, "tile_row tile_column row column"], gap: int
) -> Float[np.ndarray, "sheet_row sheet_column"]:
    """All tiles in one matrix, with NaN in the gaps."""
    down, across, tall, wide = tiles.shape
    padded = np.full((down, across, tall + gap, wide + gap), np.nan, np.float32)
    padded[:, :, :tall, :wide] = tiles
    sheet = padded.swapaxes(1, 2).reshape(down * (tall + gap), across * (wide + gap))
    return sheet[: sheet.shape[0] - gap, : sheet.shape[1] - gap]


def _cell_in_words(tiles: Tiles, axes: tuple[Axis, Axis], row: int, column: int) -> str:
    """The name of a cell of the sheet: "layer 1, head 3, query “it”, key “cat”"."""
    (down, row), (across, column) = divmod(row, tiles.tall + tiles.gap), divmod(column, tiles.wide + tiles.gap)
    titles = ((axis.title, axis.names[tile]) for axis, tile in ((tiles.rows, down), (tiles.columns, across)))
    names = [f"{title} {name}" if name.isdecimal() else name for title, name in titles]
    return ", ".join([*filter(None, names), cell_in_words(axes, row, column)])


def _masked(sheet: Float[np.ndarray, "sheet_row sheet_column"], theme: Theme) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": sheet,
        "colorscale": [[0, theme.masked], [1, theme.masked]],
        "showscale": False,
        "hoverongaps": False,
        "name": "masked",
    }


def _tile_axis(titles: Sequence[str], size: int, gap: int, theme: Theme) -> dict[str, Any]:
    axis = plain_axis("", theme) | {"showgrid": False, "tickmode": "array", "tickangle": 0}
    axis["tickvals"] = [index * (size + gap) + (size - 1) / 2 for index in range(len(titles))]
    axis["ticktext"] = [label(text) for text in titles]
    return axis


def _row_axis(rows: Sequence[str], height: int, theme: Theme, marked: Sequence[int]) -> dict[str, Any]:
    """Labels of as many rows as fit; those of marked rows stay, and their neighbours give way."""
    step = max(1, math.ceil(len(rows) * _LABEL_HEIGHT / height))
    regular = (row for row in range(0, len(rows), step) if all(abs(row - mark) >= step for mark in marked))
    places = sorted({*marked, *regular})
    return _tile_axis([rows[place] for place in places], 1, 0, theme) | {"tickvals": places}


def _frames(tiles: Tiles, selected: tuple[int, int] | None, theme: Theme) -> list[dict[str, Any]]:
    """A frame around each tile, all in one path, which Plotly draws faster than as many shapes. The frame of the
    selected tile is a rectangle of its own, thicker and above the others."""

    def corners(i: int, j: int) -> tuple[float, float, float, float]:
        y0, x0 = i * (tiles.tall + tiles.gap) - 0.5, j * (tiles.wide + tiles.gap) - 0.5
        return x0, y0, x0 + tiles.wide, y0 + tiles.tall

    places = [(i, j) for i in range(len(tiles.rows)) for j in range(len(tiles.columns)) if (i, j) != selected]
    path = "".join(f"M{x0},{y0}H{x1}V{y1}H{x0}Z" for x0, y0, x1, y1 in (corners(i, j) for i, j in places))
    line = {"color": theme.line if tiles.gap else theme.muted, "width": 1}
    frames: list[dict[str, Any]] = [{"type": "path", "path": path, "line": line}] if places else []
    if selected is not None:
        x0, y0, x1, y1 = corners(*selected)
        line = {"color": theme.text, "width": 2}
        frames.append({"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": line})
    return frames


def _outlines(
    marks: Sequence[Mark], tiles: Tiles, selected: tuple[int, int] | None, theme: Theme
) -> list[dict[str, Any]]:
    """A rectangle around each marked row, counted within the selected tile, and each marked column of the sheet."""
    first = selected[0] * (tiles.tall + tiles.gap) if selected else 0
    down, across = len(tiles.rows), len(tiles.columns)
    height, width = down * (tiles.tall + tiles.gap) - tiles.gap, across * (tiles.wide + tiles.gap) - tiles.gap
    line = {"color": theme.text, "width": 1}
    outlines = []
    for row, column in marks:
        x0, x1 = (-0.5, width - 0.5) if column is None else (column - 0.5, column + 0.5)
        y0, y1 = (-0.5, height - 0.5) if row is None else (first + row - 0.5, first + row + 0.5)
        outlines.append({"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": line})
    return outlines
