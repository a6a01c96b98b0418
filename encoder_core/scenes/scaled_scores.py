"""The scene of the scaled scores: every query with every key, then the division, then the mask."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures import Line, Product, ThemeName, dimensions, heatmap, scale_of
from encoder_core.scenes.position import Position, head_slice


def step_by_step(
    q: Float[np.ndarray, "query d_head"],
    k: Float[np.ndarray, "key d_head"],
    dots: Float[np.ndarray, "query key"],
    scores: Float[np.ndarray, "query key"],
    at: Position,
    *,
    divisor: str,
    scale: float,
    set_by_hand: Collection[tuple[int, int]] = (),
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """Q · Kᵀ = dot products → scaled → masked. Q and K are on one scale, scaled and masked on another; the dot products
    have their own, because beside them everything that is divided would be pale.

    scale        what the dot products are multiplied with, 1/√d_head or 1; `divisor` says it in words
    set_by_hand  the scores (query, key) that an edit has set
    """
    dims, cell, scaled = dimensions(q.shape[1]), (at.token, at.key_token), np.float32(scale) * dots
    of_factors: dict[str, Any] = {"limit": scale_of(q, k), "theme": theme}
    of_steps: dict[str, Any] = {"row_axis": "query", "column_axis": "key", "marks": [cell], "theme": theme}
    product, limit, shows = Product(0, 1, scale), scale_of(scaled, scores), head_slice("scores", at)
    return [
        heatmap(q, tokens, dims, title="Q", title_colour="query", row_axis="query", marks=[(at.token, None)],
                shows=head_slice("q", at), **of_factors),
        "·",
        heatmap(k.T, dims, tokens, title="Kᵀ", title_colour="key", row_axis="dimension", column_axis="key",
                marks=[(None, at.key_token)], shows=head_slice("k", at, transposed=True), **of_factors),
        "=",
        heatmap(dots, tokens, tokens, title="Q Kᵀ", limit=scale_of(dots), product=Product(0, 1),
                shows=head_slice("dot_products", at), **of_steps),
        "→",
        heatmap(scaled, tokens, tokens, title=f"Q Kᵀ / {divisor}", limit=limit, product=product,
                shows=replace(shows, step=0), **of_steps),
        "→",
        heatmap(scores, tokens, tokens, title="masked", limit=limit, product=product, set_by_hand=set_by_hand,
                shows=shows, **of_steps),
    ]  # fmt: skip
