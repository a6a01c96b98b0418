"""Hidden states: the residual stream after each layer, for all tokens and for one token."""

from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.vectors.vector_questions import empty_layer_question
from dashboard.lessons.full_stack.view import Depths, stack_code
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import residual_stream
from encoder_core.figures import Window, colour_limit, dimensions
from encoder_core.scenes import residual_stream as scenes
from encoder_core.scenes.focus import layer_slice
from encoder_core.support.number_format import latex_range


def render_hidden_states(current: Model, at: Focus, columns: Window) -> Depths:
    """The residual stream after each layer for all tokens, then for the selected token."""
    config = current.config
    question = empty_layer_question(current, at)
    ask_first(question, "Hidden states")
    stages, names = stages_of(current, at.sentence), stage_names(config)
    common: dict[str, Any] = {
        "limit": colour_limit(stages), "final_norm": config.final_norm, "theme": current_theme(),
    }  # fmt: skip
    inspection = inspect_cell(current, at, layer_slice("resid_post", at).cell(at.token, 0))
    render_plot(
        scenes.hidden_states(stages, columns, at, **common), key="full_stack_states_plot", inspection=inspection
    )
    bin_size = scenes.stage_window(columns, len(stages)).size
    if bin_size > columns.size:
        st.caption(f"Each cell above shows the largest of {bin_size} dimensions.")
    through = scenes.one_token(stages, names, columns, at, **common)
    render_plot(through, key="full_stack_token_plot", inspection=inspection)
    table = NumberTable(stages[:, at.token], names, dimensions(config.d_model), first=None)
    size = rf"{len(at.labels)}\times{config.d_model}"
    input_stage = "l-1" if config.has_chained_layers else "0"
    return Depths(
        {f"“{escape_token(at.labels[at.token])}”": table},
        rf"\underbrace{{X_l}}_{{{size}}} = \text{{layer}}_l(X_{{{input_stage}}}), \qquad "
        rf"l = {latex_range(1, config.num_layers)}",
        [stack_code(current)],
        question,
        inspection,
    )


def stages_of(current: Model, sentence: int) -> Float[np.ndarray, "stage seq d_model"]:
    """The vectors of a sentence at the stages of `stage_names`: the residual stream, and the output of a final norm."""
    stream = residual_stream(current.trace, sentence, allow_unchained=True)  # the views say so where it is not chained
    return np.concatenate([stream, current.trace.output[[sentence]]]) if current.config.final_norm else stream


def stage_names(config: EncoderConfig) -> list[str]:
    """Short names for the stages of the residual stream."""
    return ["in", *dimensions(config.num_layers, 1), *(["out"] if config.final_norm else [])]
