"""Scenes of words: where one of them looks, what heads look at, the same word in two sentences, sentences compared."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis.language import HeadRoles
from encoder_core.figures import (
    AxisMeaning,
    Line,
    Selection,
    TensorSlice,
    ThemeName,
    Window,
    curves,
    dimensions,
    heatmap,
    mosaic,
    row_bars,
    scale_of,
    series_colours,
    theme_named,
)
from encoder_core.figures.base import shorten
from encoder_core.scenes.position import Position

HEIGHT = 320
CONTROL = "different words, mean"
MOST_WRITTEN = 8  # sentences whose cosines have room to be written into their cells


def one_word(
    weights: Float[np.ndarray, "layer head key"],
    visible: Bool[np.ndarray, "layer head key"],
    at: Position,
    *,
    limits: tuple[float, float],
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """One query's weights: a row a head, grouped by layer; then those to one key, layer by head.

    limits  the ends of the two colour scales
    """
    layers, heads, _ = weights.shape
    names, key = (dimensions(layers, 1), dimensions(heads, 1)), at.key_token
    rows = TensorSlice("pattern", (at.sentence, "row", at.token, "column"), layer="tile row")
    to_one = TensorSlice("pattern", (at.sentence, "column", at.token, key), layer="row")
    return [
        mosaic(
            weights[:, None], [f"layer {name}" for name in names[0]], [""], rows=names[1], columns=tokens,
            title=f"Where “{shorten(tokens[at.token])}” looks: a row for each head", row_axis="head",
            tile_column_axis="", mask=visible[:, None], selected=(at.layer, 0),
            marks=[(at.head, None), (None, key)], limit=limits[0], shows=rows, weight=44, height=HEIGHT, theme=theme,
        ),
        heatmap(
            weights[:, :, key], *names, title=f"… of that, to “{shorten(tokens[key])}”", row_axis="layer",
            column_axis="head", kind="weights", limit=limits[1], marks=[(at.layer, at.head)],
            mask=visible[:, :, key], shows=to_one, height=HEIGHT, theme=theme,
        ),
    ]  # fmt: skip


def head_roles(
    found: HeadRoles, role: str, at: Position, *, spoken: str, limit: float, theme: ThemeName = "light"
) -> Line:
    """The mean weights of all heads in one role, and the strongest head of each role; a click on a role selects it.

    spoken  what the heads look at in this role, for the title
    limit   the end of the colour scale
    """
    weights, index = found.weights[found.roles.index(role)], found.roles.index(role)
    largest, strongest = found.weights.max(axis=(1, 2)), [found.strongest(name) for name in found.roles]
    of_roles: list[Selection] = [{"role": i, "layer": layer, "head": head} for i, (layer, head) in enumerate(strongest)]
    return [
        heatmap(
            weights, dimensions(len(weights), 1), dimensions(weights.shape[1], 1), row_axis="layer",
            column_axis="head", title=f"Mean weight to {spoken}", kind="weights", limit=limit,
            marks=[(at.layer, at.head)], height=HEIGHT, theme=theme,
        ),
        row_bars(
            largest, found.roles, title="strongest head of each role", row_axis=AxisMeaning("role", selects=of_roles),
            ends=found.uniform, marks=[index], colour="attention", foot="❘ uniform attention",
            weight=8, height=HEIGHT, theme=theme,
        ),
    ]  # fmt: skip


def same_word(
    series: Mapping[str, Float[np.ndarray, "stage"]],
    control: Float[np.ndarray, "stage"] | None,
    between: Float[np.ndarray, "stage token"],
    stages: Sequence[str],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> Line:
    """Cosines of a word with itself elsewhere, as curves over the stages; then with all tokens of one other sentence.

    control  the cosines of different words, if there are any
    between  with each of `tokens`, among which the word itself stands at `token`
    titles   of the curves and of the heatmap
    """
    drawn = dict(series) if control is None else {**series, CONTROL: control}
    lowest = min(0.0, *(float(values.min()) for values in drawn.values())) - 0.05
    muted = theme_named(theme).muted
    hues = [hue for hue in series_colours(theme_named(theme)) if hue != muted][: len(series)]
    return [
        curves(drawn, stages, colours=[*hues, muted], title=titles[0], x_axis="", y_axis="cosine",
               y_range=(lowest, 1.05), height=HEIGHT - 24, theme=theme),
        heatmap(between, stages, tokens, title=titles[1], row_axis="stage", column_axis="other token", limit=1.0,
                marks=[(None, token)], height=HEIGHT, theme=theme),
    ]  # fmt: skip


def sentences(
    vectors: Float[np.ndarray, "sentence d_model"],
    similar: Float[np.ndarray, "sentence sentence"],
    columns: Window,
    *,
    sentence: int,
    theme: ThemeName = "light",
) -> Line:
    """The vectors of all sentences, a window of their dimensions; the product with its transpose is their cosines."""
    names = dimensions(len(vectors), 1)
    common: dict[str, Any] = {"row_axis": "sentence", "height": HEIGHT, "theme": theme}
    return [
        heatmap(vectors, names, columns, title="V: a vector a sentence, of length 1",
                limit=scale_of(vectors), marks=[(sentence, None)], weight=30, **common),
        "· Vᵀ =",
        heatmap(similar, names, names, title="Cosine of each with each", column_axis="other sentence",
                limit=1.0, marks=[(sentence, None)], weight=20, show_values=len(names) <= MOST_WRITTEN, **common),
    ]  # fmt: skip
