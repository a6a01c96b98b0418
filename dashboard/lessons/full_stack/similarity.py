"""Similarity by layer: the cosine of tokens with their embeddings and with each other."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question
from dashboard.lessons.embedding.cosine_table import COSINE_FORMULA
from dashboard.lessons.full_stack.hidden_states import stage_names
from dashboard.lessons.full_stack.view import Depths
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core.analysis import cosines, mean_off_diagonal, residual_stream
from encoder_core.explain.number_format import format_number
from encoder_core.figures.base import label
from encoder_core.scenes import residual_stream as scenes


def render_similarity(current: Model, at: Focus, _: None) -> Depths:
    """Cosine of each token with its own embedding, and with the other tokens, by layer."""
    real = np.flatnonzero(current.batch.real[at.sentence])  # without padding, which may precede the tokens
    stages = residual_stream(current.trace, at.sentence, final_norm=current.config.final_norm)[:, real]
    names, labels = stage_names(current.config), [at.labels[place] for place in real]
    token = real.tolist().index(at.token) if at.token in real else None
    own_cosines = np.stack([np.diagonal(cosines(stages[0], rows)) for rows in stages])
    between = cosines(stages, stages)
    others = mean_off_diagonal(between)
    series = {"itself, mean": own_cosines.mean(axis=1), "the others, mean": others}
    if token is not None:
        series[f"“{label(labels[token])}” itself"] = own_cosines[:, token]
    parts = scenes.similarity(series, between, names, at, places=real.tolist(), theme=current_theme())
    render_plot(parts, key="full_stack_cosine_plot")
    st.caption(
        "“Itself”: the cosine with the token's own embedding; a falling line means that the blocks change its "
        "direction. “The others”: the mean cosine with the other tokens at the same layer; a rising line means that "
        "tokens become more similar. The figure does not show why: attention, biases, norms and feed-forward all "
        "contribute."
    )
    after = between[at.layer + 1]
    return Depths(
        {
            f"after block {at.layer + 1}": Table(after, labels, labels),
            "with own embedding": Table(own_cosines, names, labels),
        },
        COSINE_FORMULA,
        [cosines, mean_off_diagonal],
        _trend_question(others) if len(real) > 1 else _angle_question(float(own_cosines[-1, 0])),
    )


def _trend_question(others: Float[np.ndarray, "stage"]) -> Question:
    change = float(others[-1] - others[0])
    return Question(
        "from the embedding to the output, do the tokens of this sentence become more similar?",
        ["more similar", "less similar", "neither: their mean cosine changes by less than 0.001"],
        2 if abs(change) < 1e-3 else int(change < 0),
        f"Their mean cosine changes from {format_number(others[0], 3)} to {format_number(others[-1], 3)}.",
    )


def _angle_question(cosine: float) -> Question:
    return Question(
        "what is the angle between this token's output and its embedding?",
        ["less than 60° (cosine above 0.5)", "60° or more"],
        int(cosine <= 0.5),
        f"Their cosine is {format_number(cosine, 3)}.",
    )
