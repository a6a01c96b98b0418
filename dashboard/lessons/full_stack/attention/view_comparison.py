"""What three views of attention say about one token: one head, the average of all heads, and rollout."""

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from dashboard.lessons.full_stack.reach import weights_add_up
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import rollout, stack_patterns, visible_keys
from encoder_core.analysis.language.token_kinds import CLS, SEP
from encoder_core.support.number_format import format_fixed
from encoder_core.support.wording import head_name


def render_view_comparison(current: Model, at: Focus) -> None:
    """Render a section that can be opened: what the views say about the selected token, and why they can differ."""
    section = st.expander("Do the views agree?", icon=":material/compare_arrows:", key="view_comparison",
                          on_change="rerun")  # fmt: skip
    if section.open:
        section.markdown(compare_views(current, at))


def compare_views(current: Model, at: Focus) -> str:
    """The readings of the three views for the selected token, and why they can differ, as markdown."""
    patterns = stack_patterns(current.trace, at.sentence)
    rows, visible = patterns[:, :, at.token], visible_keys(current.trace, at.sentence)
    if not visible[:, :, at.token].any():
        return "No key is visible to this token, so no view says anything about it."
    if not rows.any():
        return "Dropout has set every weight of this token to 0, so no view says anything about it."
    mean = rows.mean(axis=(0, 1))
    shares = rollout(current.trace, at.sentence, allow_unchained=True)[-1][at.token]  # `_as_if_chained` says so
    num_heads = rows.shape[0] * rows.shape[1]
    views = {
        f"In {head_name(at.layer, at.head)}": rows[at.layer, at.head],
        f"In the average of {f'all {num_heads} heads' if num_heads > 1 else 'the only head'}": mean,
        "In the rollout through all layers": shares,
    }
    sees_key = bool(visible[at.layer, at.head, at.token].any())
    lines = [_describe_view(at, view, weights, sees_key=sees_key) for view, weights in views.items()]
    special = [place for place, token in enumerate(at.labels) if token in (CLS, SEP)]
    of_special = format_fixed(float(mean[special].sum()), 2)
    paragraph = [
        _describe_agreement([keys[0] for weights in views.values() if len(keys := _largest(weights)) == 1]),
        f"In the average, each head counts {f'1/{num_heads}' if num_heads > 1 else 'fully'}"
        + (f"; \\[CLS] and \\[SEP] together have {of_special} of it." if special else "."),
        "Rollout also follows indirect paths: a token receives what the tokens that it attends to have received"
        f"{_as_if_chained(current)}. And it counts the residual stream as half of every layer"
        f"{_condition_of_half(patterns, visible)}: the token's own input has a share of "
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


def _as_if_chained(current: Model) -> str:
    """A condition of rollout where the layers do not follow one another."""
    if current.config.has_chained_layers:
        return ""
    return ", as if each layer had the output of the one before as input, which none has here"


def _describe_view(at: Focus, view: str, weights: Float[np.ndarray, "key"], *, sees_key: bool) -> str:
    """A line of the list: the key with the largest share; none where all shares are 0, which can be so in one head."""
    if not weights.any():
        reason = "dropout has set every weight of this token to 0" if sees_key else "no key is visible to this token"
        return f"- {view}, {reason}"
    key, *others = _largest(weights)
    if others:
        return f"- {view}, several tokens share the largest: **{format_fixed(float(weights[key]), 2)}** each"
    return (
        f"- {view}, “{escape_token(at.labels[key])}” (token {key + 1}) has the largest share: "
        f"**{format_fixed(float(weights[key]), 2)}**"
    )


def _largest(weights: Float[np.ndarray, "key"]) -> list[int]:
    """The keys with the largest share, up to rounding; none where all shares are 0."""
    return np.flatnonzero(weights > weights.max() - 1e-6).tolist() if weights.any() else []


def _describe_agreement(keys: list[int]) -> str:
    """Whether the views that name a key name the same one."""
    if len(keys) < 2:
        return "Where several tokens have the same share, a view names none. The views measure different things."
    if len(set(keys)) > 1:
        return "They differ, because they measure different things."
    which = "All three" if len(keys) == 3 else "The other two"
    return f"{which} name the same token here. They need not, because they measure different things."


def _condition_of_half(
    patterns: Float[np.ndarray, "layer head query key"], visible: Bool[np.ndarray, "layer head query key"]
) -> str:
    """What changes the half that the residual stream has in rollout; empty if the weights of every row add up to 1."""
    sees_key = np.any(visible, axis=-1)
    if not weights_add_up(patterns, sees_key):
        return " before each row is divided by its sum, which dropout changes"
    return "" if sees_key.all() else ", and as more where a head has no visible key"
