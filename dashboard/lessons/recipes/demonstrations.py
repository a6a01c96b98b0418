"""Computations that belong to a note of a recipe: two linear layers as one affine map, and the rank of a head."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.models.model import Model
from dashboard.theme import current_theme
from encoder_core.analysis import numerical_rank
from encoder_core.explain.recompute import difference
from encoder_core.explain.sublayers import activate
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.recipes.collapse import collapsed_feed_forward
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.feed_forward import activation_name
from encoder_core.support.number_format import format_number


def render_affine_map(model: Model, key: str) -> None:
    """Render the output of both linear layers of layer 1 next to that of the equivalent affine map, for sentence 1."""
    config, layer, parameters = model.config, model.trace.layers[0], model.encoder.parameters()
    collapsed = collapsed_feed_forward(parameters, 0)
    down = "layers.0.mlp.down"
    two_layers = layer.mlp_act[0] @ parameters[f"{down}.kernel"] + parameters.get(f"{down}.bias", 0.0)
    one_map = collapsed(layer.mlp_in[0])
    parts = scenes.one_affine_map(two_layers, one_map, tokens=model.batch.tokens[0], theme=current_theme())
    render_plot(parts, key=key)
    d, d_ff, name = config.d_model, config.d_ff, activation_name(config)
    activated = difference(layer.mlp_out[0], activate(one_map, config.activation))
    num_parameters = parameters_by_part(config)["feed-forward"] // config.num_layers  # of both linear layers
    st.caption(
        "**The two linear layers are one affine map**, x W + b with W = W_up W_down and b = b_up W_down + b_down. "
        f"W_up is {d} × {d_ff}, W_down {d_ff} × {d}, so W is {d} × {d}: its rank, counted from its singular values, is "
        f"**{numerical_rank(collapsed.kernel)}** and cannot be above {min(d, d_ff)}. In layer 1, sentence 1, both give "
        f"the same numbers: the largest difference is **{format_number(difference(two_layers, one_map), 1)}** of the "
        f"largest number, which is rounding; after {name} it is {format_number(activated, 1)}. So "
        f"{num_parameters:,} parameters do in evaluation mode what {d * d + d * config.use_bias:,} could. "
        "In training mode, dropout acts between the two."
    )


def render_head_ranks(intended: Model, written: Model, key: str) -> None:
    """Render Q K^T of head 1 of layer 1, sentence 1, in both variants, and the ranks of all heads of that layer."""
    models = {model.config.d_head: model for model in (written, intended)}
    dots = {d_head: model.trace.layers[0].dot_products for d_head, model in models.items()}
    parts = scenes.rank_of_head(
        {f"d_head {d_head}": products[0, 0] for d_head, products in dots.items()}, tokens=written.batch.tokens[0],
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key=key)
    seq = written.batch.ids.shape[1]
    ranks = "; ".join(
        f"with d_head {d_head} they have a rank of **{_range(products)}** (at most {min(d_head, seq)})"
        for d_head, products in dots.items()
    )
    batch, heads = next(iter(dots.values())).shape[:2]
    st.caption(
        "**Q Kᵀ of one head has a rank of at most d_head**, because Q and K have d_head columns, and of at most "
        f"{seq}, because it has {seq} rows. The plots show layer 1, head 1, sentence 1, before the mask, and its "
        f"singular values as fractions of the largest. Ranks of all {batch} × {heads} matrices of layer 1 "
        f"({seq} × {seq}), counted from their singular values: {ranks}."
    )


def _range(dots: Float[np.ndarray, "batch head query key"]) -> str:
    """The rank that all heads and sentences have, or the smallest and the largest."""
    ranks = [numerical_rank(matrix) for sentence in dots for matrix in sentence]
    low, high = min(ranks), max(ranks)
    return str(low) if low == high else f"{low} to {high}"
