"""The view of cosines: how far tokens turn from their embedding, and how alike they become."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question
from dashboard.lessons.embedding.arithmetic import FORMULA
from dashboard.lessons.full_stack.hidden_states import stage_names
from dashboard.lessons.full_stack.view import Depths
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core.analysis import cosines, mean_off_diagonal, residual_stream
from encoder_core.explain.number_format import format_number
from encoder_core.figures.base import label
from encoder_core.scenes import full_stack as scenes


def similarity(current: Model, at: Focus, _: None) -> Depths:
    """Cosine of each token with its own embedding, and with the other tokens, by layer."""
    real = np.flatnonzero(current.batch.real[at.sentence])  # padding is like no token, and may stand in front
    stages = residual_stream(current.trace, at.sentence, final_norm=current.config.final_norm)[:, real]
    names, labels = stage_names(current.config), [at.labels[place] for place in real]
    token = real.tolist().index(at.token) if at.token in real else None
    own = np.stack([np.diagonal(cosines(stages[0], rows)) for rows in stages])
    between = cosines(stages, stages)
    others = mean_off_diagonal(between)
    series = {"itself, mean": own.mean(axis=1), "the others, mean": others}
    if token is not None:
        series[f"“{label(labels[token])}” itself"] = own[:, token]
    parts = scenes.similarity(series, between, names, at, tokens=labels, places=real.tolist(), theme=current_theme())
    plot(parts, key="full_stack_cosine_plot")
    st.caption(
        "“Itself” is the token's own embedding: a falling line says how far the blocks have turned it. “The others” "
        "are the other tokens at the same layer: a rising line says that tokens become more alike. This is "
        "measured; its cause is not: attention, biases, norms and the feed-forward network all contribute."
    )
    after = between[at.layer + 1]
    return Depths(
        {f"after block {at.layer + 1}": Table(after, labels, labels), "with own embedding": Table(own, names, labels)},
        FORMULA,
        [cosines, mean_off_diagonal],
        _more_alike(others) if len(real) > 1 else _turned(float(own[-1, 0])),
    )


def _more_alike(others: Float[np.ndarray, "stage"]) -> Question:
    change = float(others[-1] - others[0])
    return Question(
        "from the embedding to the output, do the tokens of this sentence become more alike?",
        ["more alike", "less alike", "neither: their mean cosine changes by less than 0.001"],
        2 if abs(change) < 1e-3 else int(change < 0),
        f"Their mean cosine goes from {format_number(others[0], 3)} to {format_number(others[-1], 3)}.",
    )


def _turned(cosine: float) -> Question:
    return Question(
        "how far does this one token turn away from its embedding?",
        ["less than 60° (cosine above 0.5)", "60° or more"],
        int(cosine <= 0.5),
        f"At the end its cosine with the embedding is {format_number(cosine, 3)}.",
    )
