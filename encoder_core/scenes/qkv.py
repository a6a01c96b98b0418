"""The scene of queries, keys and values: one x, three matrices, three results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures import (
    AxisMeaning,
    HeadsSideBySide,
    Line,
    ThemeName,
    Window,
    heatmap,
    parameter_slice,
    scale_of,
    theme_named,
)
from encoder_core.scenes.position import Position, block_slice

LETTERS = {"query": "Q", "key": "K", "value": "V"}


def side_by_side(heads: Float[np.ndarray, "head seq d_head"]) -> Float[np.ndarray, "seq qkv_dim"]:
    """The rows of all heads beside each other, as the linear layer gave them."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def projections(
    x: Float[np.ndarray, "seq d_model"],
    kernels: Mapping[str, Float[np.ndarray, "d_model qkv_dim"]],
    results: Mapping[str, Float[np.ndarray, "seq qkv_dim"]],
    at: Position,
    *,
    owned: range,
    dims: Window,
    features: Window | None,
    biased: bool,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """x · W_Q, W_K, W_V = Q, K, V: the columns `owned` by the head, or those of all heads with these marked.

    `kernels` and `results` are by name: query, key, value. One scale for the kernels, one for what they make of x.
    dims      the dimensions of x that are drawn: columns of x, rows of the kernels
    features  the columns of all heads that are drawn; None draws those that the head owns
    """
    columns = features or Window(owned.start, owned.stop)
    marks = [(at.token, None)]
    of_x = AxisMeaning("dimension", "dimension of x")
    weights: dict[str, Any] = {"row_axis": of_x, "limit": scale_of(*kernels.values())}
    outputs: dict[str, Any] = {"limit": scale_of(*results.values()), "marks": marks}

    def of(name: str) -> dict[str, Any]:
        flags = dict.fromkeys(owned, getattr(theme_named(theme), name)) if features else None
        return {"title_colour": name, "column_flags": flags, "theme": theme}

    return [
        heatmap(x, tokens, dims, title="x", marks=marks, shows=block_slice("attn_in", at), theme=theme),
        "·",
        *(heatmap(kernel, dims, columns, title=f"W_{LETTERS[name]}",
                  shows=parameter_slice(f"layers.{at.layer}.attention.{name}.kernel"), **weights, **of(name))
          for name, kernel in kernels.items()),
        "+ b\n=" if biased else "=",
        *(heatmap(result, tokens, columns, title=LETTERS[name],
                  shows=HeadsSideBySide(LETTERS[name].lower(), at.sentence, at.layer, len(owned)),
                  **outputs, **of(name))
          for name, result in results.items()),
    ]  # fmt: skip
