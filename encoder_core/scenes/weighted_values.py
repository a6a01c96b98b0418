"""Scenes of the weighted values: value rows mixed into a row of z, and one number of it."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from encoder_core.figures import ThemeName, dimensions, format_fixed, heatmap, limit_of, row_bars, scale_of, span_of
from encoder_core.scenes.softmax import weight_bars, weight_map


def mixture(
    weights: Float[np.ndarray, "query key"],
    v: Float[np.ndarray, "key d_head"],
    z: Float[np.ndarray, "query d_head"],
    visible: Bool[np.ndarray, "query key"],
    *,
    tokens: Sequence[str],
    query: int,
    key: int,
    dimension: int,
    limit: float,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The weights of `query` × V = the weighted rows, whose sum is its row of z.

    V and z have one scale; the weighted rows, which are small parts, have their own; weights run from 0 to `limit`.
    """
    row, dims = weights[query], dimensions(v.shape[1])
    products, of_values = row[:, None] * v, scale_of(v, z)
    by_key = partial(heatmap, rows=tokens, columns=dims, row_axis="key", marks=[(key, None), (None, dimension)],
                     theme=theme)  # fmt: skip
    return [
        weight_map(weights, visible, tokens=tokens, marks=[(query, None)], limit=limit, theme=theme),
        "→",
        weight_bars(row, visible[query], title="one row", tokens=tokens, key=key, weight=10 + len(dims) // 16,
                    theme=theme),
        "×",
        by_key(v, title="V", title_colour="value", limit=of_values),
        "=",
        by_key(products, title="weighted", limit=limit_of(products)),
        "Σ →",
        heatmap(z, tokens, dims, title="z", row_axis="query", limit=of_values, product_of=(0, 2),
                marks=[(query, None), (query, dimension)], theme=theme),
    ]  # fmt: skip


def one_number(
    weights: Float[np.ndarray, "key"],
    values: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    z: float,
    *,
    dimension: int,
    tokens: Sequence[str],
    key: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """weight × value of every key, added up to one number `z`: a dot product as columns of bars."""
    products = weights * values
    running = np.cumsum(products)
    starts = np.concatenate([[0], running[:-1]]).astype(np.float32)
    column = partial(row_bars, rows=tokens, hidden=~visible, marks=[key], theme=theme)
    part = partial(column, span=span_of(products, running), decimals=3)
    return [
        weight_bars(weights, visible, tokens=tokens, key=key, theme=theme),
        "×",
        column(values, title=f"value, dimension {dimension}", title_colour="value", decimals=3, span=span_of(values)),
        "=",
        part(products, title="weight × value", foot=f"sum {format_fixed(products.sum())}"),
        "→",
        part(running, title="added up, key after key", starts=starts, foot=f"ends at z = {format_fixed(z)}"),
    ]
