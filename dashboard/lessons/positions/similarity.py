"""Sections of the positions page: the similarity of positions, and the question about it."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.questions import Question, WrongOption
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.position_choice import PositionChoice
from dashboard.theme import current_theme
from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import largest_magnitude
from encoder_core.scenes.inputs import positions as scenes
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import format_count

Encoding = Float[np.ndarray, "position d_model"]


def render_similarity(choice: PositionChoice, encoding: Encoding, traced: int, inspection: Inspection | None) -> None:
    """The dot products of all pairs of positions, as a heatmap and by distance.

    traced      the number of positions of the text
    inspection  that of the page; None where the encoding is not the model's
    """
    st.header("Similarity of positions", anchor=False)
    dots = encoding @ encoding.T
    parts = scenes.similarity(dots, traced=traced if inspection else 0, theme=current_theme())
    render_plot(parts, key="positions_similarity_plot", inspection=inspection)
    low, _, high = similarity_by_distance(dots)
    spread = _spread(low, high)
    spread_text = format_number(spread, 3)
    if not dots.any():
        verdict = "Every dot product is 0, because every row is zero."
    elif _is_rounding(spread, dots):
        verdict = f"Pairs at the same distance differ by at most **{spread_text}**: only the distance matters."
    else:
        verdict = f"Pairs at the same distance differ by up to **{spread_text}**: the positions matter as well."
    st.caption(
        f"Each cell is the dot product of two positions. {_lengths(choice, encoding)}The curve is the mean at each "
        f"distance; the band spans the smallest to the largest value. {verdict}{_with_itself(low[0], high[0])}"
    )


def _with_itself(low: float, high: float) -> str:
    """A sentence, after a space, on the distance that the curve leaves out."""
    least, most = format_number(low, 3), format_number(high, 3)
    return (
        " The curve leaves out distance 0: the dot product of a position with itself is its squared length, "
        f"{least if least == most else f'{least} to {most}'}."
    )


def _spread(low: Float[np.ndarray, "distance"], high: Float[np.ndarray, "distance"]) -> float:
    """The largest difference between two pairs of positions at the same distance."""
    return float((high - low)[1:].max(initial=0.0))


def _is_rounding(spread: float, dots: Float[np.ndarray, "position position"]) -> bool:
    """Whether the pairs at each distance have the same dot product, up to rounding."""
    return spread <= 1e-3 * largest_magnitude(dots)


def _lengths(choice: PositionChoice, encoding: Encoding) -> str:
    """A sentence on the lengths of the rows, on which dot products depend, with a space; empty without positions."""
    if choice == "none":
        return ""
    if choice in ("sinusoidal", "concatenated") and encoding.shape[1] % 2 == 0:
        return (
            "Every sine has a cosine of the same frequency, so all rows have the same length, and the dot product "
            "compares directions only. "
        )
    rows = (
        "The rows of this table" if choice == "learned" else "Not every sine has a cosine of its frequency, so the rows"
    )
    return f"{rows} differ in length, and longer rows tend to have dot products that are larger in absolute value. "


def distance_question(current: Model, at: Focus, choice: PositionChoice, encoding: Encoding) -> Question:
    """Is the dot product of two positions the same for another pair at the same distance?"""
    dots = encoding @ encoding.T
    third = len(encoding) // 3
    first = min(at.token, third)
    second = first + 2
    low, _, high = similarity_by_distance(dots)
    here, is_same = float(dots[first, second]), _is_rounding(_spread(low, high), dots)
    there_by_shift = {
        shift: float(dots[first + shift, second + shift]) for shift in range(third, len(encoding) - second)
    }
    # Single pairs of a table can have nearly the same dot product by chance: the one that differs most.
    shift = third if is_same else max(there_by_shift, key=lambda s: abs(there_by_shift[s] - here))
    there = there_by_shift[shift]
    digits = next((d for d in (3, 5) if is_same or format_number(here, d) != format_number(there, d)), 7)
    text = (
        f"positions {first + 1} and {second + 1} have the dot product {format_number(here, digits)}. What is it "
        f"{format_count(shift, 'position')} later, for {first + shift + 1} and {second + shift + 1}?"
    )
    if is_same:
        reason = "Here the dot product depends only on the distance." if encoding.any() else "Every row is zero."
        further = (
            "Later positions do not have longer vectors here, and only the distance between two positions counts."
            if encoding.any()
            else "Every row is zero, at every position."
        )
        where = "the heatmap of the dot products: it is constant along each diagonal"
        wrong = [WrongOption("larger", further, where), WrongOption("smaller", further, where)]
        return Question(text, "the same", f"It is {format_number(there, digits)}. {reason}", wrong)
    reason = "Here the dot product does not depend on the distance alone."
    if choice == "learned" and not (choice == current.positions and current.is_trained):
        reason = "The rows of this table are random, so the distance does not determine the dot product."
    misconception = (
        "That the distance alone counts is a property of sinusoids whose sines each have a cosine of the same "
        "frequency. This encoding does not have it."
    )
    return Question(
        text,
        "another number",
        f"It is {format_number(there, digits)}. {reason}",
        [WrongOption("the same", misconception, "the band around the curve: it spans pairs at the same distance")],
    )
