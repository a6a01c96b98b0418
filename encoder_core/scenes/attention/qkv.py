"""The scene of queries, keys and values: one x, three matrices, three results."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.figures import (
    AxisMeaning,
    HeadsSideBySide,
    HeatmapStyle,
    Line,
    ThemeName,
    Window,
    colour_limit,
    heatmap,
    parameter_slice,
)
from encoder_core.scenes.focus import Focus, layer_slice
from encoder_core.support.read_only import compared_by_identity

LETTERS = {"query": "Q", "key": "K", "value": "V"}


@compared_by_identity
class Projection(NamedTuple):
    """The kernel of a linear layer, and its result for one sentence."""

    kernel: Float[np.ndarray, "d_model qkv_dim"]
    result: Float[np.ndarray, "seq qkv_dim"]


def side_by_side(heads: Float[np.ndarray, "head seq d_head"]) -> Float[np.ndarray, "seq qkv_dim"]:
    """The rows of all heads side by side, as in the output of the linear layer."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def projections(
    x: Float[np.ndarray, "seq d_model"],
    by_name: Mapping[str, Projection],
    at: Focus,
    *,
    head_columns: range,
    dims: Window,
    features: Window | None,
    biased: bool,
    theme: ThemeName = "light",
) -> Line:
    """x · W_Q, W_K, W_V = Q, K, V: the columns of one head, or of all heads with those of the selected head marked.

    by_name       the projections query, key, value. Their kernels share one colour scale, their results another
    head_columns  the columns of the selected head
    dims          the dimensions of x that are drawn: columns of x, rows of the kernels
    features      the columns of all heads that are drawn; None draws those of the selected head
    """
    columns = features or Window(head_columns.start, head_columns.stop)
    marks = [(at.token, None)]
    style = HeatmapStyle(theme=theme)
    # Their numbers are those of the kernels' columns. Within its head, column 45 can be dimension 13.
    column_style = replace(style, column_axis=AxisMeaning("dimension", "column"))
    kernel_style = replace(column_style, row_axis=AxisMeaning("dimension", "dimension of x"),
                           limit=colour_limit(*(kernel for kernel, _ in by_name.values())))  # fmt: skip
    result_style = replace(column_style, limit=colour_limit(*(result for _, result in by_name.values())))

    def coloured(style: HeatmapStyle, name: str) -> HeatmapStyle:
        flags = dict.fromkeys(head_columns, getattr(style.colours, name)) if features else None
        return replace(style, title_colour=name, column_flags=flags)

    return [
        heatmap(x, at.labels, dims, title="x", marks=marks, shows=layer_slice("attn_in", at), style=style),
        "·",
        *(heatmap(kernel, dims, columns, title=f"W_{LETTERS[name]}",
                  shows=parameter_slice(f"layers.{at.layer}.attention.{name}.kernel"),
                  style=coloured(kernel_style, name))
          for name, (kernel, _) in by_name.items()),
        "+ b\n=" if biased else "=",
        *(heatmap(result, at.labels, columns, title=LETTERS[name], marks=marks,
                  shows=HeadsSideBySide(LETTERS[name].lower(), at.sentence, at.layer, len(head_columns)),
                  style=coloured(result_style, name))
          for name, (_, result) in by_name.items()),
    ]  # fmt: skip
