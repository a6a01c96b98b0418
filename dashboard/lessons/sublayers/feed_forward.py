"""Sections of the feed-forward page: one neuron at one token, and the effect of replacing one row."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.questions import Question, WrongOption
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.choices import EXCHANGED
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.explain import sublayers
from encoder_core.figures import Window
from encoder_core.scenes import feed_forward as scenes
from encoder_core.support.number_format import format_calculation, format_number, format_percent, in_brackets
from encoder_core.support.wording import shorten
from encoder_core.trace import LayerTrace

Rows = Float[np.ndarray, "seq d_model"]


def render_neuron(current: Model, at: Focus, layer: LayerTrace, neuron: int) -> None:
    """The curve of the activation with all neurons of the token, and the calculation of one neuron."""
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    pre, act = layer.mlp_pre[at.sentence, at.token], layer.mlp_act[at.sentence, at.token]
    with left:
        config = current.config
        parts = scenes.neuron_activation(pre, act, config.activation, neuron, config.activation_after, current_theme())
        render_plot(parts, key="feed_forward_curve_plot")
    with right:
        up = current.parameters[f"layers.{at.layer}.mlp.up.kernel"]
        product = float(layer.mlp_in[at.sentence, at.token] @ up[:, neuron])
        activation, effect = _activation_notes(current, float(pre[neuron]))
        linear = f"in · column {neuron} of W_up = {format_number(pre[neuron], 3)}"
        if current.config.use_bias:
            bias = float(current.parameters[f"layers.{at.layer}.mlp.up.bias"][neuron])
            total = format_calculation([product, bias], pre[neuron], lambda a, b: a + b)
            linear = (
                f"in · column {neuron} of W_up + b = {total.operands[0]} + {in_brackets(total.operands[1])} "
                f"{total.relation} {total.result}"
            )
        st.markdown(
            f"**Neuron {neuron} at “{escape_token(at.labels[at.token])}”**  \n"
            f"{linear}  \n"
            f"{activation}{_dropout_note(current, at, neuron)}  \n"
            f"The neuron adds **{format_number(act[neuron], 3)}** times row {neuron} of W_down to the token's row of "
            "act · W_down.\n\n"
            f"At this token, **{format_percent((pre < 0).mean())}** of the {len(pre):,} neurons are negative before "
            f"the activation. {effect}"
        )


def _activation_notes(current: Model, pre: float) -> tuple[str, str]:
    """The activation of one neuron as a calculation, and its role in the network."""
    config, name = current.config, scenes.activation_name(current.config)
    if config.activation_after == "second_linear":
        return (
            f"No activation follows the first linear layer: **{format_number(pre, 3)}** is unchanged by it",
            "No activation changes them. In evaluation mode nothing separates the two linear layers, so together they "
            f"are one affine map; {name} is applied to its result. The page Recipes computes this map under Text and "
            "code.",
        )

    def activation(x: float) -> float:
        return float(sublayers.activate(np.array([x]), config.activation)[0])

    effect = (
        "sets each of them to 0"
        if config.activation == "relu"
        else "maps each of them to a number between about −0.17 and 0"
    )
    calculation = format_calculation([pre], activation(pre), activation)
    return (
        f"{scenes.activation_function(config)}({calculation.operands[0]}) {calculation.relation} "
        f"**{calculation.result}**",
        f"{name} {effect}. Without the activation, this feed-forward network would be one affine map.",
    )


def _dropout_note(current: Model, at: Focus, neuron: int) -> str:
    """The factor of dropout for this neuron in training mode; empty in evaluation mode."""
    kept = current.trace.kept
    mask = None if kept is None else kept.layers[at.layer].mlp_act
    if kept is None or mask is None:
        return ""
    return f"; dropout: × {format_number(kept.scale, 3)}" if mask[at.sentence, at.token, neuron] else "; dropout: × 0"


def render_row_replacement(current: Model, at: Focus, layer: LayerTrace, columns: Window) -> None:
    """Attention and feed-forward of this layer applied to the same rows, with and without one row replaced."""
    st.header("Feed-forward does not mix tokens", anchor=False)
    source = _render_source_picker(at)
    rows = layer.mlp_in[at.sentence].astype(float)
    replaced = _with_row(rows, at.token, 0.0 if source is None else rows[source])
    changes = _output_changes(current, at, rows, replaced)
    seq = len(rows)
    parts = scenes.row_exchange(replaced - rows, changes, columns, at, theme=current_theme())
    render_plot(parts, key="feed_forward_change_plot")
    changed = {name: np.count_nonzero(scenes.change_lengths(change)) for name, change in changes.items()}
    st.caption(
        f"Rows changed after attention: **{changed['attention']} of {seq}**; only the replaced row and those that may "
        f"attend to it can change. After the feed-forward network: **{changed['feed-forward']} of {seq}**; only the "
        "replaced row can change."
    )


def _render_source_picker(at: Focus) -> int | None:
    """Render the picker of the replacement row and return its token; None stands for zeros."""
    seq = len(at.labels)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Attention and feed-forward of this layer are both applied to the rows above, with one row replaced: "
            f"“{escape_token(at.labels[at.token])}” becomes",
            width="content",
        )
        next_token = (at.token + 1) % seq + 1 if seq > 1 else 0
        rows = range(seq + 1)
        number = session().get_option(EXCHANGED, rows, next_token)
        st.selectbox(
            "Becomes",
            rows,
            format_func=lambda row: f"{row} · {shorten(at.labels[row - 1])}" if row else "zeros",
            label_visibility="collapsed",
            filter_mode=None,
            width=150,
            **bind_widget(EXCHANGED, number, at.labels, index_of=rows),
        )
    return number - 1 if number else None


def _with_row(rows: Rows, token: int, row: Float[np.ndarray, "d_model"] | float) -> Rows:
    """A copy of `rows` with one row replaced."""
    replaced = rows.copy()
    replaced[token] = row
    return replaced


def _output_changes(current: Model, at: Focus, rows: Rows, replaced: Rows) -> dict[str, Rows]:
    """The change of the output of each sublayer of this layer, from `rows` to `replaced`."""
    before, after = (sublayers.attention(x, current.run, at.layer, at.sentence) for x in (rows, replaced))
    return {"attention": after - before, "feed-forward": _mlp_change(current, at.layer, rows, replaced)}


def _mlp_change(current: Model, layer: int, rows: Rows, replaced: Rows) -> Rows:
    config = current.config
    before, after = (
        sublayers.feed_forward_steps(x, current.parameters, layer, config.activation, config.activation_after).out
        for x in (rows, replaced)
    )
    return after - before


def row_replacement_question(current: Model, at: Focus, rows: Rows) -> Question:
    """Which rows of the output change if one row of the input is replaced? Computed with this model.

    For a text of one token: does its output change if a second row is added?
    """
    seq, token = len(rows), escape_token(at.labels[at.token])
    where = "“Rows changed after …” below the figure, which compares this with attention"
    mixes = "Attention mixes tokens. The feed-forward network is applied to each row alone"
    if seq == 1:
        return Question(
            f"a second row is added below that of “{token}”. What happens to the feed-forward network's output for "
            f"“{token}”?",
            "nothing",
            "The network is applied to each row separately, with the same parameters.",
            [
                WrongOption(
                    "it becomes a mixture of both rows", f"{mixes}.", "the formula: row t of Y uses row t of X"
                ),
                WrongOption(
                    "it is halved, because two rows share the network",
                    "The parameters are used again for each row; nothing is divided among the rows.",
                    "the formula: the same W_up and W_down multiply every row",
                ),
            ],
        )
    change = _mlp_change(current, at.layer, rows, _with_row(rows, at.token, 0.0))
    others = float(np.abs(np.delete(change, at.token, axis=0)).max())
    at_most = f" by more than {format_number(others, 1)}" if others else ""
    return Question(
        f"row {at.token + 1} (“{token}”) of the feed-forward network's input is replaced by zeros. Which rows of its "
        "output can change?",
        "only the same row",
        f"In this model, no other row changes{at_most}. The figure compares this with attention, which can mix tokens.",
        [
            WrongOption("this row and others", f"{mixes}.", where),
            WrongOption("only other rows", f"{mixes}, so a row cannot change others but not itself.", where),
        ],
    )
