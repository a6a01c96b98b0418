"""The view of the residual stream: all tokens side by side after each block, then one token through the layers."""

from typing import Any

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many, which_is_largest
from dashboard.lessons.full_stack.view import Depths, stack_code
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import residual_stream
from encoder_core.figures import Window, dimensions, format_number
from encoder_core.scenes import full_stack as scenes
from encoder_core.scenes.position import block_slice


def hidden_states(current: Model, at: Focus, columns: Window) -> Depths:
    """The residual stream after each block: all tokens side by side, then one token through the layers."""
    config = current.config
    stages, names = residual_stream(current.trace, at.sentence, final_norm=config.final_norm), stage_names(config)
    shown: dict[str, Any] = {"final_norm": config.final_norm, "tokens": at.labels, "theme": current_theme()}
    inspection = inspect_cell(current, at, block_slice("resid_post", at).cell(at.token, 0))
    plot(scenes.hidden_states(stages, columns, at, **shown), key="full_stack_states_plot", inspection=inspection)
    of_bin = scenes.of_stage(columns, len(stages)).size
    if of_bin > columns.size:
        st.caption(f"Above, a cell is the largest of {of_bin} dimensions.")
    through = scenes.one_token(stages, names, columns, at, **shown)
    plot(through, key="full_stack_token_plot", inspection=inspection)
    one = stages[:, at.token]
    return Depths(
        {f"“{plain(at.labels[at.token])}”": Table(one, names, dimensions(config.d_model))},
        rf"\underbrace{{X_l}}_{{{len(at.labels)}\times{config.d_model}}} = \text{{block}}_l(X_{{l-1}}), \qquad "
        rf"l = 1 \dots {config.num_layers}",
        [stack_code(current)],
        _which_block(current, at),
        inspection,
    )


def stage_names(config: EncoderConfig) -> list[str]:
    """Short names for the stages of the residual stream."""
    return ["in", *dimensions(config.num_layers, 1), *(["out"] if config.final_norm else [])]


def _which_block(current: Model, at: Focus) -> Question:
    """Which block moves the token's vector farthest, from what enters the block to what leaves it?"""
    layers, token = current.trace.layers, (at.sentence, at.token)
    moved = np.array([np.linalg.norm(layer.resid_post[token] - layer.resid_pre[token]) for layer in layers])
    return which_is_largest(
        f"which of these blocks changes the vector of “{plain(at.labels[at.token])}” most?",
        moved,
        lambda layer: f"block {layer + 1}",
        lambda best: f"It moves the token's vector by {format_number(moved[best], 3)}.",
        how_many("how many numbers of this token does each block give to the next?", current.config.d_model,
                 "A row of the residual stream has d_model numbers."),
        spread=True,
    )  # fmt: skip
