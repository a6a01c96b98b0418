"""Positions: the vectors that are added to the tokens' rows to encode their order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question
from dashboard.lessons.positions import position_sum as sections
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.lessons.positions.shuffle import render_shuffle
from dashboard.lessons.positions.similarity import distance_question, render_similarity
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.selection.view_choice import render_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import ENCODING
from dashboard.state.position_choice import PositionChoice
from dashboard.state.settings import OPTIONS
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.explain.first_input import FirstInput, first_input, first_input_with_positions
from encoder_core.figures import MAX_UNBINNED, dimensions, position_labels
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.inputs.positions import position_encoding
from encoder_core.scenes import positions as scenes
from encoder_core.scenes.position import text_slice

Rows = Float[np.ndarray, "row d_model"]

current = frame.begin_page()
config, trace, model_choice = current.config, current.trace, current.positions
seq, d_model = trace.embedded.shape[1:]
NORM_CODE: list[Callable[..., Any]] = [blocks.layer_norm, embed_inputs] if config.embedding_norm else []
dims = WideAxis("dims", d_model, max_full=MAX_UNBINNED)
CHOICES = [name for name in ENCODINGS if name in OPTIONS["positions"] or name == model_choice]

render_opening(
    "positions",
    current,
    [Shape("scaled embedding", (seq, d_model)), Shape("positions", (seq, d_model))],
    [Shape("embedded", (seq, d_model))],
)


def render_body() -> None:
    at = focus.render_focus_controls(
        current,
        "token",
        wide=[dims],
        badge=lambda at: frame.render_recompute_badge(lambda: recompute.positions(current.run)),
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        choice = render_choice(
            f"Position encoding shown (this model: {model_choice})", CHOICES, ENCODING, default=model_choice
        )
        curves = sections.render_curve_picker(d_model)
    encoding = current.position_encoding(choice, config.max_len)
    if choice == model_choice:
        block_input = first_input(current.run).for_sentence(at.sentence)
        inspection = inspect_cell(current, at, text_slice("embedded", at).cell(at.token, 0))
    else:
        block_input = first_input_with_positions(current.run, encoding[:seq]).for_sentence(at.sentence)
        inspection = None
    question = distance_question(current, at, choice, encoding)
    ask_first(question)
    render_encoding(at, choice, encoding, curves, inspection)
    sections.render_block_input(current, at, encoding[:seq], block_input, dims.window(), inspection)
    render_shuffle(current, at, choice)
    render_similarity(choice, encoding)
    render_details(at, choice, encoding, block_input, question, inspection)


def render_encoding(
    at: focus.Focus, choice: PositionChoice, encoding: Rows, curves: list[int], inspection: Inspection | None
) -> None:
    """All positions as a heatmap, and the selected dimensions as curves."""
    parts = scenes.all_positions(
        encoding, curves, at, title=ENCODINGS[choice].label, seq=seq, in_use=choice == model_choice,
        columns=dims.window(), theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="positions_plot", inspection=inspection)
    st.caption(
        f"{ENCODINGS[choice].meaning} Bars on the left mark the positions of this text; bars above mark the "
        f"dimensions drawn as curves.{sections.model_note(current, choice)}"
    )


def render_details(
    at: focus.Focus,
    choice: PositionChoice,
    encoding: Rows,
    block_input: FirstInput,
    question: Question,
    inspection: Inspection | None,
) -> None:
    """Tables, formula, code and the question."""
    names = dimensions(d_model)
    norm, end = (r"\mathrm{norm}\bigl(", r"\bigr)") if config.embedding_norm else ("", "")
    embedding_sum = {"embedding sum": Table(block_input.total, at.labels, names)} if config.embedding_norm else {}
    render_depths(
        {
            "embedded": Table(block_input.embedded, at.labels, names),
            **embedding_sum,
            "scaled embedding": Table(trace.scaled_embedding[at.sentence], at.labels, names),
            "positions": Table(encoding, position_labels(len(encoding)), names, first=None),
        },
        rf"\begin{{gathered}} \underbrace{{X}}_{{{seq}\times{d_model}}} = "
        rf"{norm}\underbrace{{s\,E[ids]}}_{{{seq}\times{d_model}}} + "
        rf"\underbrace{{PE}}_{{{seq}\times{d_model}}}{end} \\[26pt] {ENCODINGS[choice].definition} "
        r"\end{gathered}",
        [blocks.embed, *NORM_CODE, position_encoding, *ENCODINGS[choice].code],
        question,
        inspection,
    )


frame.run_as_fragment(render_body)
