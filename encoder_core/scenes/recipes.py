"""Scenes of the recipes: the figures of the tutorials, the effect of a variant, and dropout."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import numerical_rank, singular_values
from encoder_core.figures import (
    HeatmapStyle,
    Line,
    MosaicStyle,
    Panel,
    Product,
    RowBarsDetails,
    RowBarsStyle,
    ThemeName,
    TileGrid,
    Window,
    dimensions,
    heatmap,
    largest_magnitude,
    mosaic,
    row_bars,
)
from encoder_core.scenes.attention.multi_head import bin_size
from encoder_core.scenes.attention.softmax import pattern_style
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import numbered

HEIGHT = 230


def attention(
    weights: Float[np.ndarray, "query key"],
    visible: Bool[np.ndarray, "query key"],
    v: Float[np.ndarray, "key d_head"],
    z: Float[np.ndarray, "query d_head"],
    *,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> Line:
    """Weights · V = weighted values; V and z share one colour scale."""
    dims, marks = dimensions(v.shape[1]), [(token, None)]
    z_style = HeatmapStyle(row_axis="query", limit=largest_magnitude(v, z), height=HEIGHT, theme=theme)
    v_style = replace(z_style, row_axis="key", title_colour="value")
    weights_style = replace(pattern_style(theme), title_colour="attention", height=HEIGHT)
    return [
        heatmap(weights, tokens, tokens, title="attention weights", mask=visible, marks=marks, style=weights_style),
        "·",
        heatmap(v, tokens, dims, title="V", style=v_style),
        "=",
        heatmap(z, tokens, dims, title="weighted values", marks=marks, style=z_style).with_product(Product(0, 1)),
    ]


def attention_vector(
    columns: Mapping[str, Float[np.ndarray, "key"]],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The weights of one query as columns of bars, one for each title ("layer 4, head 2"); the largest is outlined."""
    style = RowBarsStyle(title_colour="attention", colour="attention", numbers_width=0.15, weight=20,
                         height=20 * len(tokens), theme=theme)  # fmt: skip
    return [
        row_bars(weights, tokens, title=title, marks=[int(weights.argmax())],
                 details=RowBarsDetails(footer=f"sum {weights.sum():.2f}"), style=style)
        for title, weights in columns.items()
    ]  # fmt: skip


def averages_by_layer(
    patterns: Float[np.ndarray, "layer batch query key"],
    visible: Bool[np.ndarray, "layer batch query key"],
    *,
    tokens: Sequence[str],
    selected: tuple[int, int],
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights averaged over the heads, with layers as columns and sentences as rows of tiles.

    tokens    the names of the positions, for all sentences
    selected  (sentence, layer)
    limit     the end of the colour scale
    """
    layers, batch = patterns.shape[:2]
    places = Window(0, len(tokens), bin_size(patterns.size), tuple(tokens))
    sentences = numbered("sentence", batch) if batch > 1 else [""]
    grid = TileGrid(sentences, numbered("layer", layers), "sentence", "layer", selected=selected)
    style = MosaicStyle(limit=limit, title_colour="attention", theme=theme,
                        height=int(np.clip(batch * 640 / layers, 170, max(260, 70 * batch))))  # fmt: skip
    return [
        mosaic(patterns.swapaxes(0, 1), grid, places, places, title="weights, averaged over the heads",
               mask=visible.swapaxes(0, 1), style=style)
    ]  # fmt: skip


def in_and_out(
    embedded: Float[np.ndarray, "seq d_model"],
    output: Float[np.ndarray, "seq width"],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    token: int,
    columns: Sequence[str] = (),
    theme: ThemeName = "light",
) -> Line:
    """The input of the model → its output, each with its own colour scale.

    columns  the names of the columns of the output, which are ids; () numbers them as dimensions
    """
    style, marks = HeatmapStyle(height=HEIGHT, theme=theme), [(token, None)]
    output_style = replace(style, column_axis="id") if columns else style
    return [
        heatmap(embedded, tokens, title=titles[0], marks=marks, style=style),
        "→",
        heatmap(output, tokens, list(columns) or None, title=titles[1], marks=marks,
                style=output_style),
    ]  # fmt: skip


def effect(
    intended: Float[np.ndarray, "row column"],
    written: Float[np.ndarray, "row column"],
    *,
    tensor: str,
    tokens: Sequence[str],
    weights: bool,
    theme: ThemeName = "light",
) -> Line:
    """One tensor as the text intends it ≠ as the code computes it, and their difference if the shapes agree.

    weights  whether the columns are keys and the values weights from 0 to 1; otherwise they are dimensions and signed
    """
    limit = largest_magnitude(intended, written)
    pattern = replace(pattern_style(theme), limit=1.0, height=HEIGHT)
    style = pattern if weights else HeatmapStyle(limit=limit, height=HEIGHT, theme=theme)
    columns = tokens if weights else None
    parts: Line = [
        heatmap(intended, tokens, columns, title=f"{tensor}, as intended", style=style),
        "≠",
        heatmap(written, tokens, columns, title="as written", style=style),
    ]
    if intended.shape == written.shape:
        change = written - intended
        change_style = replace(style, kind="signed", limit=largest_magnitude(change) if weights else limit)
        parts += ["Δ", heatmap(change, tokens, columns, title="written − intended", style=change_style)]
    return parts


def one_affine_map(
    two_layers: Float[np.ndarray, "seq d_model"],
    one_map: Float[np.ndarray, "seq d_model"],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The output of two linear layers = that of one affine map, and their difference with its own colour scale."""
    change = two_layers - one_map
    style = HeatmapStyle(limit=largest_magnitude(two_layers, one_map), height=HEIGHT, theme=theme)
    change_style = replace(style, limit=largest_magnitude(change))
    return [
        heatmap(two_layers, tokens, title="two linear layers", style=style),
        "=",
        heatmap(one_map, tokens, title="one affine map", style=style),
        "Δ",
        heatmap(change, tokens, title="difference, own scale", style=change_style),
    ]


def rank_of_head(
    dot_products: Mapping[str, Float[np.ndarray, "query key"]],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """Q K^T of one head for each title ("d_head 4"), and its singular values as fractions of the largest one.

    The rank is the number of singular values above the rounding noise.
    """
    numbers = [str(number + 1) for number in range(len(tokens))]
    style = HeatmapStyle(row_axis="query", column_axis="key", height=HEIGHT, theme=theme)
    values_style = RowBarsStyle(row_axis="", colour="attention", height=HEIGHT, theme=theme)
    parts: list[Panel | str] = []
    for title, dots in dot_products.items():
        values = singular_values(dots)
        parts += [
            *(["|"] if parts else []),
            heatmap(dots, tokens, tokens, title=f"Q Kᵀ, {title}", style=replace(style, limit=largest_magnitude(dots))),
            "→",
            row_bars(values / (values.max() or 1.0), numbers, title="singular values",
                     details=RowBarsDetails(footer=f"rank {numerical_rank(dots)}"), style=values_style),
        ]  # fmt: skip
    return parts


def dropout(
    evaluation: Float[np.ndarray, "row column"],
    kept: Bool[np.ndarray, "row column"],
    training: Float[np.ndarray, "row column"],
    *,
    scale: float,
    tensor: str,
    rows: Sequence[str],
    columns: Sequence[str] | Window,
    style: HeatmapStyle,
) -> Line:
    """A tensor in evaluation ⊙ the random mask (dropped cells hatched) × `scale` → the tensor in training.

    `evaluation` and `training` share one colour scale. If earlier tensors have dropout, too, the kept numbers differ by
    more than the factor `scale`.

    style  the axes of the tensor, its kind and the theme
    """
    style = replace(style, limit=largest_magnitude(evaluation, training), height=HEIGHT)
    return [
        heatmap(evaluation, rows, columns, title=f"{tensor} in evaluation", style=style),
        "⊙",
        heatmap(np.ones_like(evaluation), rows, columns, title="kept", mask=kept,
                style=replace(style, kind="weights", limit=2.0, has_scale=False)),
        f"× {format_number(scale, 3)} →",
        heatmap(training, rows, columns, title=f"{tensor} in training", style=style),
    ]  # fmt: skip
