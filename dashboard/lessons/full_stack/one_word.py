"""The view of one word: where it looks, in every head of every layer."""

import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.full_stack.view import Depths, head_name, which_head
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import weights_limits
from dashboard.theme import current_theme
from encoder_core import attention_from, strongest_heads
from encoder_core.analysis import visible_keys
from encoder_core.analysis.language import StrongHead, special_or_itself
from encoder_core.figures import dimensions
from encoder_core.scenes import language as scenes
from encoder_core.scenes.position import head_slice


def one_word(current: Model, at: Focus, _: None) -> Depths:
    """The weights of one query in all heads, and which heads look hardest at the key that is chosen."""
    weights = attention_from(current.trace, at.token, at.sentence)
    to_key, visible = weights[:, :, at.key_token], visible_keys(current.trace, at.sentence)[:, :, at.token]
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, at.key_token))
    area = st.container()
    of_all, of_key = weights_limits(weights, to_key)
    parts = scenes.one_word(weights, visible, at, limits=(of_all, of_key), tokens=at.labels, theme=current_theme())
    word, key = plain(at.labels[at.token]), plain(at.labels[at.key_token])
    with area:
        plot(parts, key="full_stack_word_plot", inspection=inspection)
        strongest = f"gets most of “{word}” in {_named(strongest_heads(weights, at.key_token))}"
        if not visible[:, :, at.key_token].any():
            strongest = f"is masked: “{word}” cannot look at it"
        others = _over_all(at, strongest_heads(weights, leave_out=special_or_itself(at.labels, at.token)))
        st.caption(f"“{key}” {strongest}.{others} Click a cell for its head and key.")
    num_layers, num_heads, seq = weights.shape
    heads = [f"head {name}" for name in dimensions(num_heads, 1)]
    return Depths(
        {
            "to the key": Table(to_key, [f"layer {name}" for name in dimensions(num_layers, 1)], heads),
            f"layer {at.layer + 1}": Table(weights[at.layer], heads, at.labels),
        },
        rf"\begin{{aligned}} \underbrace{{a^{{(l,h)}}}}_{{1\times{seq}}} &= \text{{softmax}}(s^{{(l,h)}}_q), \quad "
        rf"q = {at.token + 1} \\ l &= 1 \dots {num_layers}, \quad h = 1 \dots {num_heads} \end{{aligned}}",
        [attention_from, strongest_heads],
        which_head(
            f"in which of these heads does “{word}” give “{key}” the largest weight?", to_key, "Its weight is {}."
        ),
        inspection,
    )


def _named(found: list[StrongHead]) -> str:
    """layer 4, head 2: 0.80; ..."""
    return "; ".join(f"{head_name(each.layer, each.head)}: {each.weight:.2f}" for each in found)


def _over_all(at: Focus, found: list[StrongHead]) -> str:
    """The same over all keys, each named."""
    if not found:
        return ""
    said = (
        f"{each.weight:.2f} to “{plain(at.labels[each.key])}” in {head_name(each.layer, each.head)}" for each in found
    )
    return f" Itself and special tokens aside, its largest weights are {'; '.join(said)}."
