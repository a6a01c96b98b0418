"""Scenes of words: the attention of one word, head roles, the kinds of pairs that a head connects, one word in several
sentences, and sentence vectors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis.language import HeadRoles, PairKind
from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    Line,
    MosaicStyle,
    PanelStyle,
    RowBarsDetails,
    RowBarsStyle,
    Selection,
    TensorSlice,
    ThemeName,
    TileGrid,
    Window,
    colour_limit,
    curves,
    dimensions,
    heatmap,
    mosaic,
    row_bars,
    series_colours,
    theme_named,
)
from encoder_core.scenes.focus import Focus
from encoder_core.support.wording import numbered, shorten

HEIGHT = 320
_KIND_HEIGHT = 26  # pixels of a kind of pair
CONTROL = "different words, mean"
MAX_WRITTEN = 8  # sentences; the cosines of more do not fit into their cells


def one_word(
    weights: Float[np.ndarray, "layer head key"],
    visible: Bool[np.ndarray, "layer head key"],
    at: Focus,
    *,
    limit: float,
    keys: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """The weights of one query: one row for each head, grouped by layer; then its weights on one key, layers by heads.

    limit  the end of the colour scale of both panels
    keys   the keys that are drawn; None draws all
    """
    layers, heads, _ = weights.shape
    layer_names, head_names, key = dimensions(layers, 1), dimensions(heads, 1), at.key_token
    all_keys = TensorSlice("pattern", (at.sentence, "row", at.token, "column"), layer="tile row")
    one_key = TensorSlice("pattern", (at.sentence, "column", at.token, key), layer="row")
    grid = TileGrid(numbered("layer", layers), [""], "layer", "", selected=(at.layer, 0),
                    marks=[(at.head, None), (None, key)])  # fmt: skip
    key_style = HeatmapStyle(row_axis="layer", column_axis="head", kind="weights", limit=limit, height=HEIGHT,
                             theme=theme)  # fmt: skip
    return [
        mosaic(weights[:, None], grid, head_names, keys or at.labels, mask=visible[:, None], shows=all_keys,
               title=f"weights of the query “{shorten(at.labels[at.token])}”: one row per head",
               style=MosaicStyle(row_axis="head", limit=limit, weight=44, height=HEIGHT, theme=theme)),
        heatmap(weights[:, :, key], layer_names, head_names, title=f"key “{shorten(at.labels[key])}”",
                mask=visible[:, :, key], marks=[(at.layer, at.head)], shows=one_key, style=key_style),
    ]  # fmt: skip


def head_roles(
    measured: HeadRoles, role: str, at: Focus, *, description: str, limit: float, theme: ThemeName = "light"
) -> Line:
    """The mean weights of all heads in one role, and the strongest head of each role; a click on a role selects it.

    description  the keys that the role attends to, for the title
    limit        the end of the colour scale
    """
    index = measured.roles.index(role)
    weights, largest = measured.weights[index], measured.weights.max(axis=(1, 2))
    strongest = [measured.strongest(name) for name in measured.roles]
    selects: list[Selection] = [{"role": i, "layer": layer, "head": head} for i, (layer, head) in enumerate(strongest)]
    layer_names, head_names = dimensions(len(weights), 1), dimensions(weights.shape[1], 1)
    weights_style = HeatmapStyle(row_axis="layer", column_axis="head", kind="weights", limit=limit, height=HEIGHT,
                                 theme=theme)  # fmt: skip
    roles_style = RowBarsStyle(row_axis=AxisMeaning("role", selects=selects), colour="attention", weight=8,
                               height=HEIGHT, theme=theme)  # fmt: skip
    return [
        heatmap(weights, layer_names, head_names, title=f"mean weight on {description}", marks=[(at.layer, at.head)],
                style=weights_style),
        row_bars(largest, measured.roles, title="strongest head of each role", marks=[index],
                 details=RowBarsDetails(references=measured.uniform, footer="❘ uniform attention"), style=roles_style),
    ]  # fmt: skip


def head_pairs(kinds: Sequence[PairKind], kind: int, *, title: str, theme: ThemeName = "light") -> Line:
    """The share of each kind of pair among the strongest weights of a head's queries; a click on a kind selects it."""
    shares, uniform = (
        np.array(values, np.float32) for values in zip(*((k.share, k.uniform) for k in kinds), strict=True)
    )
    names = [k.kind for k in kinds]
    selects: list[Selection] = [{"role": index} for index in range(len(kinds))]
    style = RowBarsStyle(row_axis=AxisMeaning("role", "", selects), colour="attention", numbers_width=0.2,
                         height=_KIND_HEIGHT * len(kinds), theme=theme,
                         alt=f"{title}: " + ", ".join(f"{k.kind} {k.share:.2f}" for k in kinds))  # fmt: skip
    details = RowBarsDetails(references=uniform, footer="❘ with a random key")
    return [row_bars(shares, names, title=title, marks=[kind], details=details, style=style)]


def same_word(
    series: Mapping[str, Float[np.ndarray, "stage"]],
    control: Float[np.ndarray, "stage"] | None,
    cosines: Float[np.ndarray, "stage token"],
    stages: Sequence[str],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> Line:
    """Cosines of a word with itself in other sentences, as curves over the stages; then with all tokens of one of them.

    control  the mean cosine of different words, or None
    cosines  with each of `tokens`, the other sentence; the word itself is its token `token`
    titles   of the curves and of the heatmap
    """
    all_series = dict(series) if control is None else {**series, CONTROL: control}
    lowest = min(0.0, *(float(values.min()) for values in all_series.values())) - 0.05
    muted = theme_named(theme).muted
    colours = [colour for colour in series_colours(theme_named(theme)) if colour != muted][: len(series)]
    style = HeatmapStyle(row_axis="stage", column_axis="other token", limit=1.0, height=HEIGHT, theme=theme)
    return [
        curves(all_series, stages, title=titles[0], x_axis="", y_axis="cosine", y_range=(lowest, 1.05),
               colours=[*colours, muted], style=PanelStyle(height=HEIGHT - 24, theme=theme)),
        heatmap(cosines, stages, tokens, title=titles[1], marks=[(None, token)], style=style),
    ]  # fmt: skip


def sentences(
    vectors: Float[np.ndarray, "sentence d_model"],
    cosines: Float[np.ndarray, "sentence sentence"],
    columns: Window,
    *,
    sentence: int,
    theme: ThemeName = "light",
) -> Line:
    """The vectors of all sentences, in a window of their dimensions; their product with the transpose is `cosines`."""
    names, marks = dimensions(len(vectors), 1), [(sentence, None)]
    style = HeatmapStyle(row_axis="sentence", height=HEIGHT, theme=theme)
    vectors_style = replace(style, limit=colour_limit(vectors), weight=30)
    cosines_style = replace(style, column_axis="other sentence", limit=1.0, weight=20,
                            show_values=len(names) <= MAX_WRITTEN)  # fmt: skip
    return [
        heatmap(vectors, names, columns, title="S: one unit vector per sentence", marks=marks, style=vectors_style),
        "· Sᵀ =",
        heatmap(cosines, names, names, title="cosine of each pair", marks=marks, style=cosines_style),
    ]
