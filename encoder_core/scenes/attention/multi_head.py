"""Scenes of multi-head attention: Q split into heads, the weights of all heads, and their contributions to the
residual stream."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    MAX_UNBINNED,
    HeatmapStyle,
    Line,
    MosaicStyle,
    Panel,
    TensorSlice,
    ThemeName,
    TileGrid,
    Window,
    colour_limit,
    heatmap,
    largest_magnitude,
    mosaic,
    tile_bin_size,
    tile_titles,
)
from encoder_core.scenes.attention.qkv import side_by_side
from encoder_core.scenes.focus import Focus, layer_slice
from encoder_core.support.wording import numbered

MAX_CELLS = 60_000  # of a mosaic; larger ones have bins, and the page says so
MAX_SPLIT_BINS = 96  # columns of all heads side by side, where Q has too many columns to draw each
MAX_CONTRIBUTION_BINS = 256  # columns of all heads side by side, where d_model is too large to draw each


def head_names(heads: int) -> list[str]:
    """Titles of the tiles: "head 1", "2", "3"; from seven heads on numbers alone, so that they fit above the tiles."""
    return tile_titles("head", heads) if heads <= 6 else [str(head + 1) for head in range(heads)]


def bin_size(count: int) -> int:
    """The number of rows, and of columns, in one cell, if all tiles have `count` weights."""
    return tile_bin_size(count, MAX_CELLS)


def split_window(d_head: int, heads: int) -> Window:
    """The columns of each head's Q: one by one, or in bins where Q is too wide."""
    columns = Window(0, d_head)
    return columns if d_head * heads <= MAX_UNBINNED else columns.fitted(max(1, MAX_SPLIT_BINS // heads))


def contribution_window(columns: Window, d_model: int, heads: int, seq: int) -> Window:
    """The same columns, in as many cells as fit into the tile of a head."""
    max_columns = MAX_CELLS // (heads * seq) if d_model <= MAX_UNBINNED else MAX_CONTRIBUTION_BINS // heads
    return columns.fitted(max(1, max_columns))


def split(
    q: Float[np.ndarray, "seq qkv_dim"],
    q_heads: Float[np.ndarray, "head seq d_head"],
    at: Focus,
    *,
    biased: bool = False,
    theme: ThemeName = "light",
) -> Line:
    """Q of all heads as one matrix → split into heads → merged again, on one colour scale.

    biased  whether Q has a bias, which the title then names
    """
    heads, seq, d_head = q_heads.shape
    columns = split_window(d_head, heads)
    grid = TileGrid([""], head_names(heads), "", selected=(0, at.head), marks=[(at.token, None)])
    style = MosaicStyle(kind="signed", column_axis="dimension", limit=colour_limit(q), height=140,
                        title_colour="query", theme=theme)  # fmt: skip

    def tiles(values: Float[np.ndarray, "head seq d_head"], title: str, gap: int) -> Panel:
        return mosaic(values[None], replace(grid, gap=gap), at.labels, columns, title=title,
                      shows=_head_tiles("q", at), style=style)  # fmt: skip

    def stripes(matrix: Float[np.ndarray, "seq qkv_dim"], title: str) -> Panel:
        return tiles(matrix.reshape(seq, heads, d_head).swapaxes(0, 1), title, gap=0)

    return [
        stripes(q, f"Q = x W_Q{' + b_Q' * biased}: one stripe per head"),
        "split →",
        tiles(q_heads, "Q of each head", gap=max(1, len(columns) // 4)),
        "merge →",
        stripes(side_by_side(q_heads), "merged Q"),
    ]


def all_patterns(
    patterns: Float[np.ndarray, "batch head seq seq"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    at: Focus,
    *,
    title: str,
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights of every head, with heads as columns and sentences as rows of tiles; the selected tile is outlined.

    Several sentences share their axes, so their tokens are numbered instead of named.

    limit  the end of the colour scale
    """
    batch, heads, seq, _ = patterns.shape
    names = list(at.labels) if batch == 1 else [str(token + 1) for token in range(seq)]
    sentences = [""] if batch == 1 else numbered("sentence", batch)
    places = Window(0, seq, bin_size(patterns.size), tuple(names))
    grid = TileGrid(sentences, head_names(heads), "sentence", "head", selected=(at.sentence, at.head))
    style = MosaicStyle(limit=limit, title_colour="attention", theme=theme,
                        height=int(np.clip(batch * 980 / heads, 130, max(230, 70 * batch))))  # fmt: skip
    return [
        mosaic(patterns, grid, places, places, mask=mask,
               title=title + ("" if batch == 1 else ", one row per sentence"),
               shows=TensorSlice("pattern", ("tile row", "tile column", "row", "column"), at.layer), style=style)
    ]  # fmt: skip


def contributions(
    by_head: Float[np.ndarray, "head seq d_model"],
    attn_out: Float[np.ndarray, "seq d_model"],
    at: Focus,
    *,
    biased: bool,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """The contributions z_h W_O,h of all heads; their sum, plus b_O if there is a bias, is attn_out. One colour scale.

    columns  the window of the dimensions that is drawn; None draws all
    """
    heads, seq, d_model = by_head.shape
    columns = columns or Window(0, d_model)
    limit, height = colour_limit(by_head, attn_out), 220
    grid = TileGrid([""], head_names(heads), "", selected=(0, at.head), marks=[(at.token, None)])
    tiles_style = MosaicStyle(kind="signed", row_axis="token", column_axis="dimension", limit=limit, height=height,
                              weight=int(np.clip(14 * heads, 24, 130)), theme=theme)  # fmt: skip
    return [
        mosaic(by_head[None], grid, at.labels, contribution_window(columns, d_model, heads, seq),
               title="z W_O of each head", shows=_head_tiles("head_contributions", at), style=tiles_style),
        "Σ + b\n=" if biased else "Σ =",
        heatmap(attn_out, at.labels, columns, title="attn_out", marks=[(at.token, None)],
                shows=layer_slice("attn_out", at), style=HeatmapStyle(limit=limit, height=height, theme=theme)),
    ]  # fmt: skip


def contribution_lengths(lengths: Float[np.ndarray, "head seq"], at: Focus, *, theme: ThemeName = "light") -> Line:
    """The length of each head's contribution to each token."""
    style = HeatmapStyle(row_axis="head", column_axis="token", kind="lengths", limit=largest_magnitude(lengths),
                         height=max(64, min(16 * len(lengths), 220)), theme=theme)  # fmt: skip
    title = "length of each head's contribution to each token"
    marks = [(at.head, None), (at.head, at.token)]
    return [heatmap(lengths, head_names(len(lengths)), at.labels, title=title, marks=marks, style=style)]


def difference(
    before: Float[np.ndarray, "seq d_model"],
    after: Float[np.ndarray, "seq d_model"],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """before − after = difference, on one colour scale.

    titles   of `before` and of `after`
    columns  the window of the dimensions that is drawn; None draws all
    """
    change = before - after
    style = HeatmapStyle(limit=colour_limit(before, after, change), height=220, theme=theme)
    return [
        heatmap(before, tokens, columns, title=titles[0], style=style),
        "−",
        heatmap(after, tokens, columns, title=titles[1], style=style),
        "=",
        heatmap(change, tokens, columns, title="difference", style=style),
    ]


def _head_tiles(tensor: str, at: Focus) -> TensorSlice:
    """The rows of all heads of a sentence, one column of tiles for each head."""
    return TensorSlice(tensor, (at.sentence, "tile column", "row", "column"), at.layer)
