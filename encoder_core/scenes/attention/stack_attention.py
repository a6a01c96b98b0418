"""Scenes of the attention of the full stack: the weights of all heads, their averages, and the rollout."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    HeatmapStyle,
    Line,
    MosaicStyle,
    Panel,
    Product,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    TileGrid,
    Window,
    heatmap,
    mosaic,
    row_bars,
    tile_bin_size,
    tile_titles,
)
from encoder_core.scenes.attention.softmax import pattern_style
from encoder_core.scenes.focus import Focus, head_slice, layer_slice
from encoder_core.support.wording import head_name

HEIGHT = 320
MAX_CELLS = 25_000  # of a mosaic; more cells would be smaller than a pixel


def every_head(
    patterns: Float[np.ndarray, "layer head query key"],
    visible: Bool[np.ndarray, "layer head query key"],
    at: Focus,
    *,
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights of every head of every layer as small tiles, and the selected head enlarged.

    limit  the end of the colour scale of both panels: a tile and the enlarged head have the same colours
    """
    layers, heads = patterns.shape[:2]
    grid = TileGrid(tile_titles("layer", layers), tile_titles("head", heads), selected=(at.layer, at.head))
    shows = TensorSlice("pattern", (at.sentence, "tile column", "row", "column"), layer="tile row")
    return [
        _tiles(patterns, visible, grid, at, title="every head of every layer", shows=shows,
               limit=limit, theme=theme),
        _enlarged(patterns[at.layer, at.head], visible[at.layer, at.head], at,
                  title=head_name(at.layer, at.head), shows=head_slice("pattern", at),
                  limit=limit, theme=theme),
    ]  # fmt: skip


def head_averages(
    averages: Float[np.ndarray, "layer query key"],
    visible: Bool[np.ndarray, "layer query key"],
    at: Focus,
    *,
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights averaged over the heads, one tile for each layer, and the selected layer enlarged.

    limit  the end of the colour scale of both panels
    """
    grid = TileGrid([""], tile_titles("layer", len(averages)), "", "layer", selected=(0, at.layer))
    shows = TensorSlice("mean_pattern", (at.sentence, "row", "column"), layer="tile column")
    return [
        _tiles(averages[None], visible[None], grid, at, title="average over the heads, layer by layer", shows=shows,
               limit=limit, theme=theme),
        _enlarged(averages[at.layer], visible[at.layer], at, title=f"layer {at.layer + 1}",
                  shows=layer_slice("mean_pattern", at), limit=limit, theme=theme),
    ]  # fmt: skip


def bin_size(count: int) -> int:
    """The number of rows, and of columns, in one cell of a small tile, if all tiles have `count` weights."""
    return tile_bin_size(count, MAX_CELLS)


def _tiles(
    weights: Float[np.ndarray, "tile_row tile_column query key"],
    visible: Bool[np.ndarray, "tile_row tile_column query key"],
    grid: TileGrid,
    at: Focus,
    *,
    title: str,
    shows: TensorSlice,
    limit: float,
    theme: ThemeName,
) -> Panel:
    seq = len(at.labels)
    places = Window(0, seq, bin_size(weights.size), tuple(at.labels))
    style = MosaicStyle(limit=limit, theme=theme, height=HEIGHT + 28, weight=int(1.5 * np.clip(seq, 12, 40)))
    panel = mosaic(weights, grid, places, places, title=title, mask=visible, shows=shows, style=style)
    return replace(panel, opens_next=True)


def _enlarged(
    weights: Float[np.ndarray, "query key"],
    visible: Bool[np.ndarray, "query key"],
    at: Focus,
    *,
    title: str,
    shows: TensorSlice,
    limit: float,
    theme: ThemeName,
) -> Panel:
    style, marks = replace(pattern_style(theme), limit=limit, height=HEIGHT), [(at.token, None)]
    return heatmap(weights, at.labels, at.labels, title=title, mask=visible, marks=marks, shows=shows, style=style)


def rollout(
    step: Float[np.ndarray, "query key"],
    before: Float[np.ndarray, "token input"],
    after: Float[np.ndarray, "token input"],
    at: Focus,
    *,
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The step of one layer · the rollout before it = the rollout after it, and the shares of the selected token."""
    number, row = at.layer + 1, [(at.token, None)]
    earlier = f"rollout to layer {at.layer}" if at.layer else "input: I"
    style = HeatmapStyle(row_axis="query", column_axis="input token", kind="weights", limit=limit, height=HEIGHT,
                         theme=theme)  # fmt: skip
    shares, largest = 100 * after[at.token], 100 * float(after[at.token].max())
    shows_before = TensorSlice("rollout", (at.sentence, "row", "column"), at.layer - 1) if at.layer else None
    shows_row = TensorSlice("rollout", (at.sentence, at.token, "row"), at.layer, factor=100.0)
    shares_style = RowBarsStyle(row_axis="input token", span=(0.0, largest), colour="attention", decimals=1,
                                height=HEIGHT, theme=theme)  # fmt: skip
    return [
        heatmap(step, at.labels, at.labels, title=f"½ average + ½ I, layer {number}", marks=row,
                shows=layer_slice("rollout_step", at), style=replace(style, column_axis="key")),
        "·",
        heatmap(before, at.labels, at.labels, title=earlier, shows=shows_before, style=style),
        "=",
        heatmap(after, at.labels, at.labels, title=f"rollout to layer {number}", marks=row,
                shows=layer_slice("rollout", at), style=style).with_product(Product(0, 1)),
        row_bars(shares, at.labels, title="share, %", marks=[at.token], shows=shows_row, style=shares_style),
    ]  # fmt: skip
