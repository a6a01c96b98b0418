"""The question, the colour scales and the variances of the page Scaled scores."""

from collections.abc import Collection

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.questions import Question, WrongOption
from dashboard.markdown import escape_token, name_in_sentence
from dashboard.selection.focus import Focus
from dashboard.state.choices import OWN_SCALES
from dashboard.state.widgets import bind_widget
from encoder_core.support.number_format import format_calculation, format_number

Row = Float[np.ndarray, "key"]
Rows = Float[np.ndarray, "query key"]

_ROUNDING = 1e-6  # relative difference of equal dot products in 32-bit floating point


def longer_query_question(
    at: Focus, scores: Row, dot_products: Row, scale: float, set_by_hand: Collection[int] = ()
) -> Question:
    """What happens to a row of scores if its query becomes twice as long?

    scores       the row, -inf where a key is masked; the computed ones are scale times `dot_products`
    set_by_hand  the keys whose scores an edit has set
    """
    query = escape_token(at.labels[at.token])
    computed = np.isfinite(scores) & (np.abs(dot_products) > 1e-6)
    computed[list(set_by_hand)] = False
    text = f"the query of “{query}” becomes twice as long, in the same direction. What happens to its row of scores?"
    if not computed.any():
        if set_by_hand:
            return _set_question(query)
        visible = np.isfinite(scores)
        return _length_question(query, hides_keys=not visible.all()) if visible.any() else _mask_question(query)
    key = int(np.where(computed, np.abs(dot_products), -1).argmax())
    score = scale * float(dot_products[key])
    (before,), _, after, _ = format_calculation([score], 2 * score, lambda number: 2 * number)
    wrong = [
        WrongOption(
            "nothing, because a score compares directions",
            "This would hold for the cosine. A dot product also grows with the lengths of its two vectors.",
            "the arithmetic of a cell: each number of the query is a factor of its own product",
        ),
        WrongOption(
            "each score is multiplied by four",
            "Only the query is longer. The keys stay as they are, so each product has one doubled factor.",
            "Q and K above the products: a score has one row of each",
        ),
    ]
    differences = _doubled_differences(scores, set_by_hand)
    if differences:
        wrong[1] = WrongOption(
            "the same number is added to each score",
            f"Then softmax would not change. Doubling also doubles {differences}"
            + ("." if set_by_hand else ", so the weights become sharper."),
            "the numbers of the row: large scores would change more than small ones",
        )
    return Question(
        text,
        "each visible score is doubled" + ", except those set by hand" * bool(set_by_hand),
        f"For the key “{escape_token(at.labels[key])}”, {before} would become {after}."
        + f" {differences.capitalize()} double, too, and softmax turns them into ratios of weights."
        * bool(differences),
        wrong,
    )


def _doubled_differences(scores: Row, set_by_hand: Collection[int]) -> str:
    """The differences that double with the query, as text; "" without two different scores that depend on it."""
    depends = np.isfinite(scores)
    depends[list(set_by_hand)] = False
    if not depends.any() or np.ptp(scores[depends]) <= 1e-3 * np.abs(scores[depends]).max():
        return ""
    return "the differences between the scores" + " that are not set by hand" * bool(set_by_hand)


def render_scales_toggle() -> None:
    """Render the toggle with which the scores have another colour scale than the dot products, below the figure."""
    st.toggle(
        "A colour scale for the scores alone", **bind_widget(OWN_SCALES),
        help="On one scale with Q Kᵀ, division makes the colours paler. On a scale of their own, small differences "
        "between scores are visible.",
    )  # fmt: skip


def variance_text(at: Focus, dot_products: Rows, scale: float) -> str:
    """The variances of the dot products before and after scaling, of the selected row and averaged over the rows."""
    of_row, mean = (
        [f"**{format_number(_mean_row_variance(x), 3)}**" for x in (rows, rows * np.float32(scale))]
        for rows in (dot_products[[at.token]], dot_products)
    )
    row = f"Variance of the row of {name_in_sentence(at.labels, at.token)} in Q Kᵀ (masked keys included)"
    if scale == 1:
        return f"{row}: {of_row[0]}; averaged over the rows, {mean[0]}."
    return f"{row}: {of_row[0]} before scaling, {of_row[1]} after it; averaged over the rows, {mean[0]} and {mean[1]}."


def _mean_row_variance(rows: Rows) -> float:
    """The variance of the numbers of a row, averaged over the rows; 0 for a row of numbers that differ by rounding."""
    is_constant = np.ptp(rows, axis=1) <= _ROUNDING * np.abs(rows).max(axis=1)
    return float(np.where(is_constant, 0, rows.var(axis=1)).mean())


def _mask_question(query: str) -> Question:
    return Question(
        f"every key is masked for “{query}”. Its query becomes twice as long. What happens to its row of scores?",
        "nothing: every score stays −∞",
        "The mask is applied after the dot products, whatever they are.",
        [
            WrongOption(
                "each score is doubled, so keys become visible",
                "The dot products are doubled, but the mask then replaces every one of them.",
                "the last step of the figure, which adds the mask",
            ),
            WrongOption(
                "every score becomes 0",
                "0 is an ordinary score, which softmax would give a positive weight.",
                "the formula: a masked key has M = −∞",
            ),
        ],
    )


def _set_question(query: str) -> Question:
    """For a row whose visible scores are set by edits, or 0."""
    return Question(
        f"every visible score of “{query}” is set by hand, or 0. Its query becomes twice as long. What happens to its "
        "row of scores?",
        "nothing",
        "A score that is set by hand does not depend on the query, and two times 0 is 0.",
        [
            WrongOption(
                "each visible score is doubled",
                "The dot products are doubled, but the number that is set replaces the score.",
                "the list of edits above: each of them sets a score to a number, whatever the query is",
            ),
            WrongOption(
                "each visible score becomes −∞",
                "Only the mask sets a score to −∞.",
                "the formula: M does not depend on the query",
            ),
        ],
    )


def _length_question(query: str, *, hides_keys: bool) -> Question:
    """For a row without a visible dot product that differs from 0."""
    return Question(
        f"the {'visible ' * hides_keys}dot products of “{query}” are all 0. Its query becomes twice as long. What "
        "happens to its row of scores?",
        "nothing",
        "Two times 0 is 0: the query has no part in the directions of the visible keys.",
        [
            WrongOption(
                "each visible score becomes 2",
                "The length is a factor, not a number that is added.",
                "the arithmetic of a cell: the score is a sum of products",
            ),
            WrongOption(
                "each visible score becomes −∞",
                "Only the mask sets a score to −∞.",
                "the formula: M does not depend on the query",
            ),
        ],
    )
