"""Scenes of the full stack: attention of all heads, its rollout, and the residual stream from layer to layer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    AxisMeaning,
    Line,
    Product,
    ResidualStages,
    TensorSlice,
    ThemeName,
    Window,
    curves,
    dimensions,
    heatmap,
    mosaic,
    row_bars,
    scale_of,
)
from encoder_core.figures.axis import AxisKind
from encoder_core.scenes.position import Position, head_slice, text_slice

HEIGHT = 320
STATES_HEIGHT = 210  # so that one token through the layers is in sight below it
MOST_ACROSS = 400  # cells of all stages beside each other: with more of them, one could not be clicked
BINS_ACROSS = 240  # of those that are bins
MOST_CELLS = 25_000  # of a mosaic: with more of them, a cell would be smaller than a pixel


def every_head(
    patterns: Float[np.ndarray, "layer head query key"],
    visible: Bool[np.ndarray, "layer head query key"],
    at: Position,
    *,
    limits: tuple[float, float],
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The weights of every head of every layer as small tiles, and one of them enlarged.

    limits  the ends of the colour scales of the tiles and of the enlarged one.
    """
    titles = "Every head of every layer", f"Layer {at.layer + 1}, head {at.head + 1}"
    tiles = TensorSlice("pattern", (at.sentence, "tile column", "row", "column"), layer="tile row")
    slices = tiles, head_slice("pattern", at)
    return _tiles(patterns, visible, (at.layer, at.head), ("layer", "head"), titles, slices, limits, tokens, at.token,
                  theme)  # fmt: skip


def head_averages(
    averages: Float[np.ndarray, "layer query key"],
    visible: Bool[np.ndarray, "layer query key"],
    at: Position,
    *,
    limits: tuple[float, float],
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The weights averaged over the heads, a tile a layer, and one of them enlarged; `limits` as in `every_head`."""
    titles = "Average over the heads, layer by layer", f"Layer {at.layer + 1}"
    return _tiles(averages[None], visible[None], (0, at.layer), ("", "layer"), titles, (None, None), limits, tokens,
                  at.token, theme)  # fmt: skip


def cells_in_one(count: int) -> int:
    """How many cells, down and across, become one of a small tile, where there are `count` cells in all."""
    return math.ceil(math.sqrt(count / MOST_CELLS)) if count > MOST_CELLS else 1


def _tiles(
    weights: Float[np.ndarray, "tile_row tile_column query key"],
    visible: Bool[np.ndarray, "tile_row tile_column query key"],
    selected: tuple[int, int],
    axes: tuple[AxisKind, AxisKind],
    titles: tuple[str, str],
    slices: tuple[TensorSlice | None, TensorSlice | None],
    limits: tuple[float, float],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName,
) -> Line:
    """All tiles, and the selected one enlarged beside them; `axes` is what rows and columns of tiles stand for."""
    down, across, seq, _ = weights.shape
    places = Window(0, seq, cells_in_one(weights.size), tuple(tokens))
    sheet = mosaic(
        weights, _tile_titles(axes[0], down), _tile_titles(axes[1], across), title=titles[0], rows=places,
        columns=places, tile_row_axis=axes[0], tile_column_axis=axes[1], limit=limits[0], mask=visible,
        selected=selected, shows=slices[0], height=HEIGHT + 28, weight=int(1.5 * np.clip(seq, 12, 40)), theme=theme,
    )  # fmt: skip
    enlarged = heatmap(
        weights[selected], tokens, tokens, title=titles[1], row_axis="query", column_axis="key", kind="weights",
        limit=limits[1], mask=visible[selected], marks=[(token, None)], shows=slices[1], height=HEIGHT,
        theme=theme,
    )  # fmt: skip
    return [sheet, enlarged]


def _tile_titles(axis: str, count: int) -> list[str]:
    return [f"{axis} 1", *dimensions(count - 1, 2)] if axis else [""]


def rollout(
    step: Float[np.ndarray, "query key"],
    before: Float[np.ndarray, "token input"],
    after: Float[np.ndarray, "token input"],
    at: Position,
    *,
    limit: float,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """One layer's step · what was rolled out before = what is rolled out now, and of that the share of each input."""
    number, row = at.layer + 1, [(at.token, None)]
    square: dict[str, Any] = {"row_axis": "query", "kind": "weights", "limit": limit, "height": HEIGHT, "theme": theme}
    rolled = {**square, "column_axis": "input token"}
    earlier = f"rolled out to layer {at.layer}" if at.layer else "input: I"
    return [
        heatmap(step, tokens, tokens, title=f"½ average + ½ I, layer {number}", column_axis="key", marks=row, **square),
        "·",
        heatmap(before, tokens, tokens, title=earlier, **rolled),
        "=",
        heatmap(after, tokens, tokens, title=f"rolled out to layer {number}", marks=row, product=Product(0, 1),
                **rolled),
        row_bars(100 * after[at.token], tokens, title="share, %", row_axis="input token",
                 span=(0.0, 100 * float(after[at.token].max())), marks=[at.token], colour="attention",
                 decimals=1, height=HEIGHT, theme=theme),
    ]  # fmt: skip


def of_stage(columns: Window, stages: int) -> Window:
    """What is drawn of each of the stages: the dimensions one by one, or all of them in bins that have room."""
    one_by_one = columns.size == 1 and len(columns) * stages <= MOST_ACROSS
    return columns if one_by_one else columns.fitted(max(4, BINS_ACROSS // stages))


def stage_axis(blocks: int, final_norm: bool = False) -> AxisMeaning:
    """The stages of the residual stream: a click selects the block that made a stage, the first one for what enters it,
    the last one for what the final norm makes of it."""
    makers = [0, *range(blocks), *([blocks - 1] if final_norm else [])]
    return AxisMeaning("stage", selects=[{"layer": layer} for layer in makers])


def hidden_states(
    stages: Float[np.ndarray, "stage seq d_model"],
    columns: Window,
    at: Position,
    *,
    final_norm: bool,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The residual stream of all tokens at every stage, side by side; that after the layer looked at is outlined."""
    blocks = len(stages) - 1 - final_norm
    names = ["embedded", *_tile_titles("block", blocks), *(["final norm"] if final_norm else [])]
    return [
        mosaic(stages[None], [""], names, title="Hidden states, layer by layer", rows=tokens,
               columns=of_stage(columns, len(stages)), row_axis="token", column_axis="dimension", tile_row_axis="",
               tile_column_axis=stage_axis(blocks, final_norm), kind="signed", limit=scale_of(stages),
               selected=(0, at.layer + 1), shows=ResidualStages(at.sentence, blocks), height=STATES_HEIGHT, theme=theme)
    ]  # fmt: skip


def one_token(
    stages: Float[np.ndarray, "stage seq d_model"],
    names: Sequence[str],
    columns: Window,
    at: Position,
    *,
    final_norm: bool,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """One token's row of the residual stream, stage below stage, and its length. The scale is that of all tokens."""
    rows, title = stages[:, at.token], f"“{tokens[at.token]}” through the layers"
    lengths, blocks = np.linalg.norm(rows, axis=-1), len(stages) - 1 - final_norm
    common: dict[str, Any] = {"row_axis": stage_axis(blocks, final_norm), "height": 20 * len(stages), "theme": theme}
    return [
        heatmap(rows, names, columns, title=title, limit=scale_of(stages), marks=[(at.layer + 1, None)],
                shows=ResidualStages(at.sentence, blocks, at.token), **common),
        row_bars(lengths, names, title="length", span=(0.0, float(lengths.max()) or 1.0), colour="muted", **common),
    ]  # fmt: skip


def similarity(
    series: Mapping[str, Float[np.ndarray, "stage"]],
    between: Float[np.ndarray, "stage token token"],
    names: Sequence[str],
    at: Position,
    *,
    tokens: Sequence[str],
    places: Sequence[int],
    theme: ThemeName = "light",
) -> Line:
    """Mean cosines as curves over the stages, and the cosine of each token with each, embedded → after a block.

    places  where the tokens stand in their sentence: padding is left out
    """
    lowest = min(0.0, float(np.nanmin(list(series.values())))) - 0.05
    of_rows, layer = AxisMeaning("token", selects=[{"token": place} for place in places]), at.layer
    square: dict[str, Any] = {"row_axis": of_rows, "column_axis": "other token", "limit": 1.0, "height": HEIGHT,
                              "theme": theme}  # fmt: skip
    marks = [(row, None) for row, place in enumerate(places) if place == at.token]
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
    at: Position,
    *,
    enters: str,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """What enters the first block → what leaves the last one, and the cosine of the two; `enters` says what it is."""
    common: dict[str, Any] = {"height": HEIGHT, "theme": theme}
    signed: dict[str, Any] = {"limit": scale_of(embedded, output), "marks": [(at.token, None)], **common}
    span = (min(0.0, float(cosine.min())), 1.0)
    return [
        heatmap(embedded, tokens, columns, title=f"Embedded: {enters}", shows=text_slice("embedded", at), **signed),
        "→",
        heatmap(output, tokens, columns, title="Output: a token in its context", shows=text_slice("output", at),
                **signed),
        row_bars(cosine, tokens, title="cosine", row_axis="token", span=span, marks=[at.token], **common),
    ]  # fmt: skip
