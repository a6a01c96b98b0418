"""Positions: what is added to each token's row so that the encoder knows where the token stands."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.positions import position_sum as sections
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.lessons.positions.shuffle import shuffled
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import Wide
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.selection.view_choice import choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import ENCODING
from dashboard.state.settings import OPTIONS, PositionChoice
from dashboard.theme import current_theme
from encoder_core import Encoder, blocks
from encoder_core.explain import recompute
from encoder_core.explain.first_input import FirstInput, first_input, first_input_with
from encoder_core.figures import WHOLE, dimensions, format_number, position_labels
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.scenes import positions as scenes
from encoder_core.scenes.position import text_slice

Rows = Float[np.ndarray, "row d_model"]

current = frame.begin()
config, trace, in_use = current.config, current.trace, current.positions
seq, d_model = trace.embedded.shape[1:]
NORMED = " A LayerNorm of the sum comes before the first block." if config.embedding_norm else ""
NORM_CODE: list[Callable[..., Any]] = [blocks.layer_norm, embed_inputs] if config.embedding_norm else []
dims = Wide("dims", d_model, whole=WHOLE)
SHOWN = [name for name in ENCODINGS if name in OPTIONS["positions"] or name == in_use]

frame.heading(
    stage_named("positions"),
    "Without positions and without a causal mask, attention does not know the order of its tokens. "
    + (
        "This model adds no positions: the same word in two places enters the encoder as the same vector twice."
        if config.positions == "none"
        else "So each position has a vector of its own, which is added to the token's row: the same word in two places "
        "enters the encoder as two different vectors."
    )
    + NORMED,
    [Shape("scaled embedding", (seq, d_model)), Shape("positions", (seq, d_model))],
    [Shape("embedded", (seq, d_model))],
)


def body() -> None:
    at = focus.pick(current, "token", wide=[dims], badge=lambda at: frame.recomputed(recompute.positions(current.run)))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        layout = choice(f"Position encoding shown (this model: {in_use})", SHOWN, ENCODING, default=in_use)
        chosen = sections.pick_curves(d_model)
    encoding = current.position_encoding(layout, config.max_len)
    own = layout == in_use
    found = (first_input(current.run) if own else first_input_with(current.run, encoding[:seq])).of(at.sentence)
    inspection = inspect_cell(current, at, text_slice("embedded", at).cell(at.token, 0)) if own else None
    encoding_picture(at, layout, encoding, chosen, inspection)
    sections.sum_and_norm(current, at, encoding[:seq], found, dims.window(), inspection)
    shuffled(current, at)
    sections.similarity(encoding)
    numbers(at, layout, encoding, found, inspection)


def encoding_picture(
    at: focus.Focus, layout: PositionChoice, encoding: Rows, chosen: list[int], inspection: Inspection | None
) -> None:
    """All positions as a heatmap, and some of its columns as curves."""
    shown, theme = ENCODINGS[layout], current_theme()
    parts = scenes.all_positions(encoding, chosen, at, title=shown.label, seq=seq, in_use=layout == in_use,
                                 columns=dims.window(), theme=theme)  # fmt: skip
    plot(parts, key="positions_plot", inspection=inspection)
    st.caption(
        f"{shown.meaning} Bars at the left: the positions of this text; above: the columns drawn as curves."
        f"{sections.of_model(current, layout)}"
    )


def numbers(
    at: focus.Focus, layout: PositionChoice, encoding: Rows, found: FirstInput, inspection: Inspection | None
) -> None:
    """Tables, formula, code and the question."""
    names = dimensions(d_model)
    shift = len(encoding) // 3
    one = min(at.token, shift)
    other = one + 2
    here, there = (float(encoding[one + by] @ encoding[other + by]) for by in (0, shift))
    same = np.isclose(here, there, rtol=0, atol=1e-4 * (1 + np.abs(encoding[one] @ encoding[one])))
    why_same = "The distance alone decides." if encoding.any() else "Every row is zero."
    of_noise = layout == "learned" and not (layout == in_use and current.settings.trained)
    why_not = (
        "The rows of this table are random: the distance does not decide."
        if of_noise
        else "The distance alone does not decide."
    )
    norm, end = (r"\mathrm{norm}\bigl(", r"\bigr)") if config.embedding_norm else ("", "")
    total = {"embedding sum": Table(found.total, at.labels, names)} if norm else {}
    render_depths(
        {
            "embedded": Table(found.embedded, at.labels, names),
            **total,
            "scaled embedding": Table(trace.scaled_embedding[at.sentence], at.labels, names),
            "positions": Table(encoding, position_labels(len(encoding)), names, first=None),
        },
        rf"\underbrace{{X}}_{{{seq}\times{d_model}}} = {norm}\underbrace{{s\,E[ids]}}_{{{seq}\times{d_model}}} + "
        rf"\underbrace{{PE}}_{{{seq}\times{d_model}}}{end} \\[10pt] {ENCODINGS[layout].definition}",
        [blocks.embed, *NORM_CODE, Encoder.position_encoding, *ENCODINGS[layout].code],
        Question(
            f"positions {one + 1} and {other + 1} have the dot product {format_number(here, 3)}. What is it {shift} "
            f"places further on, at {one + shift + 1} and {other + shift + 1}?",
            ["the same", "larger", "smaller"],
            0 if same else 1 if there > here else 2,
            f"It is {format_number(there, 3)}. {why_same if same else why_not}",
        ),
        inspection,
    )


frame.interactive(body)
