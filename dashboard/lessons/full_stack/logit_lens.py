"""The logit lens: how the prediction develops from block to block."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, count_question, largest_value_question
from dashboard.lessons.full_stack.output_token import chance_note, choose_output, output_name
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import logit_lens, rank_of, softmax, top_tokens
from encoder_core.explain import Cell
from encoder_core.figures import Selection, dimensions, format_number
from encoder_core.figures.base import label
from encoder_core.scenes import predictions as scenes


def render_logit_lens(current: Model, at: Focus, output_id: int) -> Depths:
    """The most probable output token of every position after every block, and the probability of one output token."""
    lens = logit_lens(current.run, at.sentence)
    top, probabilities = top_tokens(lens, 1), softmax(lens[:, at.token])
    final_id = int(top.ids[-1, at.token, 0])

    def select(selection: Selection) -> None:
        """Select the position, and follow the most probable token of this stage."""
        if "stage" in selection:
            choose_output(int(top.ids[selection["stage"], selection.get("token", at.token), 0]))
        focus.move_focus(selection)

    series = {f"“{label(current.vocabulary[i])}”": probabilities[:, i] for i in dict.fromkeys((output_id, final_id))}
    series[f"uniform: 1/{lens.shape[-1]}"] = np.full(len(lens), 1 / lens.shape[-1])
    parts = scenes.logit_lens(
        top, series, current.vocabulary, at, real=current.batch.real[at.sentence], theme=current_theme(),
    )  # fmt: skip
    inspection = inspect_cell(current, at, Cell("probabilities", (at.sentence, at.token, output_id)))
    render_plot(parts, key="full_stack_lens_plot", on_click=select)
    st.caption(_describe(current, at, lens[:, at.token], output_id))
    stages = ["in", *dimensions(current.config.num_layers, 1)]
    return Depths(
        {
            "most probable": Table(top.probabilities[..., 0], stages, at.labels, first=None),
            output_name(current, output_id): Table(softmax(lens)[..., output_id], stages, at.labels, first=None),
        },
        _formula(current.config),
        [logit_lens],
        _block_question(current, at, probabilities[:, output_id], output_id),
        inspection,
    )


def _describe(current: Model, at: Focus, lens: Float[np.ndarray, "stage vocab"], output_id: int) -> str:
    """Caption: the convention, and how the probability and the rank of the output token change."""
    shares, ranks = softmax(lens)[:, output_id], rank_of(lens, output_id)
    name, blocks = output_name(current, output_id), current.config.num_layers
    return (
        f"{_convention(current.config)} The last column is the prediction of the model. At "
        f"“{escape_token(at.labels[at.token])}”, the probability of {name} is {format_number(shares[0], 2)} before the "
        f"first block (rank {ranks[0]}) and {format_number(shares[-1], 2)} after block {blocks} (rank {ranks[-1]}). "
        f"Click a cell to follow its token.{chance_note(current)}"
    )


def _convention(config: EncoderConfig) -> str:
    """What the lens applies to the residual stream, in one or two sentences."""
    applied = "the final norm and the output head" if config.final_norm else "the output head"
    text = f"Each column applies {applied} to the residual stream after that block."
    if config.norm == "post" and not config.final_norm:
        text += " With post-norm, the output of a block is already normed"
        text += "." if config.embedding_norm else "; the input of the first block is not."
    return text


def _formula(config: EncoderConfig) -> str:
    stream = r"\text{norm}(x^{(l)}_t)" if config.final_norm else "x^{(l)}_t"
    bias = r" + b_\mathrm{head}" if config.use_bias else ""
    return (
        rf"\begin{{aligned}} \mathrm{{lens}}^{{(l)}}_t &= {stream}\, W_\mathrm{{head}}{bias} \\ l &= 0 \dots "
        rf"{config.num_layers} \end{{aligned}}"
    )


def _block_question(current: Model, at: Focus, shares: Float[np.ndarray, "stage"], output_id: int) -> Question:
    """Which block raises the probability of the output token most?"""
    changes = np.diff(shares)
    return largest_value_question(
        f"which of these blocks raises the probability of {output_name(current, output_id)} at "
        f"“{escape_token(at.labels[at.token])}” most, or lowers it least?",
        changes,
        lambda layer: f"block {layer + 1}",
        lambda best: f"It changes the probability by {format_number(changes[best], 2)}.",
        count_question(
            "how many predictions does the lens make for this sentence?",
            len(at.labels) * len(shares),
            "One at each position, before the first block and after each block.",
        ),
        spread=True,
    )
