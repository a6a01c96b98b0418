"""Sections of the positions: what enters the first block, and which positions are alike."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import CURVES
from dashboard.state.session import session
from dashboard.state.settings import PositionChoice, chosen_with
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.analysis import similarity_by_distance
from encoder_core.explain.first_input import FirstInput
from encoder_core.explain.sublayers import NormSteps
from encoder_core.figures import Window, format_number, limit_of
from encoder_core.scenes import positions as scenes

Rows = Float[np.ndarray, "seq d_model"]
MOST_CURVES = 6


def pick_curves(d_model: int) -> list[int]:
    """The dimensions that are drawn as curves: 4 to 7, until others are chosen."""
    first = tuple(range(d_model)[4:8] or range(d_model))
    chosen = session().get(CURVES)
    if chosen is not None and any(dimension >= d_model for dimension in chosen):
        session().refuse(CURVES, f"this model has the dimensions 0 to {d_model - 1}", first)
        session().put(CURVES, None)
        chosen = None
    drawn = list(first if chosen is None else chosen)
    bound = shows(
        CURVES, drawn, d_model, begins="default",
        changed=lambda dimensions: session().set(CURVES, tuple(sorted(dimensions))),
    )  # fmt: skip
    st.multiselect("Dimensions drawn as curves", range(d_model), max_selections=MOST_CURVES, **bound)
    return drawn


def of_model(current: Model, layout: PositionChoice) -> str:
    """What the model has to do with the encoding shown."""
    if layout != current.positions:
        where = " (More choices in the sidebar)" if "positions" in chosen_with(current.settings.encoder) else ""
        return f" :orange[This model uses: {ENCODINGS[current.positions].label}{where}.]"
    if not current.settings.trained:
        return ""
    return " This table is trained. Its rows include what BERT adds to every token of a first text, its segment vector."


def sum_and_norm(
    current: Model, at: Focus, position: Rows, found: FirstInput, columns: Window, inspection: Inspection | None
) -> None:
    """Scaled embedding + position on one scale, and the norm of the sum where the model has one: what enters the first
    block. Nothing is `looked` at where it is only what would enter."""
    enters = "enters the first block" if inspection else "would enter the first block with this encoding"
    st.subheader(f"What {enters}", anchor=False)
    scaled, normed = current.trace.scaled_embedding[at.sentence], found.norm is not None
    parts = scenes.position_added(
        scaled, position, found.total if normed else found.embedded, at, tokens=at.labels, columns=columns,
        title="embedding sum" if normed else "embedded", in_use=inspection is not None, theme=current_theme(),
    )  # fmt: skip
    plot(parts, key="positions_sum_plot", inspection=inspection)
    if found.norm is not None:
        _norm_of_sum(at, found.norm, found.embedded, columns, inspection)


def _norm_of_sum(at: Focus, norm: NormSteps, embedded: Rows, columns: Window, inspection: Inspection | None) -> None:
    parts = scenes.sum_normed(norm, embedded, at, tokens=at.labels, in_use=inspection is not None, columns=columns,
                              theme=current_theme())  # fmt: skip
    plot(parts, key="positions_norm_plot", inspection=inspection)
    st.caption(
        "This model has an **embedding norm**: each token's sum, a row, is brought to mean 0 and variance 1; then each "
        "dimension, a column, is scaled by its γ and shifted by its β, which are learned. Colours have another scale "
        "than those of the sum. The page Add and norm takes a norm apart."
    )


def similarity(encoding: Float[np.ndarray, "position d_model"]) -> None:
    """The dot product of every position with every other, and by distance."""
    st.subheader("Which positions are alike?", anchor=False)
    dots = encoding @ encoding.T
    plot(scenes.similarity(dots, current_theme()), key="positions_similarity_plot")
    low, _, high = similarity_by_distance(dots)
    spread = float((high - low).max())
    apart = format_number(spread, 3)
    if not dots.any():
        verdict = "Every dot product is 0: no position adds anything."
    elif spread < 1e-3 * limit_of(dots):
        verdict = f"Pairs that are equally far apart differ by **{apart}** at most: the distance alone decides."
    else:
        verdict = f"Pairs that are equally far apart differ by up to **{apart}**: the distance alone does not decide."
    st.caption(
        "Each cell is a dot product, and its colour says how large it is. Where every sine has a "
        "cosine of its frequency, all rows have one length, so the dot product measures direction alone; rows of a "
        "learned table differ in length, and a long row has large dot products with many. The curve is the mean "
        f"dot product at each distance; the band behind it reaches from the smallest to the largest. {verdict}"
    )
