"""Ablation: the change of the output without each head and with each token hidden."""

import numpy as np
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.reach import Paths, leaves_out_keys, used_keys, uses_changed_tokens
from dashboard.lessons.full_stack.view import Depths, depth_question
from dashboard.markdown import escape_token
from dashboard.models.ablation import ablation
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.shell import frame
from dashboard.theme import current_theme
from encoder_core import EncoderConfig, ablate_heads, ablate_tokens
from encoder_core.scenes import what_if as scenes
from encoder_core.support.number_format import format_number, latex_with_shape
from encoder_core.support.wording import numbered


def render_ablation(current: Model, at: Focus, _: None) -> Depths:
    """The change of the output for each head and for each token."""
    effects = ablation(current, at.sentence)
    question = _hidden_token_question(current, at, effects.tokens)
    ask_first(question, "Ablation")
    head_effects = effects.heads[..., current.batch.real[at.sentence]].mean(axis=-1)
    parts = scenes.ablation(head_effects, effects.tokens, at, theme=current_theme())
    render_plot(parts, key="full_stack_ablation_plot")
    layer, head = np.unravel_index(int(head_effects.argmax()), head_effects.shape)
    is_other = bool(layer != at.layer or head != at.head)
    effect = format_number(head_effects[at.layer, at.head], 3)
    selected = f"; without head {at.head + 1} of layer {at.layer + 1} it is {effect}"
    largest = (
        f"The largest mean change of the tokens' outputs is {format_number(head_effects.max(), 3)}, without head "
        f"{head + 1} of layer {layer + 1}{selected if is_other else ''}."
        if head_effects.any()
        else "Without any single head, the tokens' outputs stay the same."
    )
    frame.render_explained(
        f"An [[ablation]] is one run of the whole stack: each cell on the left, each row on the right. {largest} On "
        "the right, one token is hidden as key, so no token attends to it, not even itself"
        + (", except where you set its score." if _keys_with_set_scores(current, at) else ".")
    )
    num_layers, num_heads = head_effects.shape
    layers = numbered("layer", num_layers)
    heads = numbered("head", num_heads)
    return Depths(
        {
            "heads": NumberTable(head_effects, layers, heads, first=None),
            "tokens": NumberTable(effects.tokens, at.labels, at.labels),
            "heads, this token": NumberTable(effects.heads[..., at.token], layers, heads, first=None),
        },
        _formula(num_layers, num_heads, len(at.labels), current.config),
        [ablate_heads, ablate_tokens],
        question,
    )


def _formula(num_layers: int, num_heads: int, seq: int, config: EncoderConfig) -> str:
    of_heads = latex_with_shape(r"\Delta^{(l,h)}_t", (num_layers, num_heads, seq))
    of_tokens = latex_with_shape(r"\Delta_{jt}", (seq, seq))
    z = latex_with_shape("z^{(l,h)}", (seq, config.d_head))
    y = latex_with_shape("y_t", (1, config.d_model))
    return (
        rf"\begin{{aligned}} {of_heads} &= \lVert y_t({z} = 0) - {y} \rVert \\"
        rf"{of_tokens} &= \lVert y_t(\text{{key }} j \text{{ hidden}}) - {y} \rVert \end{{aligned}}"
    )


def _keys_with_set_scores(current: Model, at: Focus) -> set[int]:
    """The keys of the sentence of which an edit sets a score: some query attends to them, also if they are hidden."""
    cells = [cell for layer in current.run.effects.scores.values() for cell in layer]
    return {key for sentence, _, _, key in cells if sentence == at.sentence}


def _hidden_token_question(current: Model, at: Focus, effects: Float[np.ndarray, "hidden token"]) -> Question:
    """Does the output of a token change if it is hidden as a key?"""
    token, change = escape_token(at.labels[at.token]), float(effects[at.token, at.token])
    used, factors = used_keys(current, at.sentence), current.run.effects.residual_factors.values()
    reasons = _reasons_of_change(used, at.token)
    is_clear = change > 0 and change >= 1e-3 * float(np.linalg.norm(current.trace.output[at.sentence, at.token]))
    stays_visible = at.token in _keys_with_set_scores(current, at)
    if stays_visible or 0 in factors or leaves_out_keys(current, at.sentence) or not (is_clear and reasons):
        return depth_question(current)
    has_other_keys = np.delete(used[:, at.token], at.token, axis=-1).any()
    return Question(
        f"“{token}” is hidden as key, so no token can attend to it. What happens to the output of “{token}” itself?",
        "it changes",
        f"By {format_number(change, 3)}: {', and '.join(reasons)}.",
        [
            WrongOption(
                "nothing: its own vector is still there",
                "Its vector stays in the residual stream, but attention adds "
                + ("other values to it now." if has_other_keys else "no values to it then."),
                f"the figure on the right: the row and the column of “{token}”",
            ),
            WrongOption(
                "it becomes a row of zeros",
                "This takes it out of the keys. It still has a query, and its vector stays in the residual stream.",
                "the formula: only the key j is hidden",
            ),
        ],
    )


def _reasons_of_change(used: Paths, token: int) -> list[str]:
    """Why the output of a token changes if it is hidden as a key, given the keys that each token uses."""
    reasons = ["it cannot attend to itself any more"] * bool(used[:, token, token].any())
    if uses_changed_tokens(used, token):
        reasons.append("tokens whose vectors it uses in later layers have changed" + " as well" * len(reasons))
    return reasons
