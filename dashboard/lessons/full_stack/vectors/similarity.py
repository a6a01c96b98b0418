"""Similarity by layer: the cosine of tokens with their vectors at the input, and with each other."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.embedding.cosine_table import cosine_formula
from dashboard.lessons.full_stack.vectors.hidden_states import stage_names, stages_of
from dashboard.lessons.full_stack.vectors.padding_note import padding_note
from dashboard.lessons.full_stack.vectors.vector_questions import common_vector_question
from dashboard.lessons.full_stack.view import Depths
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, resolve_focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core.analysis import cosines, mean_off_diagonal
from encoder_core.figures.base import label
from encoder_core.scenes import residual_stream as scenes
from encoder_core.scenes.focus import layer_slice


def render_similarity(current: Model, at: Focus, _: None) -> Depths:
    """Cosine of each token with its own vector at the input, and with the other tokens, by layer."""
    real = np.flatnonzero(current.batch.real[at.sentence])  # without padding, which may precede the tokens
    stages = stages_of(current, at.sentence)[:, real]
    question = common_vector_question(stages[-1])
    ask_first(question, "Similarity")
    names, labels = stage_names(current.config), [at.labels[place] for place in real]
    token = real.tolist().index(at.token) if at.token in real else None
    own_cosines = np.stack([np.diagonal(cosines(stages[0], rows)) for rows in stages])
    between = cosines(stages, stages)
    others = mean_off_diagonal(between)
    series = {"itself, mean": own_cosines.mean(axis=1)} | ({"the others, mean": others} if len(real) > 1 else {})
    if token is not None:
        series[f"“{label(labels[token])}” itself"] = own_cosines[:, token]
    parts = scenes.similarity(series, between, names, at, places=real.tolist(), theme=current_theme())
    other = resolve_focus(current).key_token  # without a picker in this view: the key token of the other pages
    inspection = inspect_cell(current, at, layer_slice("resid_post_cosines", at).cell(at.token, other))
    render_plot(parts, key="full_stack_cosine_plot", inspection=inspection)
    of_others = (
        " “The others”: the mean cosine with the other tokens at the same layer; a rising line means that tokens "
        "become more similar."
    )
    st.caption(
        "“Itself”: the cosine with the token's own vector at the input of the first layer; a falling line means that "
        f"the layers change its direction.{of_others if len(real) > 1 else ''} The figure does not show why: all parts "
        f"of the layers contribute.{padding_note(current.trace)}"
    )
    after = between[at.layer + 1]
    return Depths(
        {
            f"after layer {at.layer + 1}": NumberTable(after, labels, labels),
            "with own input": NumberTable(own_cosines, names, labels, first=None),
        },
        cosine_formula(current.config.d_model),
        [cosines, mean_off_diagonal],
        question,
        inspection,
    )
