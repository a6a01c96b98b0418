"""The scene of the scaled scores: every query with every key, then the division, then the mask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures import ThemeName, dimensions, heatmap, scale_of


def step_by_step(
    q: Float[np.ndarray, "query d_head"],
    k: Float[np.ndarray, "key d_head"],
    dots: Float[np.ndarray, "query key"],
    scaled: Float[np.ndarray, "query key"],
    scores: Float[np.ndarray, "query key"],
    *,
    divisor: str,
    tokens: Sequence[str],
    query: int,
    key: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Q · Kᵀ = dot products → scaled → masked: Q and K on one scale, the three steps on another."""
    dims, cell = dimensions(q.shape[1]), (query, key)
    of_factors: dict[str, Any] = {"limit": scale_of(q, k), "theme": theme}
    of_steps: dict[str, Any] = {"row_axis": "query", "column_axis": "key", "limit": scale_of(dots, scaled),
                                "marks": [cell], "theme": theme}  # fmt: skip
    scale = 1.0 if divisor == "1" else q.shape[1] ** -0.5
    return [
        heatmap(q, tokens, dims, title="Q", title_colour="query", row_axis="query", marks=[(query, None)],
                **of_factors),
        "·",
        heatmap(k.T, dims, tokens, title="Kᵀ", title_colour="key", row_axis="dimension", column_axis="key",
                marks=[(None, key)], **of_factors),
        "=",
        heatmap(dots, tokens, tokens, title="Q Kᵀ", product_of=(0, 1), **of_steps),
        "→",
        heatmap(scaled, tokens, tokens, title=f"Q Kᵀ / {divisor}", product_of=(0, 1, scale), **of_steps),
        "→",
        heatmap(scores, tokens, tokens, title="masked", product_of=(0, 1, scale), **of_steps),
    ]  # fmt: skip
