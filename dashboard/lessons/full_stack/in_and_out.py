"""The view of the two ends: what goes into the first block, and what comes out after the last."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.full_stack.view import Depths, blocks_in_words, enters, which_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import Encoder
from encoder_core.analysis import cosines
from encoder_core.figures import Window, dimensions
from encoder_core.scenes import full_stack as scenes
from encoder_core.scenes.position import text_slice


def in_and_out(current: Model, at: Focus, columns: Window) -> Depths:
    """What goes into the first block, what comes out after the last, and how much of its direction is left."""
    config = current.config
    before, after = current.trace.embedded[at.sentence], current.trace.output[at.sentence]
    cosine = np.diagonal(cosines(before, after))
    parts = scenes.in_and_out(
        before, after, cosine, columns, at, enters=enters(config), tokens=at.labels, theme=current_theme()
    )
    inspection = inspect_cell(current, at, text_slice("output", at).cell(at.token, columns.start))
    plot(parts, key="full_stack_ends_plot", inspection=inspection)
    st.caption(
        f"Between the two, {blocks_in_words(config)}. The cosine compares the direction of a token's output with that "
        "of its embedding: 1 is the same direction."
    )
    size, dims = rf"{len(at.labels)}\times{config.d_model}", dimensions(config.d_model)
    return Depths(
        {"output": Table(after, at.labels, dims), "embedded": Table(before, at.labels, dims)},
        rf"\underbrace{{Y}}_{{{size}}} = \text{{{'norm ∘ ' if config.final_norm else ''}}}"
        rf"\text{{block}}_{{{config.num_layers}}} \circ \dots \circ \text{{block}}_1"
        rf" (\underbrace{{X}}_{{{size}}})",
        [Encoder.trace],
        which_token(
            at,
            "the output of which of these tokens is least similar in direction to its embedding?",
            -cosine,
            "Its cosine is {}.",
            -1,
        ),
        inspection,
    )
