"""The questions of the views of hidden states: what would change."""

import numpy as np
from jaxtyping import Float

from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.reach import is_reach_limited
from dashboard.lessons.full_stack.view import depth_question
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import cosines, mean_off_diagonal
from encoder_core.analysis.language.token_kinds import SPECIAL
from encoder_core.explain.sublayers import layer_norm_steps, norm_parameters
from encoder_core.support.number_format import format_number

_CLEAR = 1e-2  # change of a vector, as a fraction of its largest number, that counts
_LONG = 10  # the common vector is so many times as long as the longest output


def empty_layer_question(current: Model, at: Focus) -> Question:
    """What is the output of a layer whose two sublayers give zeros?"""
    x = current.trace.layers[at.layer].resid_pre[at.sentence, at.token].astype(float)
    normed = x
    for name in ("norm1", "norm2"):
        parameters = norm_parameters(current.parameters, at.layer, name)
        normed = layer_norm_steps(normed, *parameters, current.config.norm_eps).output
    is_post = current.config.norm == "post"
    is_plain = current.run.residual_factors(at.layer) == (1, 1)
    if not is_plain or min(np.abs(x).max(), np.abs(normed).max()) < _CLEAR:
        return depth_question(current)
    differ = np.abs(normed - x).max() > _CLEAR * np.abs(x).max()
    unchanged, after_norms = "its input, unchanged", "its input after the two norms"
    zeros = WrongOption(
        "a row of zeros",
        "A layer does not replace the vector: the input of each sublayer is added to its output.",
        "the steps of one token: each layer changes "
        + ("the vector before it" if current.config.has_chained_layers else "the input of the encoder"),
    )
    text = (
        f"attention and feed-forward of layer {at.layer + 1} both give zeros. What is the output of this layer for "
        f"“{escape_token(at.labels[at.token])}”?"
    )
    if is_post:
        wrong = WrongOption(
            unchanged, "This model is post-norm: the sum itself is normalised after each sublayer.", "the layer's code"
        )
        why = "0 is added to the vector, and the sum is normalised after each of the two sublayers."
        return Question(text, after_norms, why, [zeros, wrong] if differ else [zeros])
    wrong = WrongOption(
        after_norms,
        "This model is pre-norm: only the input of a sublayer is normalised, not the residual stream.",
        "the page Add and norm: the thick line passes no norm",
    )
    why = "The residual stream passes the layer unchanged, and 0 is added to it twice."
    return Question(text, unchanged, why, [zeros, wrong] if differ else [zeros])


def common_vector_question(outputs: Float[np.ndarray, "seq d_model"]) -> Question:
    """What happens to the cosines between the tokens if the same vector is added to each of them?

    Without a clear effect, as for a single token, the question is about a factor instead.
    """
    longest = float(np.linalg.norm(outputs, axis=-1).max())
    common = np.full(outputs.shape[1], _LONG * longest / np.sqrt(outputs.shape[1]))
    rows = outputs.astype(float)
    before, after = (
        (float(mean_off_diagonal(cosines(x, x))) for x in (rows, rows + common)) if len(rows) > 1 else (1.0, 1.0)
    )
    if after - before < _CLEAR:
        return _longer_vectors_question()
    return Question(
        f"the same vector, {_LONG} times as long as the longest output, is added to the output of every token. What "
        "happens to the mean cosine between the tokens?",
        "it rises",
        f"With a vector of equal numbers it would rise from {format_number(before, 3)} to {format_number(after, 3)}: "
        "the tokens then share a large part. So a high cosine can come from a part that all tokens have in common, and "
        "says little about their meaning.",
        [
            WrongOption(
                "nothing: all vectors change alike",
                "The differences between the vectors stay, but a cosine compares directions, which all turn towards "
                "the common vector.",
                "the formula: both lengths in the denominator grow",
            ),
            WrongOption(
                "it falls: the vectors get longer",
                "Only a factor would leave the directions alone; an added vector makes them more alike.",
                "the formula: the dot product grows by the square of the common length",
            ),
        ],
    )


def _longer_vectors_question() -> Question:
    return Question(
        "every output vector becomes twice as long. What happens to the cosines?",
        "nothing",
        "A cosine is a dot product divided by both lengths: it compares directions.",
        [
            WrongOption(
                "they are doubled",
                "The dot product grows, but it is divided by lengths that grow as well.",
                "the formula: both lengths are in the denominator",
            ),
            WrongOption(
                "they are multiplied by four",
                "This holds for the dot product of two vectors that are both doubled, before the division.",
                "the formula: both lengths are in the denominator",
            ),
        ],
    )


def first_input_question(current: Model, word: str, first: tuple[int, int], second: tuple[int, int]) -> Question:
    """How do two occurrences of a word, each given by sentence and place, differ before the first layer?"""
    one, other = (current.trace.embedded[place] for place in (first, second))
    are_equal = bool(np.abs(one - other).max() < 1e-5)
    by_position = current.config.positions != "none" and first[1] != second[1]
    has_cosine = one.any() and other.any()  # that of a row of zeros is 0
    if current.trace.kept is not None or are_equal == by_position or not has_cosine:  # dropout, or an edit of one
        return depth_question(current)
    other_sentence = f"sentence {second[0] + 1}"
    equal, positions = "they are equal", "they differ by their positions only"
    if are_equal:
        reason = "The model adds no positions" if current.config.positions == "none" else "They have the same position"
        wrong = WrongOption(positions, f"{reason}.", f"the first point of the curve of {other_sentence}: it is 1")
    else:
        reason = f"They are at the positions {first[1] + 1} and {second[1] + 1}"
        wrong = WrongOption(
            equal,
            f"{reason}, and the vector of the position is added to the row of the table.",
            f"the first point of the curve of {other_sentence}, below 1",
        )
    return Question(
        f"before the first layer, how do the vectors of “{escape_token(word)}” in sentences {first[0] + 1} and "
        f"{second[0] + 1} differ?",
        equal if are_equal else positions,
        f"Both have the same row of the embedding table. {reason}. Context enters with the layers.",
        [
            wrong,
            WrongOption(
                "they differ by their contexts",
                "The embedding knows nothing of the other words. Attention brings in the context, from layer 1 on.",
                "the curves: the context can only act after layer 0",
            ),
        ],
    )


def layer_0_question(current: Model, word: str) -> Question:
    """What is the cosine of two occurrences of a word at layer 0 of an encoder without positions?"""
    token = escape_token(word)
    has_positions = current.config.positions != "none"
    return Question(
        f"in an encoder without positions, what is the cosine of two occurrences of “{token}”, written alike, in "
        "different sentences at layer 0?",
        "exactly 1",
        f"At layer 0 both are the row of “{token}” in the table. "
        + ("In this encoder, their positions can make a difference." if has_positions else "This encoder is one."),
        [
            WrongOption(
                "below 1, because the sentences differ",
                "At layer 0 no token has attended to another yet.",
                "layer 0 in the figure, compared with the last layer",
            ),
            WrongOption(
                "it depends on whether the encoder is trained",
                "Training changes the row, but both occurrences have the same one.",
                "the page Tokens and embedding lookup: an id selects one row",
            ),
        ],
    )


def reversed_sentence_question(current: Model, at: Focus) -> Question:
    """Does the sentence vector change if the words are put in reverse order?"""
    real = current.batch.real[at.sentence]
    words = [at.labels[place] for place in np.flatnonzero(real) if at.labels[place] not in SPECIAL]
    pairs = current.trace.mask[at.sentence][:, real][:, :, real]
    has_positions, all_visible = current.config.positions != "none", bool(pairs.all())
    is_causal = bool((pairs == np.tri(pairs.shape[-1], dtype=bool)).all()) and not all_visible
    ordered = has_positions or is_causal
    effects = current.run.effects  # a number that an edit sets stays at its position when the words change places
    sets_numbers = bool(effects.scores or effects.embedded or effects.ids)
    is_clear = not is_reach_limited(current, at.sentence) if ordered else all_visible and current.trace.kept is None
    if words == words[::-1] or sets_numbers or not is_clear:
        return depth_question(current)
    stays, changes = "it stays: a mean does not depend on the order", "it can change: the outputs depend on the order"
    backwards = WrongOption(
        "it becomes the same vector read backwards",
        "The words are the rows of the mean. The numbers of a vector are its dimensions, which keep their order.",
        "the formula: t runs over tokens, not over dimensions",
    )
    text = f"the words of sentence {at.sentence + 1} are put in reverse order. What happens to its vector?"
    if not ordered:
        wrong = WrongOption(
            changes,
            "This model adds no positions and every token attends to all words, so each output goes with its word.",
            "“Does the token order matter?” on the page Positions",
        )
        return Question(text, stays, "The same outputs are added up in another order.", [wrong, backwards])
    reason = (
        "Positions are added to the embeddings" if has_positions else "The causal mask hides other words after a change"
    )
    wrong = WrongOption(
        stays,
        f"The mean does not, but the vectors that are averaged do. {reason}.",
        "“Does the token order matter?” on the page Positions",
    )
    return Question(text, changes, f"{reason}, so the outputs can change.", [wrong, backwards])
