"""Scenes of the weighted values: the rows of V summed into a row of z, and one number of that row."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    HeatmapStyle,
    Line,
    Product,
    RowBarsDetails,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    colour_limit,
    dimensions,
    heatmap,
    largest_magnitude,
    row_bars,
    span_of,
)
from encoder_core.scenes.attention.softmax import weight_bars, weight_map
from encoder_core.scenes.focus import Focus, head_slice
from encoder_core.support.number_format import format_number
from encoder_core.support.read_only import compared_by_identity

_SMALLEST_WITH_DECIMALS = 0.01  # columns of smaller numbers, of a head with a small factor, would be zeros


@compared_by_identity
class HeadWeights(NamedTuple):
    """The attention weights of one head, the keys that each query sees, and the end of the colour scale."""

    pattern: Float[np.ndarray, "query key"]
    visible: Bool[np.ndarray, "query key"]
    limit: float = 1.0


def mixture(
    weights: HeadWeights,
    v: Float[np.ndarray, "key d_head"],
    z: Float[np.ndarray, "query d_head"],
    at: Focus,
    *,
    dimension: int,
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """The weights of one query × V = the weighted rows; their sum is its row of z.

    V and z share one colour scale. The weighted rows have their own, because they are smaller.

    factor  the factor of the head, where an edit sets one
    """
    query, key = at.token, at.key_token
    row, visible, dims = weights.pattern[query], weights.visible, dimensions(v.shape[1])
    products = np.float32(factor) * row[:, None] * v
    z_style = HeatmapStyle(row_axis="query", limit=colour_limit(v, z), theme=theme)
    v_style = replace(z_style, row_axis="key", title_colour="value")
    products_style = HeatmapStyle(row_axis="key", limit=largest_magnitude(products), theme=theme)
    key_and_dimension = [(key, None), (None, dimension)]
    return [
        weight_map(weights.pattern, visible, at, marks=[(query, None), (query, key)], limit=weights.limit, theme=theme),
        "→",
        weight_bars(row, visible[query], at, title="one row", panel_weight=10 + len(dims) // 16, theme=theme),
        "×",
        heatmap(v, at.labels, dims, title="V", marks=key_and_dimension, shows=head_slice("v", at), style=v_style),
        _equals(factor),
        heatmap(products, at.labels, dims, title=_times(factor) + "weighted", marks=key_and_dimension,
                style=products_style),
        "Σ →",
        heatmap(z, at.labels, dims, title="z", marks=[(query, None), (query, dimension)], shows=head_slice("z", at),
                style=z_style).with_product(Product(0, 2, factor)),
    ]  # fmt: skip


def one_number(
    weights: Float[np.ndarray, "key"],
    values: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    z: float,
    at: Focus,
    *,
    dimension: int,
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """weight × value of every key and their running sum, which ends at `z`: a dot product as columns of bars.

    factor  the factor of the head, where an edit sets one
    """
    products = np.float32(factor) * weights * values
    running = np.cumsum(products)
    starts = np.concatenate([[0], running[:-1]]).astype(np.float32)
    column = partial(row_bars, rows=at.labels, mask=visible, marks=[at.key_token])
    values_style = RowBarsStyle(title_colour="value", decimals=3, span=span_of(values), theme=theme)
    span = span_of(products, running)
    decimals = 3 if max(map(abs, span)) >= _SMALLEST_WITH_DECIMALS else None
    sum_style = RowBarsStyle(decimals=decimals, span=span, theme=theme)
    return [
        weight_bars(weights, visible, at, theme=theme),
        "×",
        column(values, title=f"value, dimension {dimension}", style=values_style,
               shows=TensorSlice("v", (at.sentence, at.head, "row", dimension), at.layer)),
        _equals(factor),
        column(products, title=_times(factor) + "weight × value", style=sum_style,
               details=RowBarsDetails(footer=f"sum {sum_style.format(products.sum())}")),
        "→",
        column(running, title="running sum over keys", style=sum_style,
               details=RowBarsDetails(starts=starts, footer=f"ends at z = {sum_style.format(z)}")),
    ]  # fmt: skip


def _equals(factor: float) -> str:
    """The sign between two factors and their product, which the factor of the head multiplies where it is not 1."""
    return "=" if factor == 1 else f"× {format_number(factor, 3)}\n="


def _times(factor: float) -> str:
    """The factor of the head as a prefix of a product; empty where it is 1."""
    return "" if factor == 1 else f"{format_number(factor, 3)} × "
