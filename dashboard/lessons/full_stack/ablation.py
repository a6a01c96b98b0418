"""Ablation: the change of the output without each head and with each token masked."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, count_question, largest_value_question
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.ablation import ablation
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core import ablate_heads, ablate_tokens
from encoder_core.figures import dimensions
from encoder_core.scenes import what_if as scenes


def render_ablation(current: Model, at: Focus, _: None) -> Depths:
    """The change of the output for each head and for each token."""
    effects = ablation(current, at.sentence)
    head_effects = effects.heads.mean(axis=-1)
    parts = scenes.ablation(head_effects, effects.tokens, at, theme=current_theme())
    render_plot(parts, key="full_stack_ablation_plot")
    layer, head = np.unravel_index(int(head_effects.argmax()), head_effects.shape)
    st.caption(
        "Each cell on the left and each row on the right is one run of the whole stack. The largest mean change of "
        f"the tokens' outputs is {head_effects.max():.3g}, without head {head + 1} of layer {layer + 1}; "
        f"without head {at.head + 1} of layer {at.layer + 1} it is {head_effects[at.layer, at.head]:.3g}. On the "
        "right, one token is masked as key, so no token attends to it, not even itself."
    )
    num_layers, num_heads = head_effects.shape
    heads = [f"head {name}" for name in dimensions(num_heads, 1)]
    return Depths(
        {
            "heads": Table(head_effects, [f"layer {name}" for name in dimensions(num_layers, 1)], heads),
            "tokens": Table(effects.tokens, at.labels, at.labels),
            "heads, this token": Table(effects.heads[..., at.token], dimensions(num_layers, 1), heads),
        },
        r"\begin{aligned} \Delta^{(l,h)}_t &= \lVert y_t(z^{(l,h)} = 0) - y_t \rVert \\"
        r"\Delta_{jt} &= \lVert y_t(\text{key } j \text{ hidden}) - y_t \rVert \end{aligned}",
        [ablate_heads, ablate_tokens],
        _token_question(at, effects.tokens),
    )


def _token_question(at: Focus, effects: Float[np.ndarray, "hidden token"]) -> Question:
    """Masking which other token changes this token's output most?"""
    others = np.delete(np.arange(len(effects)), at.token)
    changes = effects[others, at.token]
    return largest_value_question(
        f"which of these other tokens matters most to “{escape_token(at.labels[at.token])}”, that is, changes its "
        "output most when it is masked?",
        changes,
        lambda index: f"{others[index] + 1} · {escape_token(at.labels[others[index]])}",
        lambda best: f"The output changes by {changes[best]:.3g} without it.",
        count_question("how many runs of the whole stack does the figure on the right need, not counting the run "
                       "without a masked token?", len(effects), "One for each masked token."),
    )  # fmt: skip
