"""The view of attention rollout."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.weights_scale import weights_limit
from dashboard.theme import current_theme
from encoder_core import analysis
from encoder_core.figures import format_number
from encoder_core.scenes import full_stack as scenes


def rollout(current: Model, at: Focus, _: None) -> Depths:
    """One layer's step, and what has reached the token until then."""
    patterns = analysis.patterns_of(current.trace, at.sentence)
    rolled, step = analysis.rollout(patterns), analysis.with_residual(patterns)[at.layer]
    seq = len(at.labels)
    before = rolled[at.layer - 1] if at.layer else np.eye(seq, dtype=np.float32)
    after = rolled[at.layer]
    area = st.container()
    parts = scenes.rollout(
        step, before, after, at, limit=weights_limit(np.stack([step, after])), tokens=at.labels, theme=current_theme(),
    )  # fmt: skip
    with area:
        plot(parts, key="full_stack_rollout_plot")
        st.caption(
            "How much of each input token is in each token by now, if attention and the residual stream carry half "
            "each (Abnar & Zuidema 2020). On the right, what has reached "
            f"“{plain(at.labels[at.token])}” after layer {at.layer + 1}. Values and the feed-forward network "
            "are left out: it estimates where information can come from, not what it is."
        )
    return Depths(
        {"rolled out": Table(after, at.labels, at.labels), "½ average + ½ I": Table(step, at.labels, at.labels)},
        rf"\begin{{aligned}} A_l &= \tfrac12 \bar W_l + \tfrac12 I, \quad \text{{rows to sum 1}} \\"
        rf"\underbrace{{R_l}}_{{{seq}\times{seq}}} &= A_l\, R_{{l-1}}, \quad R_0 = I \end{{aligned}}",
        [analysis.rollout, analysis.with_residual],
        _own_input(at, rolled, is_training=current.trace.kept is not None),
    )


def _own_input(at: Focus, rolled: Float[np.ndarray, "layer seq seq"], *, is_training: bool) -> Question:
    """Is more left of the token's own input than what the residual stream alone would carry?"""
    if is_training:  # dropout makes some weights larger, and the row's normalisation the residual's part smaller
        return how_many(
            "how many numbers has a rolled-out matrix in a row?", len(at.labels), "One for each input token."
        )
    own, straight = float(rolled[-1][at.token, at.token]), 0.5 ** len(rolled)
    return Question(
        f"the residual stream alone carries ½ a layer: {format_number(straight, 2)} after {len(rolled)}. How much of "
        f"its own input does “{plain(at.labels[at.token])}” hold at the end, by rollout?",
        ["exactly that", "more than that"],
        int(own - straight > 1e-6),
        f"It is {format_number(own, 3)}, and cannot be less: attention may also give weight to the token itself, or "
        "bring its input back from other tokens.",
    )
