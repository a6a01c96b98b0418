"""Sections of the feed-forward network: one neuron at one token, and what moves where one row is exchanged."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import frame
from dashboard.focus import Focus
from dashboard.model import Model
from dashboard.picture import picture
from encoder_core import sublayers
from encoder_core.figures import Window
from encoder_core.figures.base import shorten
from encoder_core.scenes import feed_forward as scenes
from encoder_core.trace import LayerTrace

Rows = Float[np.ndarray, "seq d_model"]


def one_neuron(current: Model, at: Focus, layer: LayerTrace, neuron: int) -> None:
    """The activation's curve with all neurons of the token on it, and one of them in words."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    pre, act = layer.mlp_pre[at.sentence, at.token], layer.mlp_act[at.sentence, at.token]
    with left:
        config = current.config
        parts = scenes.bend(pre, act, config.activation, neuron, config.activation_after, frame.theme())
        picture(parts, key="feed_forward_curve_picture")
    with right:
        up = current.parameters[f"layers.{at.layer}.mlp.up.kernel"]
        product = float(layer.mlp_in[at.sentence, at.token] @ up[:, neuron])
        bias = f", + b = {pre[neuron]:.3g}" if current.config.use_bias else ""
        relu = current.config.activation == "relu"
        quiet = "makes them exactly 0: off" if relu else "leaves them a little below 0: nearly off"
        st.markdown(
            f"**Neuron {neuron} at “{frame.plain(at.labels[at.token])}”**  \n"
            f"in · column {neuron} of W_up = {product:.3g}{bias}  \n"
            f"{scenes.activation_name(current.config)}({pre[neuron]:.3g}) = **{act[neuron]:.3g}**  \n"
            f"It adds {act[neuron]:.3g} times row {neuron} of W_down to the token's result.\n\n"
            f"Of the {len(pre)} neurons, **{float((pre <= 0).mean()):.0%}** have a sum below 0 at this token. The "
            f"curve {quiet}. Without the bend, W_up and W_down would be one matrix, and the whole network one linear "
            "map."
        )


def one_row_exchanged(current: Model, at: Focus, layer: LayerTrace, columns: Window) -> None:
    """Both sublayers of this block read the same rows, then the same with one row exchanged: which results move?"""
    st.subheader("It does not mix tokens", anchor=False)
    other = _pick_other(at)
    rows = layer.mlp_in[at.sentence].astype(float)
    exchanged = rows.copy()
    exchanged[at.token] = 0 if other is None else rows[other]
    after = _changes(current, at, rows, exchanged)
    seq = len(rows)
    parts = scenes.changes(exchanged - rows, after, columns, tokens=at.labels, theme=frame.theme())
    picture(parts, key="feed_forward_change_picture")
    moved = {name: int((np.linalg.norm(change, axis=1) > 1e-9).sum()) for name, change in after.items()}
    st.caption(
        f"After attention **{moved['attention']} of {seq}** rows have moved: every token that may look at this one. "
        f"After the feed-forward network **{moved['feed-forward']} of {seq}**: only the row that was exchanged."
    )


def _pick_other(at: Focus) -> int | None:
    """The token whose row takes the place of this one's; None for zeros."""
    seq = len(at.labels)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Try it: attention and feed-forward of this block are both given the rows above, with one row exchanged. "
            f"“{frame.plain(at.labels[at.token])}” becomes",
            width="content",
        )
        other = st.selectbox(
            "Becomes",
            range(-1, seq),
            index=1 + (at.token + 1) % seq if seq > 1 else 0,
            format_func=lambda place: "zeros" if place < 0 else f"{place + 1} · {shorten(at.labels[place])}",
            label_visibility="collapsed",
            key=f"feed_forward_other_{at.token}_{seq}",
            filter_mode=None,
            width=150,
        )
    return None if other < 0 else other


def _changes(current: Model, at: Focus, rows: Rows, exchanged: Rows) -> dict[str, Rows]:
    """How far the results of this block's sublayers move, from these rows to the others."""
    config, parameters, shown = current.config, current.parameters, current.shown

    def attention(x: Rows) -> Rows:
        return sublayers.attention(x, shown, at.layer, at.sentence)

    def mlp(x: Rows) -> Rows:
        return sublayers.feed_forward(x, parameters, at.layer, config.activation, config.activation_after).out

    return {"attention": attention(exchanged) - attention(rows), "feed-forward": mlp(exchanged) - mlp(rows)}
