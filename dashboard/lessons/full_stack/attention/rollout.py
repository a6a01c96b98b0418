"""Attention rollout: estimated shares of the input tokens in each token."""

import numpy as np
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.reach import weights_add_up
from dashboard.lessons.full_stack.view import Depths, depth_question
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, resolve_focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.shell import frame
from dashboard.theme import current_theme
from encoder_core import analysis
from encoder_core.scenes.attention import stack_attention as scenes
from encoder_core.scenes.focus import layer_slice
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import format_count


def render_rollout(current: Model, at: Focus, _: None) -> Depths:
    """The step of the selected layer, and the rollout up to it."""
    patterns = analysis.stack_patterns(current.trace, at.sentence)
    shares = analysis.rollout(current.trace, at.sentence, allow_unchained=True)  # the caption says so
    step = analysis.mix_with_residual(patterns)[at.layer]
    seq = len(at.labels)
    is_scaled = current.trace.kept is not None or _edits_contributions(current)
    is_chained = current.config.has_chained_layers
    halves = is_chained and not is_scaled and bool(patterns[:, :, at.token].any(-1).all())
    question = _share_question(current, at, shares, halves=halves)
    ask_first(question, "Rollout")
    before = shares[at.layer - 1] if at.layer else np.eye(seq, dtype=np.float32)
    after = shares[at.layer]
    key_token = resolve_focus(current).key_token  # without a picker in this view: the one of the other pages
    inspection = inspect_cell(current, at, layer_slice("rollout", at).cell(at.token, key_token))
    parts = scenes.rollout(
        step, before, after, at, limit=weights_limit(np.stack([step, after])), theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="full_stack_rollout_plot", inspection=inspection)
    frame.render_explained(
        "[[rollout|Rollout]] estimates the share of each input token in each token, assuming that attention and "
        "the residual stream contribute half each (Abnar & Zuidema 2020). On the right: the shares in "
        f"“{escape_token(at.labels[at.token])}” after layer {at.layer + 1}. Rollout ignores the values and the "
        "feed-forward network: it estimates where information can come from, not what it is."
        + _describe_exceptions(current, at, patterns)
    )
    render_weights_toggle()
    return Depths(
        {
            "rolled out": NumberTable(after, at.labels, at.labels),
            "½ average + ½ I": NumberTable(step, at.labels, at.labels),
        },
        rf"\begin{{aligned}} M^{{(l)}} &= \tfrac12 \bar A^{{(l)}} + \tfrac12 I, \quad \text{{rows scaled to sum 1}} \\"
        rf"\underbrace{{R^{{(l)}}}}_{{{seq}\times{seq}}} &= M^{{(l)}} R^{{(l-1)}}, \quad R^{{(0)}} = I \end{{aligned}}",
        [analysis.rollout, analysis.mix_with_residual],
        question,
        inspection,
    )


def _describe_exceptions(current: Model, at: Focus, patterns: Float[np.ndarray, "layer head query key"]) -> str:
    """Sentences of the caption on the rows in which attention and the residual stream do not contribute half each."""
    sees_key = np.any(analysis.visible_keys(current.trace, at.sentence), axis=-1)
    some, every, text = np.any(sees_key, axis=1), np.all(sees_key, axis=1), ""
    if not weights_add_up(patterns, sees_key):
        text = " Dropout changes the sums of the weights, and with them the halves."
    elif (some & ~every).any():
        text = " In a row where only some heads see a key, the residual stream counts for more than half."
    if not some.all():
        text += " Where no head sees a key, the residual stream is the whole row."
    if not current.config.has_chained_layers:
        text += " It counts as if each layer had the output of the one before as input; here, none has."
    if _edits_contributions(current):
        text += " Rollout does not know the edits that multiply the output of a head or a residual connection."
    return text


def _edits_contributions(current: Model) -> bool:
    """Whether edits change how much a head or a residual connection contributes, which rollout does not look at."""
    effects = current.run.effects
    return bool(effects.head_factors or effects.residual_factors)


def _share_question(current: Model, at: Focus, shares: Float[np.ndarray, "layer seq seq"], *, halves: bool) -> Question:
    """Is the share of the token's own input larger than through the residual stream alone?

    halves  whether each layer follows the one before it, and the residual stream is half of the token's row in it.
            Dropout enlarges some weights, and without a visible key in a head the weights add up to less than 1, so
            scaling the row changes the half. Edits can remove what rollout counts as a half.
    """
    if not halves:
        return depth_question(current)
    layers = at.layer + 1
    share, residual_share = float(shares[at.layer][at.token, at.token]), 0.5**layers
    smaller = WrongOption(
        "a smaller share",
        "No share is negative: what attention adds to the residual stream's part cannot make it smaller.",
        "the formula: M contains ½ I, and the rest of it is not negative",
    )
    exact, larger = "exactly this share", "a larger share"
    if share - residual_share > 1e-6:
        exactly = WrongOption(
            exact,
            "This counts the residual stream alone. Attention brings more: through weights on the token itself, or on "
            "tokens that contain its input.",
            "the diagonal of the step of a layer: it is above ½ where a token attends to itself",
        )
        right, wrong = larger, [exactly, smaller]
    else:
        more = WrongOption(
            larger,
            "Here, no weight on the token itself or on a token that contains its input adds to it.",
            "the diagonal of the step of a layer",
        )
        right, wrong = exact, [more, smaller]
    texts = ([format_number(100 * x, digits) for x in (residual_share, share)] for digits in range(3, 9))
    # A larger share has so many digits that it is read as larger: it is by more than 1e-6.
    residual_text, share_text = next(pair for pair in texts if right == exact or pair[0] != pair[1])
    return Question(
        f"the residual stream alone keeps a share of ½ per layer: {residual_text}% after "
        f"{format_count(layers, 'layer')}. By rollout, which share of “{escape_token(at.labels[at.token])}” after "
        f"layer {layers} comes from its own input?",
        right,
        f"It is {share_text}%.",
        wrong,
    )
