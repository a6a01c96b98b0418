"""What three views of attention say about one token: one head, the average of all heads, and rollout."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.lessons.full_stack.view import head_name
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import rollout, stack_patterns
from encoder_core.analysis.language.token_kinds import CLS, SEP
from encoder_core.figures import format_fixed


class Reading(NamedTuple):
    """The key that a view gives the most to, counted from 0, and its share."""

    view: str
    key: int
    share: float


def render_view_comparison(current: Model, at: Focus) -> None:
    """Render a section that can be opened: what the views say about the selected token, and why they can differ."""
    section = st.expander("Do the views agree?", icon=":material/compare_arrows:", key="view_comparison",
                          on_change="rerun")  # fmt: skip
    if section.open:
        section.markdown(compare_views(current, at))


def compare_views(current: Model, at: Focus) -> str:
    """The readings of the three views for the selected token, and why they can differ, as markdown."""
    patterns = stack_patterns(current.trace, at.sentence)
    rows = patterns[:, :, at.token]
    if not rows.any():
        return "No key is visible to this token, so no view says anything about it."
    mean, shares = rows.mean(axis=(0, 1)), rollout(patterns)[-1][at.token]
    num_heads = rows.shape[0] * rows.shape[1]
    readings = [
        _reading(f"In {head_name(at.layer, at.head)}", rows[at.layer, at.head]),
        _reading(f"In the average of {f'all {num_heads} heads' if num_heads > 1 else 'the only head'}", mean),
        _reading("In the rollout through all layers", shares),
    ]
    lines = [
        f"- {reading.view}, “{escape_token(at.labels[reading.key])}” (token {reading.key + 1}) has the largest share: "
        f"**{format_fixed(reading.share, 2)}**"
        for reading in readings
    ]
    agree = len({reading.key for reading in readings}) == 1
    special = [place for place, token in enumerate(at.labels) if token in (CLS, SEP)]
    of_special = format_fixed(float(mean[special].sum()), 2)
    paragraph = [
        "All three name the same token here. They need not, because they measure different things."
        if agree
        else "They differ, because they measure different things.",
        f"In the average, each head counts {f'1/{num_heads}' if num_heads > 1 else 'fully'}"
        + (f"; \\[CLS] and \\[SEP] together have {of_special} of it." if special else "."),
        "Rollout also follows indirect paths: a token receives what the tokens that it attends to have received. And "
        "it counts the residual stream as half of every layer: the token's own input has a share of "
        f"{format_fixed(float(shares[at.token]), 2)}.",
        "None of the three says what a word refers to: "
        + (
            "that is our reading of one head."
            if current.is_trained
            else "that would be our reading of one head, and in an untrained encoder it is chance."
        ),
    ]
    title = f"Where “{escape_token(at.labels[at.token])}” attends, in three views of this encoder:\n"
    return "\n".join([title, *lines, "", " ".join(paragraph)])


def _reading(view: str, weights: Float[np.ndarray, "key"]) -> Reading:
    key = int(weights.argmax())
    return Reading(view, key, float(weights[key]))
