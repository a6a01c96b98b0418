"""Hidden states: the residual stream after each block, for all tokens and for one token."""

from typing import Any

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, count_question, largest_value_question
from dashboard.lessons.full_stack.view import Depths, stack_code
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import residual_stream
from encoder_core.figures import Window, colour_limit, dimensions, format_number
from encoder_core.scenes import residual_stream as scenes
from encoder_core.scenes.position import block_slice


def render_hidden_states(current: Model, at: Focus, columns: Window) -> Depths:
    """The residual stream after each block for all tokens, then for the selected token."""
    config = current.config
    stages, names = residual_stream(current.trace, at.sentence, final_norm=config.final_norm), stage_names(config)
    common: dict[str, Any] = {
        "limit": colour_limit(stages), "final_norm": config.final_norm, "theme": current_theme(),
    }  # fmt: skip
    inspection = inspect_cell(current, at, block_slice("resid_post", at).cell(at.token, 0))
    render_plot(
        scenes.hidden_states(stages, columns, at, **common), key="full_stack_states_plot", inspection=inspection
    )
    bin_size = scenes.stage_window(columns, len(stages)).size
    if bin_size > columns.size:
        st.caption(f"Each cell above shows the largest of {bin_size} dimensions.")
    through = scenes.one_token(stages, names, columns, at, **common)
    render_plot(through, key="full_stack_token_plot", inspection=inspection)
    token_states = stages[:, at.token]
    return Depths(
        {f"“{escape_token(at.labels[at.token])}”": Table(token_states, names, dimensions(config.d_model))},
        rf"\underbrace{{X_l}}_{{{len(at.labels)}\times{config.d_model}}} = \text{{block}}_l(X_{{l-1}}), \qquad "
        rf"l = 1 \dots {config.num_layers}",
        [stack_code(current)],
        _block_question(current, at),
        inspection,
    )


def stage_names(config: EncoderConfig) -> list[str]:
    """Short names for the stages of the residual stream."""
    return ["in", *dimensions(config.num_layers, 1), *(["out"] if config.final_norm else [])]


def _block_question(current: Model, at: Focus) -> Question:
    """Which block changes the token's vector most, from its input to its output?"""
    layers, token = current.trace.layers, (at.sentence, at.token)
    changes = np.array([np.linalg.norm(layer.resid_post[token] - layer.resid_pre[token]) for layer in layers])
    return largest_value_question(
        f"which of these blocks changes the vector of “{escape_token(at.labels[at.token])}” most?",
        changes,
        lambda layer: f"block {layer + 1}",
        lambda best: f"The change of the vector has length {format_number(changes[best], 3)}.",
        count_question("how many numbers per token does each block pass on?", current.config.d_model,
                       "A row of the residual stream has d_model numbers."),
        spread=True,
    )  # fmt: skip
