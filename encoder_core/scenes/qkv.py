"""The scene of queries, keys and values: one x, three matrices, three results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures import ThemeName, dimensions, heatmap, scale_of, theme_named

LETTERS = {"query": "Q", "key": "K", "value": "V"}


def side_by_side(heads: Float[np.ndarray, "head seq d_head"]) -> Float[np.ndarray, "seq qkv_dim"]:
    """The rows of all heads beside each other, as the linear layer gave them."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def projections(
    x: Float[np.ndarray, "seq d_model"],
    kernels: Mapping[str, Float[np.ndarray, "d_model qkv_dim"]],
    results: Mapping[str, Float[np.ndarray, "seq qkv_dim"]],
    *,
    owned: range,
    whole: bool,
    biased: bool,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """x · W_Q, W_K, W_V = Q, K, V: the columns `owned` by the head, or the `whole` matrices with those marked.

    `kernels` and `results` are by name: query, key, value. One scale for the kernels, one for what they make of x.
    """
    d_model, qkv_dim = next(iter(kernels.values())).shape
    columns = range(qkv_dim) if whole else owned
    shown, dims = slice(columns.start, columns.stop), dimensions(d_model)
    marks, names = [(token, None)], dimensions(len(columns), start=columns.start)
    weights: dict[str, Any] = {"row_axis": "dimension of x", "limit": scale_of(*kernels.values())}
    outputs: dict[str, Any] = {"limit": scale_of(*results.values()), "marks": marks}

    def of(name: str) -> dict[str, Any]:
        flags = dict.fromkeys(owned, getattr(theme_named(theme), name)) if whole else None
        return {"title_colour": name, "column_flags": flags, "theme": theme}

    return [
        heatmap(x, tokens, dims, title="x", marks=marks, theme=theme),
        "·",
        *(heatmap(kernel[:, shown], dims, names, title=f"W_{LETTERS[name]}", **weights, **of(name))
          for name, kernel in kernels.items()),
        "+ b\n=" if biased else "=",
        *(heatmap(result[:, shown], tokens, names, title=LETTERS[name], **outputs, **of(name))
          for name, result in results.items()),
    ]  # fmt: skip
