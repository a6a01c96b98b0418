"""The view of the residual stream: all tokens side by side after each block, then one token through the layers."""

from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import frame
from dashboard.cells import look
from dashboard.focus import Focus
from dashboard.frame import Question, Table
from dashboard.model import Model
from dashboard.picture import picture
from dashboard.sections.full_stack.view import Depths, stack_code
from encoder_core import EncoderConfig
from encoder_core.analysis import residual_stream
from encoder_core.figures import Window, dimensions, format_number
from encoder_core.scenes import full_stack as scenes
from encoder_core.scenes.position import block_slice


def hidden_states(current: Model, at: Focus, columns: Window) -> Depths:
    """The residual stream after each block: all tokens side by side, then one token through the layers."""
    config = current.config
    stages, names = residual_stream(current.trace, at.sentence, final_norm=config.final_norm), stage_names(config)
    shown: dict[str, Any] = {"final_norm": config.final_norm, "tokens": at.labels, "theme": frame.theme()}
    looked = look(current, at, block_slice("resid_post", at).cell(at.token, 0))
    picture(scenes.hidden_states(stages, columns, at, **shown), key="full_stack_states_picture", looked=looked)
    of_bin = scenes.of_stage(columns, len(stages)).size
    if of_bin > columns.size:
        st.caption(f"Above, a cell is the largest of {of_bin} dimensions.")
    through = scenes.one_token(stages, names, columns, at, **shown)
    picture(through, key="full_stack_token_picture", looked=looked)
    one = stages[:, at.token]
    return Depths(
        {f"“{frame.plain(at.labels[at.token])}”": Table(one, names, dimensions(config.d_model))},
        rf"\underbrace{{X_l}}_{{{len(at.labels)}\times{config.d_model}}} = \text{{block}}_l(X_{{l-1}}), \qquad "
        rf"l = 1 \dots {config.num_layers}",
        [stack_code(current)],
        _which_block(at, one[: config.num_layers + 1]),
        looked,
    )


def stage_names(config: EncoderConfig) -> list[str]:
    """Short names for the stages of the residual stream."""
    return ["in", *dimensions(config.num_layers, 1), *(["out"] if config.final_norm else [])]


def _which_block(at: Focus, rows: Float[np.ndarray, "stage d_model"]) -> Question:
    """Which block moves the token's vector farthest?"""
    moved = np.linalg.norm(np.diff(rows, axis=0), axis=-1)
    best, num_layers = int(moved.argmax()), len(moved)
    options = sorted({best, 0, num_layers - 1, num_layers // 2})
    return Question(
        f"which block changes “{frame.plain(at.labels[at.token])}” most?",
        [f"block {layer + 1}" for layer in options],
        options.index(best),
        f"It moves the token's vector by {format_number(moved[best], 3)}.",
    )
