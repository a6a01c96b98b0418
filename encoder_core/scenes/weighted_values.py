"""Scenes of the weighted values: value rows mixed into a row of z, and one number of it."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    Line,
    Product,
    TensorSlice,
    ThemeName,
    dimensions,
    format_fixed,
    format_number,
    heatmap,
    limit_of,
    row_bars,
    scale_of,
    span_of,
)
from encoder_core.scenes.position import Position, head_slice
from encoder_core.scenes.softmax import weight_bars, weight_map


def mixture(
    weights: Float[np.ndarray, "query key"],
    v: Float[np.ndarray, "key d_head"],
    z: Float[np.ndarray, "query d_head"],
    visible: Bool[np.ndarray, "query key"],
    at: Position,
    *,
    tokens: Sequence[str],
    dimension: int,
    limit: float,
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """The weights of one query × V = the weighted rows, whose sum is its row of z.

    V and z have one scale; the weighted rows, which are small parts, have their own; weights run from 0 to `limit`.
    An edit may have given the head a `factor`.
    """
    query, key = at.token, at.key_token
    row, dims = weights[query], dimensions(v.shape[1])
    products, of_values = np.float32(factor) * row[:, None] * v, scale_of(v, z)
    by_key = partial(heatmap, rows=tokens, columns=dims, row_axis="key", marks=[(key, None), (None, dimension)],
                     theme=theme)  # fmt: skip
    return [
        weight_map(weights, visible, at, tokens=tokens, marks=[(query, None), (query, key)], limit=limit, theme=theme),
        "→",
        weight_bars(row, visible[query], at, title="one row", tokens=tokens, weight=10 + len(dims) // 16,
                    theme=theme),
        "×",
        by_key(v, title="V", title_colour="value", limit=of_values, shows=head_slice("v", at)),
        "=",
        by_key(products, title=_times(factor) + "weighted", limit=limit_of(products)),
        "Σ →",
        heatmap(z, tokens, dims, title="z", row_axis="query", limit=of_values, product=Product(0, 2, factor),
                shows=head_slice("z", at), marks=[(query, None), (query, dimension)], theme=theme),
    ]  # fmt: skip


def one_number(
    weights: Float[np.ndarray, "key"],
    values: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    z: float,
    at: Position,
    *,
    dimension: int,
    tokens: Sequence[str],
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """weight × value of every key, added up to one number `z`: a dot product as columns of bars.

    factor  what an edit multiplies the head with
    """
    products = np.float32(factor) * weights * values
    running = np.cumsum(products)
    starts = np.concatenate([[0], running[:-1]]).astype(np.float32)
    column = partial(row_bars, rows=tokens, hidden=~visible, marks=[at.key_token], theme=theme)
    of_values = TensorSlice("v", (at.sentence, at.head, "row", dimension), at.layer)
    part = partial(column, span=span_of(products, running), decimals=3)
    return [
        weight_bars(weights, visible, at, tokens=tokens, theme=theme),
        "×",
        column(values, title=f"value, dimension {dimension}", title_colour="value", decimals=3,
               span=span_of(values), shows=of_values),
        "=",
        part(products, title=_times(factor) + "weight × value", foot=f"sum {format_fixed(products.sum())}"),
        "→",
        part(running, title="added up, key after key", starts=starts, foot=f"ends at z = {format_fixed(z)}"),
    ]  # fmt: skip


def _times(factor: float) -> str:
    """The factor of the head before a product, where there is one."""
    return "" if factor == 1 else f"{format_number(factor, 3)} × "
