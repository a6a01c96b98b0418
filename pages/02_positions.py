"""Positions: what is added to each token's row so that the encoder knows where the token stands."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.cells import Address, Looked, look, of_text
from dashboard.choice import choice
from dashboard.encodings import ENCODINGS
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.sections import positions as sections
from dashboard.settings import OPTIONS, PositionChoice
from dashboard.stages import stage_named
from encoder_core import Encoder, blocks, recompute
from encoder_core.figures import dimensions
from encoder_core.scenes import positions as scenes

MOST_CURVES = 6
Rows = Float[np.ndarray, "row d_model"]

current = frame.begin()
config, trace, in_use = current.config, current.trace, current.positions
seq, d_model = trace.embedded.shape[1:]
SHOWN = [name for name in ENCODINGS if name in OPTIONS["positions"] or name == in_use]

frame.heading(
    stage_named("positions"),
    "Attention sees a set of tokens, not a sequence. So each position has a vector of its own, which is added to the "
    "token's row: the same word in two places enters the encoder as two different vectors.",
    [Shape("scaled embedding", (seq, d_model)), Shape("positions", (seq, d_model))],
    [Shape("embedded", (seq, d_model))],
)


@st.fragment
def body() -> None:
    at = focus.pick(current, "token", badge=lambda at: frame.recomputed(recompute.positions(current.shown)))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        layout = choice(f"Position encoding shown (this model: {in_use})", SHOWN, default=in_use,
                        key=f"positions_layout_{in_use}")  # fmt: skip
        chosen = st.multiselect(
            "Dimensions drawn as curves", range(d_model), default=range(d_model)[4:8] or range(d_model),
            max_selections=MOST_CURVES, key=f"positions_curves_{d_model}", persist_state="session",
        )  # fmt: skip
    encoding = current.position_encoding(layout, config.max_len)
    _, embedded = blocks.embed(trace.scaled_embedding[at.sentence], 1.0, encoding[:seq])
    looked = look(current, at, of_text("embedded", at).cell(at.token, 0)) if layout == in_use else None
    encoding_picture(at, layout, encoding, sorted(chosen), looked)
    sum_picture(at, layout, encoding[:seq], embedded, looked)
    sections.similarity(encoding)
    numbers(at, layout, encoding, embedded, looked)


def encoding_picture(
    at: focus.Focus, layout: PositionChoice, encoding: Rows, chosen: list[int], looked: Looked | None
) -> None:
    """All positions as a heatmap, and some of its columns as curves."""
    shown, theme = ENCODINGS[layout], frame.theme()
    parts = scenes.all_positions(encoding, chosen, title=shown.label, seq=seq, token=at.token, theme=theme)
    cells = [Address("position_encoding", rows=range(seq)), None] if looked else []
    picture(parts, key="positions_picture", cells=cells, looked=looked)
    of_model = ENCODINGS[in_use].label
    other = "" if layout == in_use else f" :orange[This model uses: {of_model} (More choices in the sidebar).]"
    st.caption(
        f"{shown.meaning} Bars at the left: the positions of this text; above: the columns drawn as curves.{other}"
    )


def sum_picture(at: focus.Focus, layout: PositionChoice, position: Rows, embedded: Rows, looked: Looked | None) -> None:
    """Scaled embedding + position = what enters the first block, on one scale."""
    enters = "enters the first block" if layout == in_use else "would enter the first block with this encoding"
    st.subheader(f"What {enters}", anchor=False)
    scaled, theme = trace.scaled_embedding[at.sentence], frame.theme()
    parts = scenes.position_added(scaled, position, embedded, tokens=at.labels, token=at.token, theme=theme)
    cells = [of_text("scaled_embedding", at), Address("position_encoding"), of_text("embedded", at)]
    picture(parts, key="positions_sum_picture", cells=cells if looked else (), looked=looked)


def numbers(at: focus.Focus, layout: PositionChoice, encoding: Rows, embedded: Rows, looked: Looked | None) -> None:
    """Tables, formula, code and the question."""
    dims = dimensions(d_model)
    shift = len(encoding) // 3
    one, other = min(at.token, shift), min(at.token + 2, shift)
    here, there = (float(encoding[one + by] @ encoding[other + by]) for by in (0, shift))
    same = np.isclose(here, there, rtol=0, atol=1e-4 * (1 + np.abs(encoding[one] @ encoding[one])))
    why_same = "Only the distance counts." if encoding.any() else "Every row is zero."
    frame.depths(
        {
            "embedded": Table(embedded, at.labels, dims),
            "scaled embedding": Table(trace.scaled_embedding[at.sentence], at.labels, dims),
            "positions": Table(encoding, dimensions(len(encoding)), dims),
        },
        rf"\underbrace{{X}}_{{{seq}\times{d_model}}} = \underbrace{{s\,E[ids]}}_{{{seq}\times{d_model}}} + "
        rf"\underbrace{{PE}}_{{{seq}\times{d_model}}} \\[10pt] {ENCODINGS[layout].definition}",
        [blocks.embed, Encoder.position_encoding, *ENCODINGS[layout].code],
        Question(
            f"positions {one} and {other} have the dot product {here:.3g}. What is it {shift} places further on, at "
            f"{one + shift} and {other + shift}?",
            ["the same", "larger", "smaller"],
            0 if same else 1 if there > here else 2,
            f"It is {there:.3g}. {why_same if same else 'A table of noise knows no distance.'}",
        ),
        looked,
    )


body()
