"""Scenes of the recipes: the tutorials' own figures, what a quirk changes, and what dropout drops."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import numerical_rank, singular_values
from encoder_core.figures import (
    Line,
    Panel,
    Product,
    ThemeName,
    Window,
    dimensions,
    format_number,
    heatmap,
    limit_of,
    mosaic,
    row_bars,
)
from encoder_core.figures.axis import AxisKind
from encoder_core.scenes.multi_head import block_of

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
    """Weights · V = weighted values; V and z on one scale."""
    dims, limit = dimensions(v.shape[1]), limit_of(v, z)
    common: dict[str, Any] = {"marks": [(token, None)], "height": HEIGHT, "theme": theme}
    return [
        heatmap(weights, tokens, tokens, title="attention weights", row_axis="query", column_axis="key",
                kind="weights", mask=visible, title_colour="attention", **common),
        "·",
        heatmap(v, tokens, dims, title="V", row_axis="key", limit=limit, title_colour="value", height=HEIGHT,
                theme=theme),
        "=",
        heatmap(z, tokens, dims, title="weighted values", row_axis="query", limit=limit,
                product=Product(0, 1), **common),
    ]  # fmt: skip


def attention_vector(
    columns: Mapping[str, Float[np.ndarray, "key"]],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """The weights of one query, one column of bars a title ("layer 4, head 2"); the largest of each is outlined."""
    return [
        row_bars(
            weights, tokens, title=title, title_colour="attention", colour="attention", row_axis="key",
            marks=[int(weights.argmax())], room=0.15, weight=20, foot=f"sum {weights.sum():.2f}",
            height=20 * len(tokens), theme=theme,
        )
        for title, weights in columns.items()
    ]  # fmt: skip


def averages_by_block(
    patterns: Float[np.ndarray, "layer batch query key"],
    visible: Bool[np.ndarray, "layer batch query key"],
    *,
    tokens: Sequence[str],
    selected: tuple[int, int],
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights averaged over the heads: blocks across, sentences down; `selected` is (sentence, layer).

    tokens  names of the places of all sentences
    limit   the end of the colour scale
    """
    layers, batch = patterns.shape[:2]
    places = Window(0, len(tokens), block_of(patterns.size), tuple(tokens))
    return [
        mosaic(
            patterns.swapaxes(0, 1), [f"sentence {i + 1}" for i in range(batch)] if batch > 1 else [""],
            [f"block {i + 1}" for i in range(layers)], title="weights, averaged over the heads",
            title_colour="attention", rows=places, columns=places, tile_row_axis="sentence",
            tile_column_axis="layer", limit=limit, mask=visible.swapaxes(0, 1), selected=selected,
            height=int(np.clip(batch * 640 / layers, 170, max(260, 70 * batch))), theme=theme,
        ),
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
    """What goes in → what comes out, each on a scale of its own; `columns` name those of the output."""
    common: dict[str, Any] = {"marks": [(token, None)], "height": HEIGHT, "theme": theme}
    return [
        heatmap(embedded, tokens, dimensions(embedded.shape[1]), title=titles[0], **common),
        "→",
        heatmap(output, tokens, list(columns) or dimensions(output.shape[1]), title=titles[1],
                column_axis="id" if columns else "dimension", **common),
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
    """One tensor as the text intends it, as the code computes it, and, where the shapes agree, their difference.

    weights  the columns are keys and the values weights from 0 to 1; else they are dimensions and signed
    """
    alike = intended.shape == written.shape
    limit = limit_of(intended, written)
    kind: dict[str, Any] = {"height": HEIGHT, "theme": theme, "row_axis": "query" if weights else "token"}
    kind |= {"kind": "weights", "column_axis": "key", "limit": 1.0} if weights else {"limit": limit}

    def drawn(values: Float[np.ndarray, "row column"], title: str, **other: Any) -> Panel:
        columns = tokens if weights else dimensions(values.shape[1])
        return heatmap(values, tokens, columns, title=title, **kind | other)

    parts: Line = [drawn(intended, f"{tensor}, as intended"), "≠", drawn(written, "as written")]
    if alike:
        apart = written - intended
        parts += ["Δ", drawn(apart, "written − intended", kind="signed", limit=limit_of(apart) if weights else limit)]
    return parts


def one_affine_map(
    two_layers: Float[np.ndarray, "seq d_model"],
    one_map: Float[np.ndarray, "seq d_model"],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """What two linear layers give = what one affine map gives, and their difference on a scale of its own."""
    dims, limit = dimensions(two_layers.shape[1]), limit_of(two_layers, one_map)
    common: dict[str, Any] = {"height": HEIGHT, "theme": theme}
    apart = two_layers - one_map
    return [
        heatmap(two_layers, tokens, dims, title="two linear layers", limit=limit, **common),
        "=",
        heatmap(one_map, tokens, dims, title="one affine map", limit=limit, **common),
        "Δ",
        heatmap(apart, tokens, dims, title="difference, own scale", limit=limit_of(apart), **common),
    ]


def rank_of_head(
    dot_products: Mapping[str, Float[np.ndarray, "query key"]],
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """Q K^T of one head for each title ("d_head 4"), and its singular values as fractions of the largest: those above
    the rounding noise are its rank."""
    numbers = [str(number + 1) for number in range(len(tokens))]
    parts: list[Panel | str] = []
    for title, dots in dot_products.items():
        values = singular_values(dots)
        parts += [
            *(["|"] if parts else []),
            heatmap(dots, tokens, tokens, title=f"Q Kᵀ, {title}", row_axis="query", column_axis="key",
                    limit=limit_of(dots), height=HEIGHT, theme=theme),
            "→",
            row_bars(values / (values.max() or 1.0), numbers, title="singular values", row_axis="",
                     colour="attention", foot=f"rank {numerical_rank(dots)}", height=HEIGHT, theme=theme),
        ]  # fmt: skip
    return parts


def dropped(
    evaluation: Float[np.ndarray, "row column"],
    kept: Bool[np.ndarray, "row column"],
    training: Float[np.ndarray, "row column"],
    *,
    scale: float,
    tensor: str,
    tokens: Sequence[str],
    columns: Sequence[str] | Window,
    column_axis: AxisKind,
    weights: bool = False,
    theme: ThemeName = "light",
) -> Line:
    """A tensor in evaluation, the mask that was drawn (dropped cells hatched), and the tensor in training.

    `evaluation` and `training` share one scale. Where earlier places drop numbers, too, the kept ones differ by more
    than the factor `scale`.
    """
    rows: AxisKind = "query" if weights else "token"
    common: dict[str, Any] = {"row_axis": rows, "column_axis": column_axis, "limit": limit_of(evaluation, training),
                              "kind": "weights" if weights else "signed", "height": HEIGHT, "theme": theme}  # fmt: skip
    return [
        heatmap(evaluation, tokens, columns, title=f"{tensor} in evaluation", **common),
        "⊙",
        heatmap(np.ones_like(evaluation), tokens, columns, title="kept", row_axis=rows, column_axis=column_axis,
                kind="weights", limit=2.0, mask=kept, height=HEIGHT, theme=theme),
        f"× {format_number(scale, 3)} →",
        heatmap(training, tokens, columns, title=f"{tensor} in training", **common),
    ]  # fmt: skip
