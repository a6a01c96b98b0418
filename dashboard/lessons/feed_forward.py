"""Sections of the feed-forward network: one neuron at one token, and what moves where one row is exchanged."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.choices import EXCHANGED
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.explain import sublayers
from encoder_core.figures import Window, format_calculation, format_number, in_brackets
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
        parts = scenes.bend(pre, act, config.activation, neuron, config.activation_after, current_theme())
        plot(parts, key="feed_forward_curve_plot")
    with right:
        up = current.parameters[f"layers.{at.layer}.mlp.up.kernel"]
        product = float(layer.mlp_in[at.sentence, at.token] @ up[:, neuron])
        bent, whole = _of_activation(current, float(pre[neuron]))
        total = format_number(pre[neuron], 3)
        in_words = f"in · column {neuron} of W_up = {total}"
        if current.config.use_bias:
            bias = float(current.parameters[f"layers.{at.layer}.mlp.up.bias"][neuron])
            added = format_calculation([product, bias], pre[neuron], lambda a, b: a + b)
            in_words = (
                f"in · column {neuron} of W_up + b = {added.operands[0]} + {in_brackets(added.operands[1])} "
                f"{added.relation} {added.result}"
            )
        st.markdown(
            f"**Neuron {neuron} at “{plain(at.labels[at.token])}”**  \n"
            f"{in_words}  \n"
            f"{bent}{_of_dropout(current, at, neuron)}  \n"
            f"The neuron adds **{format_number(act[neuron], 3)}** times row {neuron} of W_down to the token's row of "
            "act · W_down.\n\n"
            f"Of the {len(pre)} neurons, **{float((pre < 0).mean()):.0%}** have a sum below 0 at this token. {whole}"
        )


def _of_activation(current: Model, pre: float) -> tuple[str, str]:
    """What the activation makes of one neuron's sum, and what it does for the whole network."""
    config, name = current.config, scenes.activation_name(current.config)
    if config.activation_after == "second_linear":
        return (
            f"No activation follows the first linear layer: **{format_number(pre, 3)}** stays as it is.",
            f"They stay as they are. In evaluation mode nothing stands between the two linear layers, so they are one "
            f"affine map; {name} is applied to its result. The page Recipes computes this map, under Text and code.",
        )

    def activation(x: float) -> float:
        return float(sublayers.activate(np.array([x]), config.activation)[0])

    low = (
        "makes each of them 0"
        if config.activation == "relu"
        else "turns each of them into a number between about −0.17 and 0"
    )
    fired = format_calculation([pre], activation(pre), activation)
    return (
        f"{name}({fired.operands[0]}) {fired.relation} **{fired.result}**",
        f"{name} {low}. Without the activation, this feed-forward network would be one affine map.",
    )


def _of_dropout(current: Model, at: Focus, neuron: int) -> str:
    """In training mode, what dropout then does to the neuron; nothing in evaluation mode."""
    kept = current.trace.kept
    mask = None if kept is None else kept.layers[at.layer].mlp_act
    if kept is None or mask is None:
        return ""
    return f"; dropout: × {format_number(kept.scale, 3)}" if mask[at.sentence, at.token, neuron] else "; dropout: × 0"


def one_row_exchanged(current: Model, at: Focus, layer: LayerTrace, columns: Window) -> None:
    """Both sublayers of this block read the same rows, then the same with one row exchanged: which results move?"""
    st.subheader("It does not mix tokens", anchor=False)
    other = _pick_other(at)
    rows = layer.mlp_in[at.sentence].astype(float)
    exchanged = rows.copy()
    exchanged[at.token] = 0 if other is None else rows[other]
    after = _changes(current, at, rows, exchanged)
    seq = len(rows)
    parts = scenes.changes(exchanged - rows, after, columns, tokens=at.labels, theme=current_theme())
    plot(parts, key="feed_forward_change_plot")
    moved = {name: int((np.linalg.norm(change, axis=1) > 1e-9).sum()) for name, change in after.items()}
    st.caption(
        f"After attention **{moved['attention']} of {seq}** rows have moved: the exchanged row and those that may "
        f"attend to it can move. After the feed-forward network **{moved['feed-forward']} of {seq}**: no other row "
        "than the exchanged one can move."
    )


def _pick_other(at: Focus) -> int | None:
    """The token whose row takes the place of this one's; None for zeros."""
    seq = len(at.labels)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Try it: attention and feed-forward of this block are both given the rows above, with one row exchanged. "
            f"“{plain(at.labels[at.token])}” becomes",
            width="content",
        )
        next_token = (at.token + 1) % seq + 1 if seq > 1 else 0
        rows = range(seq + 1)
        other = session().among(EXCHANGED, rows, next_token)
        st.selectbox(
            "Becomes",
            rows,
            format_func=lambda number: f"{number} · {shorten(at.labels[number - 1])}" if number else "zeros",
            label_visibility="collapsed",
            filter_mode=None,
            width=150,
            **shows(EXCHANGED, other, at.labels, begins=rows),
        )
    return other - 1 if other else None


def _changes(current: Model, at: Focus, rows: Rows, exchanged: Rows) -> dict[str, Rows]:
    """How far the results of this block's sublayers move, from these rows to the others."""
    config, parameters, run = current.config, current.parameters, current.run

    def attention(x: Rows) -> Rows:
        return sublayers.attention(x, run, at.layer, at.sentence)

    def mlp(x: Rows) -> Rows:
        return sublayers.feed_forward(x, parameters, at.layer, config.activation, config.activation_after).out

    return {"attention": attention(exchanged) - attention(rows), "feed-forward": mlp(exchanged) - mlp(rows)}
