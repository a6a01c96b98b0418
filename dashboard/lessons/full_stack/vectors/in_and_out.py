"""The input of the first layer beside the output of the encoder."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.vectors.reach_question import reach_question
from dashboard.lessons.full_stack.view import Depths, input_content, layers_text
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import Encoder
from encoder_core.analysis import cosines
from encoder_core.figures import Window, dimensions
from encoder_core.scenes import residual_stream as scenes
from encoder_core.scenes.focus import text_slice
from encoder_core.support.number_format import latex_sequence


def render_in_and_out(current: Model, at: Focus, columns: Window) -> Depths:
    """The input of the first layer, the output, and the cosine of the two for each token."""
    config = current.config
    question = reach_question(current, at)
    ask_first(question, "In and out")
    before, after = current.trace.embedded[at.sentence], current.trace.output[at.sentence]
    cosine = np.diagonal(cosines(before, after))
    parts = scenes.in_and_out(before, after, cosine, columns, at, enters=input_content(config), theme=current_theme())
    inspection = inspect_cell(current, at, text_slice("output", at).cell(at.token, columns.start))
    render_plot(parts, key="full_stack_ends_plot", inspection=inspection)
    final_norm = " and the final norm" if config.final_norm else ""
    st.caption(
        f"Between input and output: {layers_text(config)}{final_norm}. The cosine compares the directions of a token's "
        "vector at the input of the first layer and at the output; 1 means the same direction."
    )
    circle = r" \circ "
    layers = [rf"\text{{layer}}_{{{number}}}" for number in range(config.num_layers, 0, -1)]
    size, dims = rf"{len(at.labels)}\times{config.d_model}", dimensions(config.d_model)
    return Depths(
        {"output": NumberTable(after, at.labels, dims), "embedded": NumberTable(before, at.labels, dims)},
        rf"\underbrace{{Y}}_{{{size}}} = \text{{{'norm ∘ ' if config.final_norm else ''}}}"
        rf"{latex_sequence(layers, separator=circle)}"
        rf" (\underbrace{{X}}_{{{size}}})",
        [Encoder.trace],
        question,
        inspection,
    )
