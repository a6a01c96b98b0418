"""The questions of the views of attention weights: what would change, and what a weight does not say."""

import numpy as np
from jaxtyping import Bool, Float

from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.reach import computed_keys
from dashboard.lessons.full_stack.view import depth_question
from dashboard.markdown import name_in_sentence, names_of_two
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import stack_patterns, visible_keys
from encoder_core.support.number_format import format_fixed, format_number, format_probability
from encoder_core.support.wording import head_name

Patterns = Float[np.ndarray, "*lead query key"]
_UNEVEN = 1e-3  # difference of two weights of a row from which it is not uniform
_NOTABLE = 0.02  # what is left of a row without a weight below it changes in no digit that is shown


def switched_off_question(current: Model, at: Focus) -> Question:
    """Which attention weights can change if the selected head is switched off?"""
    patterns, visible = stack_patterns(current.trace, at.sentence), visible_keys(current.trace, at.sentence)
    visible &= computed_keys(current.run, at.sentence).any(axis=-1, keepdims=True)  # other rows of weights are fixed
    is_last, is_chained = at.layer == len(patterns) - 1, current.config.has_chained_layers
    z = current.trace.layers[at.layer].z[at.sentence, at.head]
    reaches_later = not is_last and is_chained
    if not np.any(z) or (reaches_later and not _has_uneven_row(patterns[at.layer + 1 :], visible[at.layer + 1 :])):
        return depth_question(current)
    same_head = WrongOption(
        "those of this head",
        "Its weights are computed from its queries and keys before its output is used. Switching it off sets the "
        "output to 0, not the weights.",
        "the formula: A depends on the scores of this layer only",
    )
    neighbours = WrongOption(
        "those of the other heads of this layer",
        "All heads of a layer have the same input and work side by side; none uses the output of another.",
        "the formula: A depends on the scores of this layer only",
    )
    later, none = "those of all heads in later layers", "none: only the output changes"
    text = (
        f"{head_name(at.layer, at.head)} is switched off: its output is set to 0. Which attention weights can change?"
    )
    if reaches_later:
        missed = WrongOption(
            none,
            "The head's output is added to the residual stream, from which the later layers compute queries and keys.",
            "the grid: every row of tiles below this layer comes after it",
        )
        why = "The head writes into the residual stream, and every later layer computes its queries and keys from it."
        return Question(text, later, why, [same_head, neighbours, missed])
    if is_last:
        return Question(text, none, "No layer follows that could use its output.", [same_head, neighbours])
    why = "As in this tutorial's read-out, each layer shown computes its weights from the encoder's input."
    unchained = WrongOption(
        later, "In an ordinary stack they would. Here, no layer shown uses the output of another.", "the note above"
    )
    return Question(text, none, why, [same_head, neighbours, unchained])


def average_question(current: Model, at: Focus) -> Question:
    """Would the output of attention stay the same if every head used the average pattern of its layer?"""
    layer = current.trace.layers[at.layer]
    patterns, v = layer.pattern[at.sentence].astype(float), layer.v[at.sentence].astype(float)
    factors = current.run.head_factors(at.layer)[:, None, None]
    separate, averaged = factors * (patterns @ v), factors * (patterns.mean(axis=0) @ v)
    change = float(np.abs(averaged - separate).max() / max(np.abs(separate).max(), 1e-9))
    text = (
        f"suppose that every head of layer {at.layer + 1} used the average of their patterns instead of its own. What "
        "would happen to the output of attention?"
    )
    changes = "it would change: each head has its own values"
    if np.ptp(patterns, axis=0).max() < 1e-5:
        reason = "all heads of this layer have the same weights" if len(patterns) > 1 else "this layer has one head"
        missed = f"It would change if the weights of the heads differed, but {reason}."
        why = f"Here, {reason}, so the average is what each head uses now."
        return Question(
            text, "nothing", why, [WrongOption(changes, missed, "the patterns of the heads in “All heads”")]
        )
    if change < 1e-2:
        return depth_question(current)
    wrong = [
        WrongOption(
            "nothing: the average contains all weights",
            "An average does not say which head gave which weight, and each head applies its weights to other values.",
            "“All heads”: the patterns that the average replaces",
        )
    ]
    if np.abs(averaged - averaged[0]).max() > 1e-2 * np.abs(averaged).max():
        wrong.append(
            WrongOption(
                "all heads would output the same vectors",
                "They would have the same weights, but each would still apply them to its own value rows.",
                "the page Q · K · V: W_V differs from head to head",
            )
        )
    share = format_number(100 * change, 2)
    why = f"In this sentence, numbers of z would change by up to {share}% of its largest: an average hides the heads."
    return Question(text, changes, why, wrong)


def masked_key_question(current: Model, at: Focus) -> Question:
    """Where does the weight of a key go if it is masked?"""
    row = current.trace.layers[at.layer].pattern[at.sentence, at.head, at.token].astype(float)
    visible = visible_keys(current.trace, at.sentence)[at.layer, at.head, at.token]
    weight, others = float(row[at.key_token]), np.flatnonzero(visible & (np.arange(len(row)) != at.key_token))
    is_shared = len(others) > 1 and row[others].max() > 1.05 * row[others].min() and row[others].max() > _UNEVEN
    is_notable = visible[at.key_token] and _NOTABLE <= weight <= 1 - _NOTABLE
    if current.trace.kept is not None or not (is_notable and is_shared):
        return depth_question(current)
    query, key = names_of_two(at.labels, at.token, at.key_token)
    best = name_in_sentence(at.labels, int(others[row[others].argmax()]))
    factor, largest = 1 / (1 - weight), float(row[others].max())
    return Question(
        f"in {head_name(at.layer, at.head)}, {key} is masked for the query {query}. What happens to the weight of "
        f"{format_fixed(weight, 2)} that it has now?",
        "the other visible keys get it, in proportion to their weights",
        f"Softmax divides by the sum of the remaining exponentials, so each other weight is multiplied by "
        f"{format_number(factor, 3)}: {best} goes from {format_number(largest, 3)} to "
        f"{format_probability(factor * largest, 3)}.",
        [
            WrongOption(
                "the other visible keys get equal parts of it",
                "The ratio of two weights depends on their own two scores, which do not change.",
                "the page Softmax weights: each weight is exp(score) divided by the same sum",
            ),
            WrongOption(
                "the key with the next largest weight gets it",
                "Softmax does not pick a winner: all remaining keys share the weight.",
                "the page Softmax weights: each weight is exp(score) divided by the same sum",
            ),
            WrongOption(
                "nobody gets it: the row adds up to less than 1",
                "The division by the row's sum makes the visible weights add up to 1 again.",
                "the formula: softmax is computed after the mask",
            ),
        ],
    )


def importance_question(current: Model, at: Focus, role: str, weight: float, uniform: float) -> Question:
    """Does a large weight show that the output depends on a head?

    role             the tokens that the head attends to, as markdown
    weight, uniform  their mean weight in the selected head, and in a head that attends to all tokens alike
    """
    of_tokens = np.linalg.norm(current.trace.layers[at.layer].head_contributions, axis=-1).swapaxes(0, 1)
    lengths = of_tokens[:, current.batch.real].mean(axis=-1)
    head = head_name(at.layer, at.head)
    others = (
        f"; in the heads of this layer it is {format_number(lengths.min(), 2)} to {format_number(lengths.max(), 2)}"
        if len(lengths) > 1
        else ""
    )
    return Question(
        f"{head} gives {role} a mean weight of {format_fixed(weight, 2)}; uniform attention would give "
        f"{format_fixed(uniform, 2)}. What do these two numbers say about how much the output depends on this head?",
        "nothing: they do not contain what it passes on",
        f"What a head adds to a token is its weights times its values, times W_O. In the current input, this vector "
        f"has a mean length of {format_number(lengths[at.head], 2)}{others}.",
        [
            WrongOption(
                "the larger the weight, the more",
                "A head that adds almost nothing can have large weights, too.",
                "the view “Ablation”: it switches heads off and measures the change",
            ),
            WrongOption(
                "it depends on the head if the weight is above the uniform one",
                "That a head prefers some tokens does not show that later parts use what it passes on.",
                "the view “Ablation”: it switches heads off and measures the change",
            ),
        ],
    )


def flatter_head_question(at: Focus) -> Question:
    """How do the shares of the figure change if the weights of the head become flatter?"""
    return Question(
        f"all scores of {head_name(at.layer, at.head)} are divided by 2 before softmax, which makes its weights "
        "flatter. What happens to the share of queries whose largest weight is on a key of a certain kind?",
        "nothing",
        "The share counts where the largest weight of a query is. Division by 2 keeps the order of the scores, so the "
        "largest weight stays where it was, although it is smaller.",
        [
            WrongOption(
                "it is halved",
                "It is a share of queries, not a mean weight.",
                "the caption: it counts queries whose largest weight is on such a key",
            ),
            WrongOption(
                "it moves towards that of a key chosen at random",
                "Weights become more alike, but the largest of a row remains the largest.",
                "the formula: arg max does not depend on how large the maximum is",
            ),
        ],
    )


def _has_uneven_row(patterns: Patterns, visible: Bool[np.ndarray, "*lead query key"]) -> bool:
    """Whether the visible keys of some row have different weights."""
    largest = np.where(visible, patterns, -np.inf).max(axis=-1)
    smallest = np.where(visible, patterns, np.inf).min(axis=-1)
    return bool((largest - smallest > _UNEVEN).any())
