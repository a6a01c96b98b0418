"""The view of ablation: each head and each token left out in turn, and how far the output moves."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many, which_is_largest
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import plain
from dashboard.models.ablation import ablation
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core import ablate_heads, ablate_tokens
from encoder_core.figures import dimensions
from encoder_core.scenes import what_if as scenes


def left_out(current: Model, at: Focus, _: None) -> Depths:
    """Heads beside tokens, as lengths of the change of the output."""
    found = ablation(current, at.sentence)
    effect = found.heads.mean(axis=-1)
    parts = scenes.all_left_out(effect, found.tokens, at, tokens_are=at.labels, theme=current_theme())
    plot(parts, key="full_stack_ablation_plot")
    worst = np.unravel_index(int(effect.argmax()), effect.shape)
    st.caption(
        "Each cell on the left, and each row on the right, is a run of the whole stack. The largest mean distance by "
        f"which the tokens' outputs move is {effect.max():.3g}, without head {worst[1] + 1} of layer {worst[0] + 1}; "
        f"without head {at.head + 1} of layer {at.layer + 1} it is {effect[at.layer, at.head]:.3g}. On the right a "
        "token is hidden as key, so that no token attends to it, not even itself."
    )
    heads = [f"head {i + 1}" for i in range(effect.shape[1])]
    return Depths(
        {
            "heads": Table(effect, [f"layer {i + 1}" for i in range(len(effect))], heads),
            "tokens": Table(found.tokens, at.labels, at.labels),
            "heads, this token": Table(found.heads[..., at.token], dimensions(len(effect), 1), heads),
        },
        r"\begin{aligned} \Delta^{(l,h)}_t &= \lVert y_t(z^{(l,h)} = 0) - y_t \rVert \\"
        r"\Delta_{jt} &= \lVert y_t(\text{key } j \text{ hidden}) - y_t \rVert \end{aligned}",
        [ablate_heads, ablate_tokens],
        _which_token(at, found.tokens),
    )


def _which_token(at: Focus, effect: np.ndarray) -> Question:
    """Which other token moves this token's output most where it is hidden?"""
    others = np.delete(np.arange(len(effect)), at.token)
    moved = effect[others, at.token]
    return which_is_largest(
        f"which of these other tokens matters most to “{plain(at.labels[at.token])}”: without which does its output "
        "move farthest?",
        moved,
        lambda index: f"{others[index] + 1} · {plain(at.labels[others[index]])}",
        lambda best: f"Its output moves by {moved[best]:.3g} without it.",
        how_many("how many runs of the whole stack does the figure on the right take, without the run of the sentence "
                 "as it is?", len(effect), "One for each token that is hidden."),
    )  # fmt: skip
