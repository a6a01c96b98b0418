"""The weights of one query in all heads of a layer as lines between the words, instead of a heatmap."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.word_lines import HeadLines, Side, render_word_lines
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, move_focus
from dashboard.selection.special_tokens import render_special_switch, shown_tokens
from dashboard.selection.view_choice import render_choice
from dashboard.state.choices import FIGURES, WEIGHTS_FIGURE
from dashboard.theme import current_theme
from encoder_core.figures import Window
from encoder_core.figures.word_lines import SMALLEST_WEIGHT
from encoder_core.support.number_format import format_fixed
from encoder_core.support.wording import head_name, numbered, shorten

NOT_DRAWN = f"Weights below {SMALLEST_WEIGHT:g} are not drawn."


def render_figure_choice() -> bool:
    """Render the switch between heatmap and lines. Returns whether lines are chosen."""
    return render_choice("Weights as", FIGURES, WEIGHTS_FIGURE, default=FIGURES[0], hide_label=True) == "Lines"


def hidden_weight(at: Focus, weights: Float[np.ndarray, "key"], window: Window) -> str:
    """A sentence on the weight of the keys that are not shown; empty if all are."""
    if len(window) == len(at.labels):
        return ""
    hidden = float(weights.sum() - weights[window.places].sum())
    return (
        f" The hidden tokens have {format_fixed(hidden, 2)} of the weight of “{escape_token(at.labels[at.token])}” in "
        f"{head_name(at.layer, at.head)}."
    )


def render_layer_lines(current: Model, at: Focus, *, key: str, selects_key: bool) -> None:
    """Render the lines of the query token in every head of the layer.

    selects_key  whether a click on a key selects the key token; otherwise it selects the query token
    """

    window = shown_tokens(at.labels, at.token)

    def on_word(side: Side, index: int) -> None:
        move_focus({"key_token" if side == "key" and selects_key else "token": window.start + index})

    heads = numbered("head", current.config.num_heads)
    weights = current.trace.layers[at.layer].pattern[at.sentence, :, at.token]
    render_word_lines(
        at.labels[window.places],
        at.token - window.start,
        HeadLines(weights[:, window.places], heads, at.head),
        title=f"weights of the query “{shorten(at.labels[at.token])}” in the heads of layer {at.layer + 1}",
        sides=("query", "key"),
        key=key,
        theme=current_theme(),
        selected_key=window.bin_of(at.key_token) if selects_key else None,
        on_word=on_word,
        on_head=lambda head: move_focus({"head": head}),
    )
    render_special_switch(at.labels)
    st.caption(
        f"A line's width is its weight. {NOT_DRAWN}{hidden_weight(at, weights[at.head], window)} The numbers are the "
        f"weights in {heads[at.head]}. Click a word to select it"
        + (
            ", a head to see its numbers; point at a key to see its weights in the other heads."
            if len(heads) > 1
            else "."
        )
    )
