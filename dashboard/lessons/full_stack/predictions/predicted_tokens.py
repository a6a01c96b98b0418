"""The most probable output tokens at each position, and softmax over the vocabulary at one of them."""

import math

import numpy as np
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question, WrongOption, without_duplicates
from dashboard.lessons.full_stack.predictions.output_token import (
    chance_note,
    choose_output,
    output_head_formula,
    output_name,
)
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.theme import current_theme
from encoder_core.analysis import rank_of, softmax, top_tokens
from encoder_core.explain import Cell
from encoder_core.figures import Selection, dimensions
from encoder_core.scenes import predictions as scenes
from encoder_core.support.number_format import format_calculation, format_number, format_probability

RANKS = 5
_MAX_EXPONENT = 13  # of a ratio in the question; e ** 13 is 442,413


def render_predicted_tokens(current: Model, at: Focus, output_id: int) -> Depths:
    """The five most probable output tokens of every position, and the softmax of the selected one."""
    all_logits = current.trace.logits
    assert all_logits is not None
    sentence_logits = all_logits[at.sentence]
    logits, top = sentence_logits[at.token], top_tokens(sentence_logits, RANKS)

    def select(selection: Selection) -> None:
        """Select the position, and the output token of this rank there."""
        if "rank" in selection:
            row = sentence_logits[selection.get("token", at.token)]
            choose_output(int(top_tokens(row, selection["rank"] + 1).ids[-1]))
        focus.move_focus(selection)

    question = _ratio_question(current, at, logits, output_id)
    ask_first(question, "Predicted tokens")
    inspection = inspect_cell(current, at, Cell("probabilities", (at.sentence, at.token, output_id)))
    parts = scenes.predicted_tokens(
        top, logits, current.vocabulary, at, real=current.batch.real[at.sentence], output_id=output_id,
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="full_stack_predictions_plot", inspection=inspection, on_click=select)
    frame.render_explained(_describe(current, at, logits, output_id))
    ranks = [f"rank {name}" for name in dimensions(top.ids.shape[1], 1)]
    return Depths(
        {
            "probabilities": NumberTable(top.probabilities, at.labels, ranks),
            "logits": NumberTable(sentence_logits, at.labels, current.vocabulary),
        },
        rf"\begin{{aligned}} {output_head_formula(current.config, len(at.labels))} \\ "
        r"p_{tv} &= \text{softmax}_v(\mathrm{logits}_t) \end{aligned}",
        [top_tokens, softmax],
        question,
        inspection,
    )


def _describe(current: Model, at: Focus, logits: Float[np.ndarray, "vocab"], output_id: int) -> str:
    """Caption: the logit, the probability and the rank of the output token."""
    probability, rank = softmax(logits)[output_id], int(rank_of(logits, output_id))
    token = escape_token(at.labels[at.token])
    return (
        f"At each position, the output head gives one [[logit]] to each of the {len(logits)} tokens of the "
        "[[vocabulary]]. "
        f"At “{token}”, {output_name(current, output_id)} has the logit {format_number(logits[output_id], 3)}, a "
        f"probability of {format_probability(probability, 3)} and rank {rank}.{chance_note(current)}"
    )


def _ratio_question(current: Model, at: Focus, logits: Float[np.ndarray, "vocab"], output_id: int) -> Question:
    """From the difference of two logits to the ratio of their probabilities."""
    order = top_tokens(logits, len(logits)).ids.tolist()
    other = next((token_id for token_id in order if token_id != output_id), output_id)
    first, second = (output_id, other) if order.index(output_id) < order.index(other) else (other, output_id)
    difference = float(logits[first]) - float(logits[second])
    token, gap = escape_token(at.labels[at.token]), format_number(difference, 3)
    right = f"{format_number(np.exp(difference), 3)} times"
    if difference < 0.05 or difference > _MAX_EXPONENT:
        return _shift_question(token)
    (gap_text,) = format_calculation([difference], math.exp(difference), math.exp).operands
    return Question(
        f"at “{token}”, the logit of {output_name(current, first)} is {gap_text} larger than that of "
        f"{output_name(current, second)}. How many times as probable is it?",
        right,
        "The sum over the vocabulary is the same for both, so the ratio is e to the difference of the logits.",
        without_duplicates(
            right,
            [
                WrongOption(
                    f"{gap} times",
                    "This is the difference of the logits. Softmax takes its exponential.",
                    "the formula: softmax of the logits",
                ),
                WrongOption(
                    f"{format_number(10**difference, 3)} times",
                    "This would be the ratio with powers of 10. Softmax uses powers of e.",
                    "the formula: softmax of the logits",
                ),
            ],
        ),
    )


def _shift_question(token: str) -> Question:
    """For two logits that are almost equal, or so different that their ratio is a long number."""
    return Question(
        f"10 is added to each logit at “{token}”. What happens to the probabilities?",
        "nothing",
        "Every exponential is multiplied by e¹⁰, and so is their sum, by which it is divided.",
        [
            WrongOption(
                "each of them grows",
                "The probabilities of a position always add up to 1, so they cannot all grow.",
                "the formula: softmax divides by the sum over the vocabulary",
            ),
            WrongOption(
                "they become more alike, because 10 is large",
                "Only differences of logits count, and these stay.",
                "the formula: softmax divides by the sum over the vocabulary",
            ),
        ],
    )
