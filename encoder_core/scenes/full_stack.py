"""Scenes of the full stack: attention of all heads, its rollout, and the residual stream from layer to layer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from encoder_core.analysis import pooled
from encoder_core.figures import ThemeName, Window, curves, dimensions, heatmap, mosaic, row_bars, scale_of

HEIGHT = 320
STATES_HEIGHT = 210  # so that one token through the layers is in sight below it
MOST_ACROSS = 400  # cells of all stages beside each other: with more of them, one could not be clicked
BINS_ACROSS = 240  # of those that are bins
MOST_CELLS = 25_000  # of a mosaic: with more of them, a cell would be smaller than a pixel


def every_head(
    patterns: Float[np.ndarray, "layer head query key"],
    mask: Bool[np.ndarray, "head query key"],
    *,
    layer: int,
    head: int,
    limits: tuple[float, float],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The weights of every head of every layer as small tiles, and one of them enlarged.

    limits  the ends of the colour scales of the tiles and of the enlarged one.
    """
    titles = "Every head of every layer", f"Layer {layer + 1}, head {head + 1}"
    visible = np.broadcast_to(mask, patterns.shape)
    return _tiles(patterns, visible, (layer, head), ("layer", "head"), titles, limits, tokens, token, theme)


def head_averages(
    averages: Float[np.ndarray, "layer query key"],
    mask: Bool[np.ndarray, "head query key"],
    *,
    layer: int,
    limits: tuple[float, float],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The weights averaged over the heads, a tile a layer, and one of them enlarged; `limits` as in `every_head`."""
    titles = "Average over the heads, layer by layer", f"Layer {layer + 1}"
    visible = np.broadcast_to(mask.any(axis=0), averages.shape)
    return _tiles(averages[None], visible[None], (0, layer), ("", "layer"), titles, limits, tokens, token, theme)


def cells_in_one(count: int) -> int:
    """How many cells, down and across, become one of a small tile, where there are `count` cells in all."""
    return math.ceil(math.sqrt(count / MOST_CELLS)) if count > MOST_CELLS else 1


def _tiles(
    weights: Float[np.ndarray, "tile_row tile_column query key"],
    visible: Bool[np.ndarray, "tile_row tile_column query key"],
    selected: tuple[int, int],
    axes: tuple[str, str],
    titles: tuple[str, str],
    limits: tuple[float, float],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName,
) -> list[go.Figure | str]:
    """All tiles, and the selected one enlarged beside them; `axes` is what rows and columns of tiles stand for."""
    down, across, seq, _ = weights.shape
    size = cells_in_one(weights.size)
    labels = [tokens[i] if size == 1 else f"{i + 1} to {min(i + size, seq)}" for i in range(0, seq, size)]
    sheet = mosaic(
        pooled(weights, size), _tile_titles(axes[0], down), _tile_titles(axes[1], across), title=titles[0],
        rows=labels, columns=labels, tile_row_axis=axes[0], tile_column_axis=axes[1], limit=limits[0],
        mask=pooled(visible, size), selected=selected, height=HEIGHT + 28, weight=int(1.5 * np.clip(seq, 12, 40)),
        theme=theme,
    )  # fmt: skip
    enlarged = heatmap(
        weights[selected], tokens, tokens, title=titles[1], row_axis="query", column_axis="key", kind="weights",
        limit=limits[1], mask=visible[selected], marks=[(token, None)], height=HEIGHT, theme=theme,
    )  # fmt: skip
    return [sheet, enlarged]


def _tile_titles(axis: str, count: int) -> list[str]:
    return [f"{axis} 1", *dimensions(count - 1, 2)] if axis else [""]


def rollout(
    step: Float[np.ndarray, "query key"],
    before: Float[np.ndarray, "token input"],
    after: Float[np.ndarray, "token input"],
    *,
    layer: int,
    limit: float,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """One layer's step · what was rolled out before = what is rolled out now, and of that the share of each input."""
    number, row = layer + 1, [(token, None)]
    square: dict[str, Any] = {"row_axis": "query", "kind": "weights", "limit": limit, "height": HEIGHT, "theme": theme}
    rolled = {**square, "column_axis": "input token"}
    earlier = f"rolled out to layer {layer}" if layer else "input: I"
    return [
        heatmap(step, tokens, tokens, title=f"½ average + ½ I, layer {number}", column_axis="key", marks=row, **square),
        "·",
        heatmap(before, tokens, tokens, title=earlier, **rolled),
        "=",
        heatmap(after, tokens, tokens, title=f"rolled out to layer {number}", marks=row, **rolled),
        row_bars(100 * after[token], tokens, title="share, %", row_axis="input token",
                 span=(0, 100 * float(after[token].max())), marks=[token], colour="attention", decimals=1,
                 height=HEIGHT, theme=theme),
    ]  # fmt: skip


def of_stage(columns: Window, stages: int) -> Window:
    """What is drawn of each of the stages: the dimensions one by one, or all of them in bins that have room."""
    one_by_one = columns.size == 1 and len(columns) * stages <= MOST_ACROSS
    return columns if one_by_one else columns.fitted(max(4, BINS_ACROSS // stages))


def hidden_states(
    stages: Float[np.ndarray, "stage seq d_model"],
    columns: Window,
    *,
    final_norm: bool,
    layer: int,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The residual stream of all tokens at every stage, side by side; that after the layer looked at is outlined."""
    blocks = len(stages) - 1 - final_norm
    names = ["embedded", *_tile_titles("block", blocks), *(["final norm"] if final_norm else [])]
    return [
        mosaic(stages[None], [""], names, title="Hidden states, layer by layer", rows=tokens,
               columns=of_stage(columns, len(stages)), row_axis="token", column_axis="dimension", tile_row_axis="",
               tile_column_axis="stage", kind="signed", limit=scale_of(stages), selected=(0, layer + 1),
               height=STATES_HEIGHT, theme=theme)
    ]  # fmt: skip


def one_token(
    stages: Float[np.ndarray, "stage seq d_model"],
    names: Sequence[str],
    columns: Window,
    *,
    layer: int,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """One token's row of the residual stream, stage below stage, and its length. The scale is that of all tokens."""
    rows, title = stages[:, token], f"“{tokens[token]}” through the layers"
    lengths = np.linalg.norm(rows, axis=-1)
    common: dict[str, Any] = {"row_axis": "stage", "height": 20 * len(stages), "theme": theme}
    return [
        heatmap(rows, names, columns, title=title, limit=scale_of(stages), marks=[(layer + 1, None)], **common),
        row_bars(lengths, names, title="length", span=(0, float(lengths.max()) or 1.0), colour="muted", **common),
    ]  # fmt: skip


def similarity(
    series: Mapping[str, Float[np.ndarray, "stage"]],
    between: Float[np.ndarray, "stage token token"],
    names: Sequence[str],
    *,
    layer: int,
    tokens: Sequence[str],
    token: int | None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Mean cosines as curves over the stages, and the cosine of each token with each, embedded → after a block."""
    lowest = min(0.0, float(np.nanmin(list(series.values())))) - 0.05
    square: dict[str, Any] = {"column_axis": "token", "limit": 1.0, "height": HEIGHT, "theme": theme}
    marks = [] if token is None else [(token, None)]
    return [
        curves(series, names, title="Cosine with …, by layer", x_axis="", y_axis="cosine", height=HEIGHT - 24,
               y_range=(lowest, 1.05), theme=theme),
        heatmap(between[0], tokens, tokens, title="Tokens with each other: embedded", marks=marks, **square),
        "→",
        heatmap(between[layer + 1], tokens, tokens, title=f"after block {layer + 1}", marks=marks, **square),
    ]  # fmt: skip


def in_and_out(
    embedded: Float[np.ndarray, "seq d_model"],
    output: Float[np.ndarray, "seq d_model"],
    cosine: Float[np.ndarray, "seq"],
    columns: Window,
    *,
    enters: str,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """What enters the first block → what leaves the last one, and the cosine of the two; `enters` says what it is."""
    common: dict[str, Any] = {"height": HEIGHT, "theme": theme}
    signed: dict[str, Any] = {"limit": scale_of(embedded, output), "marks": [(token, None)], **common}
    span = (min(0.0, float(cosine.min())), 1.0)
    return [
        heatmap(embedded, tokens, columns, title=f"Embedded: {enters}", **signed),
        "→",
        heatmap(output, tokens, columns, title="Output: a token in its context", **signed),
        row_bars(cosine, tokens, title="cosine", row_axis="token", span=span, marks=[token], **common),
    ]
