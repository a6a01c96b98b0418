"""Positions: the vectors that are added to the tokens' rows to encode their order."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.positions import position_sum as sections
from dashboard.lessons.positions.depths import render_position_depths
from dashboard.lessons.positions.encodings import ENCODINGS, name_of
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
from dashboard.state.setting_parameters import OPTIONS
from dashboard.theme import current_theme
from encoder_core.explain import recompute
from encoder_core.explain.first_input import first_input, first_input_with_positions
from encoder_core.figures import MAX_UNBINNED
from encoder_core.scenes.focus import text_slice
from encoder_core.scenes.inputs import positions as scenes

Rows = Float[np.ndarray, "row d_model"]

current = frame.begin_page()
config, trace, model_choice = current.config, current.trace, current.positions
seq, d_model = trace.embedded.shape[1:]
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
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="position_choice"):
        choice = render_choice(
            f"Position encoding shown (this model: {name_of(model_choice)})", CHOICES, ENCODING, default=model_choice,
            format_func=name_of,
        )  # fmt: skip
        curves = sections.render_curve_picker(d_model)
    encoding = current.position_encoding(choice, config.max_len)
    if choice == model_choice:
        layer_input = first_input(current.run).for_sentence(at.sentence)
        inspection = inspect_cell(current, at, text_slice("embedded", at).cell(at.token, 0))
    else:
        layer_input = first_input_with_positions(current.run, encoding[:seq]).for_sentence(at.sentence)
        inspection = None
    question = distance_question(current, at, choice, encoding)
    ask_first(question)
    render_encoding(at, choice, encoding, curves, inspection)
    sections.render_layer_input(current, at, encoding[:seq], layer_input, dims.window(), inspection)
    render_shuffle(current, at, choice)
    render_similarity(choice, encoding, seq, inspection)
    render_position_depths(current, at, choice, encoding, layer_input, question, inspection)


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


frame.run_as_fragment(render_body)
