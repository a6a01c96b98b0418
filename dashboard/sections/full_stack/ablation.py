"""The view of ablation: each head and each token left out in turn, and what the output loses."""

import numpy as np
import streamlit as st

from dashboard.ablation import ablation
from dashboard.appearance import plain, theme
from dashboard.focus import Focus
from dashboard.frame import Question, Table
from dashboard.model import Model
from dashboard.picture import picture
from dashboard.sections.full_stack.view import Depths
from encoder_core import ablate_heads, ablate_tokens
from encoder_core.figures import dimensions
from encoder_core.scenes import what_if as scenes


def left_out(current: Model, at: Focus, _: None) -> Depths:
    """Heads beside tokens, as lengths of the change of the output."""
    found = ablation(current, at.sentence)
    effect = found.heads.mean(axis=-1)
    parts = scenes.all_left_out(effect, found.tokens, at, tokens_are=at.labels, theme=theme())
    picture(parts, key="full_stack_ablation_picture")
    worst = np.unravel_index(int(effect.argmax()), effect.shape)
    st.caption(
        f"Each number is a run of the whole stack. Without head {worst[1] + 1} of layer {worst[0] + 1} the tokens' "
        f"outputs move by {effect.max():.3g} on average, more than without any other; without head {at.head + 1} of "
        f"layer {at.layer + 1} by {effect[at.layer, at.head]:.3g}. On the right a token is hidden as key, so that "
        "nobody reads it: its own row changes, too, where it used to read itself."
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
    """Whose absence does this token feel most, its own aside?"""
    felt = effect[:, at.token].copy()
    felt[at.token] = -1
    order = np.argsort(-felt, kind="stable")[:3]
    options = sorted(int(place) for place in order)
    return Question(
        f"which token does “{plain(at.labels[at.token])}” miss most, itself aside?",
        [f"{place + 1} · {plain(at.labels[place])}" for place in options],
        options.index(int(order[0])),
        f"Its output moves by {max(0.0, float(felt[order[0]])):.3g} without it.",
    )
