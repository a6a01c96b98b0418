"""One word: its attention weights in every head of every layer."""

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention.word_lines import hidden_weight, render_figure_choice, render_layer_lines
from dashboard.lessons.full_stack.attention.attention_questions import masked_key_question
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import capitalize, name_in_sentence
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.special_tokens import render_special_switch, shown_tokens
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.theme import current_theme
from encoder_core import attention_from, strongest_heads
from encoder_core.analysis import visible_keys
from encoder_core.analysis.language import StrongHead, are_equal_weights, special_tokens_and_query
from encoder_core.scenes import language as scenes
from encoder_core.scenes.focus import head_slice
from encoder_core.support.number_format import format_weight, latex_range, latex_with_shape
from encoder_core.support.wording import form_for, head_name, numbered

_LISTED = 3  # heads in a sentence


def render_one_word(current: Model, at: Focus, _: None) -> Depths:
    """The weights of one query, and the heads with the largest weights for the selected key.

    Two heatmaps show all heads of all layers, or lines between the words those of one layer.
    """
    question = masked_key_question(current, at)
    ask_first(question, "One word")
    weights = attention_from(current.trace, at.token, at.sentence)
    to_key, visible = weights[:, :, at.key_token], visible_keys(current.trace, at.sentence)[:, :, at.token]
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, at.key_token))
    word, key = (name_in_sentence(at.labels, place) for place in (at.token, at.key_token))
    heads_text = _heads_text(word, at, weights, visible)
    others = _largest_weights(at, strongest_heads(
        weights, excluded=special_tokens_and_query(at.labels, at.token), count=weights[:, :, 0].size
    ))  # fmt: skip
    if render_figure_choice():
        render_layer_lines(current, at, key="full_stack_word_lines", selects_key=True)
        st.caption(f"In all layers: {key} {heads_text}.{others}")
    else:
        keys = shown_tokens(at.labels, at.token)
        limit = weights_limit(weights[:, :, keys.places], to_key)
        parts = scenes.one_word(weights, visible, at, limit=limit, keys=keys, theme=current_theme())
        render_plot(parts, key="full_stack_word_plot", inspection=inspection)
        st.caption(
            f"{capitalize(key)} {heads_text}.{others}{hidden_weight(at, weights[at.layer, at.head], keys)} Click a "
            "cell to select its head and key."
        )
        with st.container(horizontal=True, gap="medium"):
            render_special_switch(at.labels)
            render_weights_toggle()
    num_layers, num_heads, seq = weights.shape
    layers = numbered("layer", num_layers)
    heads = numbered("head", num_heads)
    return Depths(
        {
            "to the key": NumberTable(to_key, layers, heads, first=None),
            f"layer {at.layer + 1}": NumberTable(weights[at.layer], heads, at.labels, first=None),
        },
        rf"\begin{{aligned}} \underbrace{{a^{{(l,h)}}}}_{{1\times{seq}}} &= \text{{softmax}}("
        rf"{latex_with_shape('s^{(l,h)}_q', (1, seq))}), \quad "
        rf"q = {at.token + 1} \\ "
        rf"l &= {latex_range(1, num_layers)}, \quad h = {latex_range(1, num_heads)} \end{{aligned}}",
        [attention_from, strongest_heads],
        question,
        inspection,
    )


def _heads_text(
    word: str, at: Focus, weights: Float[np.ndarray, "layer head key"], visible: Bool[np.ndarray, "layer head key"]
) -> str:
    """The heads with the largest weights for the key, where it is visible: "... layer 4, head 2: 0.80; layer ..."."""
    of_key, sees_key = weights[..., at.key_token], visible[..., at.key_token]
    seen = of_key[sees_key]
    if not seen.size:
        return f"is masked: {word} cannot attend to it"
    if are_equal_weights(seen) and (seen.size > 1 or of_key.size == 1):
        heads = ("every head" if seen.size > 1 else "the only head") + " that sees it" * (not sees_key.all())
        return f"gets the weight {format_weight(float(seen[0]))} from {word} in {heads}"
    strongest = strongest_heads(np.where(visible, weights, -1), at.key_token)
    listed = "; ".join(
        f"{head_name(head.layer, head.head)}: {format_weight(head.weight)}"
        for head in strongest
        if visible[head.layer, head.head, head.key]
    )
    return f"gets its largest weights from {word} in {listed}"


def _largest_weights(at: Focus, heads: list[StrongHead]) -> str:
    """The largest weights over all keys, with the key and the head of each; none if they are all 0 or masked.

    heads  all of them, that with the largest weight first
    """
    opening = " Excluding itself and special tokens, the largest"
    if not heads or heads[0].weight <= 0:
        return ""
    if len(heads) > 1 and are_equal_weights(np.array([head.weight for head in heads])):
        return f"{opening} weight of the query is {format_weight(heads[0].weight)} in every head."
    largest = [head for head in heads[:_LISTED] if head.weight > 0]
    weights = (
        f"{format_weight(head.weight)} to {name_in_sentence(at.labels, head.key)} in {head_name(head.layer, head.head)}"
        for head in largest
    )
    are = form_for(len(largest), "weight of the query is", "weights of the query are")
    return f"{opening} {are} {'; '.join(weights)}."
