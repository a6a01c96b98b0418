"""Sections of the positions page: the similarity of positions, and the question about it."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.questions import Question
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.position_choice import PositionChoice
from dashboard.theme import current_theme
from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import format_number, largest_magnitude
from encoder_core.scenes import positions as scenes

Encoding = Float[np.ndarray, "position d_model"]


def render_similarity(encoding: Encoding) -> None:
    """The dot products of all pairs of positions, as a heatmap and by distance."""
    st.header("Similarity of positions", anchor=False)
    dots = encoding @ encoding.T
    render_plot(scenes.similarity(dots, current_theme()), key="positions_similarity_plot")
    low, _, high = similarity_by_distance(dots)
    spread = float((high - low).max())
    spread_text = format_number(spread, 3)
    if not dots.any():
        verdict = "Every dot product is 0, because every row is zero."
    elif spread < 1e-3 * largest_magnitude(dots):
        verdict = f"Pairs at the same distance differ by at most **{spread_text}**: only the distance matters."
    else:
        verdict = f"Pairs at the same distance differ by up to **{spread_text}**: the positions matter as well."
    st.caption(
        "Each cell is the dot product of two positions. If every sine has a cosine of the same frequency, all rows "
        "have the same length, and the dot product compares directions only. Rows of a learned table differ in length, "
        "and longer rows tend to have larger dot products. The curve is the mean at each distance; the band spans the "
        f"smallest to the largest value. {verdict}"
    )


def distance_question(current: Model, at: Focus, choice: PositionChoice, encoding: Encoding) -> Question:
    """Is the dot product of two positions the same for another pair at the same distance?"""
    shift = len(encoding) // 3
    first = min(at.token, shift)
    second = first + 2
    here, there = (float(encoding[first + offset] @ encoding[second + offset]) for offset in (0, shift))
    is_same = np.isclose(here, there, rtol=0, atol=1e-4 * (1 + np.abs(encoding[first] @ encoding[first])))
    if is_same:
        why = "Here the dot product depends only on the distance." if encoding.any() else "Every row is zero."
    elif choice == "learned" and not (choice == current.positions and current.is_trained):
        why = "The rows of this table are random, so the distance does not determine the dot product."
    else:
        why = "Here the dot product does not depend on the distance alone."
    return Question(
        f"positions {first + 1} and {second + 1} have the dot product {format_number(here, 3)}. What is it {shift} "
        f"positions later, for {first + shift + 1} and {second + shift + 1}?",
        ["the same", "larger", "smaller"],
        0 if is_same else 1 if there > here else 2,
        f"It is {format_number(there, 3)}. {why}",
    )
