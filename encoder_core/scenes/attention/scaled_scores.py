"""The scene of the scaled scores: the product of every query with every key, then the scale, then the mask."""

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.figures import HeatmapStyle, Line, Product, ThemeName, colour_limit, dimensions, heatmap
from encoder_core.scenes.focus import Focus, head_slice


class Scale(NamedTuple):
    """The factor of the dot products, 1/√d_head or 1, and the divisor as it is written ("√64"); "" where there is
    none."""

    factor: float
    divisor: str


def step_by_step(
    q: Float[np.ndarray, "query d_head"],
    k: Float[np.ndarray, "key d_head"],
    dots: Float[np.ndarray, "query key"],
    scores: Float[np.ndarray, "query key"],
    at: Focus,
    *,
    scale: Scale,
    set_by_hand: Collection[tuple[int, int]] = (),
    own_scales: bool = False,
    theme: ThemeName = "light",
) -> Line:
    """Q · Kᵀ = dot products → scaled → masked.

    Q and K share one colour scale. The three steps share another, so that scaling fades their colours.

    set_by_hand  the scores (query, key) that an edit has set
    own_scales   the dot products have a colour scale of their own, so that small differences of scores are visible
    """
    dims, cell, scaled = dimensions(q.shape[1]), [(at.token, at.key_token)], np.float32(scale.factor) * dots
    factors = HeatmapStyle(limit=colour_limit(q, k), theme=theme)
    by_query = HeatmapStyle(row_axis="query", column_axis="key", theme=theme)
    dots_style, scores_style = (
        replace(by_query, limit=colour_limit(*shown))
        for shown in (([dots], [scaled, scores]) if own_scales else [[dots, scaled, scores]] * 2)
    )
    shows = head_slice("scores", at)
    title = f"Q Kᵀ / {scale.divisor}" if scale.divisor else "Q Kᵀ, not scaled"
    return [
        heatmap(q, at.labels, dims, title="Q", marks=[(at.token, None)], shows=head_slice("q", at),
                style=replace(factors, title_colour="query", row_axis="query")),
        "·",
        heatmap(k.T, dims, at.labels, title="Kᵀ", marks=[(None, at.key_token)],
                shows=head_slice("k", at, transposed=True),
                style=replace(factors, title_colour="key", row_axis="dimension", column_axis="key")),
        "=",
        heatmap(dots, at.labels, at.labels, title="Q Kᵀ", marks=cell, shows=head_slice("dot_products", at),
                style=dots_style).with_product(Product(0, 1)),
        "→",
        heatmap(scaled, at.labels, at.labels, title=title, marks=cell, shows=replace(shows, step=0),
                style=scores_style).with_product(Product(0, 1, scale.factor)),
        "→",
        heatmap(scores, at.labels, at.labels, title="masked", marks=cell, shows=shows,
                style=scores_style).with_product(Product(0, 1, scale.factor), set_by_hand),
    ]  # fmt: skip
