"""Positions: what is added to each token's row so that the encoder knows where the token stands."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.settings import MAX_TOKENS
from dashboard.stages import stage_named
from encoder_core import Encoder, blocks, positions, recompute
from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import band, curves, dimensions, heatmap, limit_of, series_colours, theme_named

LAYOUTS = {
    "sinusoidal": "sinusoids, interleaved",
    "concatenated": "sinusoids, concatenated",
    "learned": "learned table",
    "none": "none",
}
MEANING = {
    "sinusoidal": "Each pair of dimensions is a sine and a cosine of one frequency. The first pairs turn fast, the "
    "last hardly at all, like the hands of a clock: together they tell every position from every other.",
    "concatenated": "The same sines and cosines in another order: all sines, then all cosines. The order of the "
    "dimensions means nothing to the encoder, and every dot product stays as it is.",
    "learned": "One row a position, learned like the rows of the words. The table starts as noise: training has to "
    "find out that 3 is next to 4. There is no row beyond the last position of the table.",
    "none": "Nothing is added, every row is zero. Such an encoder does not know the order of its tokens: shuffle the "
    "words, and the same vectors come out, shuffled.",
}
MOST_CURVES = 6
Rows = Float[np.ndarray, "row d_model"]

current = frame.begin()
config, trace = current.config, current.trace
seq, d_model = trace.embedded.shape[1:]
concatenated = config.positions == "sinusoidal" and config.position_layout == "concatenated"
in_use = "concatenated" if concatenated else config.positions
count = min(MAX_TOKENS, config.max_len)

frame.heading(
    stage_named("positions"),
    "Attention sees a set of tokens, not a sequence. So each position has a vector of its own, which is added to the "
    "token's row: the same word in two places enters the encoder as two different vectors.",
    [Shape("scaled embedding", (seq, d_model)), Shape("positions", (seq, d_model))],
    [Shape("embedded", (seq, d_model))],
)


def encoding_of(layout: str) -> Rows:
    """The position encoding of the model, or the one it would have with another layout."""
    if layout == in_use:
        return current.encoder.position_encoding(count)
    other = replace(current.settings, positions=layout, layers=1).config(config.vocab_size)
    return Encoder.random(other, current.settings.seed).position_encoding(count)


@st.fragment
def body() -> None:
    at = focus.pick(current, "token", badge=lambda at: frame.recomputed(recompute.positions(trace)))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        layout = st.segmented_control(
            f"Position encoding shown (this model: {in_use})",
            list(LAYOUTS),
            default=in_use,
            key=f"positions_layout_{in_use}",
            persist_state="session",
            required=True,
        )
        chosen = st.multiselect(
            "Dimensions drawn as curves",
            range(d_model),
            default=[index for index in range(4, 8) if index < d_model] or list(range(d_model)),
            max_selections=MOST_CURVES,
            key=f"positions_curves_{d_model}",
            persist_state="session",
        )
    encoding = encoding_of(layout)
    _, embedded = blocks.embed(trace.scaled_embedding[at.sentence], 1.0, encoding[:seq])
    encoding_picture(at, layout, encoding, sorted(chosen))
    sum_picture(at, layout, encoding, embedded)
    similarity_picture(encoding)
    numbers(at, layout, encoding, embedded)


def encoding_picture(at: focus.Focus, layout: str, encoding: Rows, chosen: list[int]) -> None:
    """All positions as a heatmap, and some of its columns as curves."""
    theme, places = frame.theme(), dimensions(len(encoding))
    hues = dict(zip(chosen, series_colours(theme_named(theme)), strict=False))
    picture(
        [
            heatmap(encoding, places, dimensions(d_model), title=LAYOUTS[layout], row_axis="position",
                    marks=[(at.token, None)], flags=range(seq), column_flags=hues, height=230, theme=theme),
            "",
            curves({f"dim {index}": encoding[:, index] for index in chosen}, range(len(encoding)),
                   title="some columns as curves", x_axis="position", y_axis="", height=206, theme=theme),
        ],
        key="positions_picture",
    )  # fmt: skip
    other = "" if layout == in_use else f" :orange[This model uses: {LAYOUTS[in_use]} (More choices in the sidebar).]"
    st.caption(
        f"{MEANING[layout]} Bars at the left: the positions of this text; above: the columns drawn as curves.{other}"
    )


def sum_picture(at: focus.Focus, layout: str, encoding: Rows, embedded: Rows) -> None:
    """Scaled embedding + position = what enters the first block, on one scale."""
    enters = "enters the first block" if layout == in_use else "would enter the first block with this encoding"
    st.subheader(f"What {enters}", anchor=False)
    rows, dims, theme = trace.scaled_embedding[at.sentence], dimensions(d_model), frame.theme()
    position = encoding[:seq]
    limit = limit_of(rows, position, embedded)
    one: dict[str, Any] = {"limit": limit, "marks": [(at.token, None)], "height": 230, "theme": theme}
    picture(
        [
            heatmap(rows, at.labels, dims, title="scaled embedding", **one),
            "+",
            heatmap(position, at.labels, dims, title="position", **one),
            "=",
            heatmap(embedded, at.labels, dims, title="embedded", **one),
        ],
        key="positions_sum_picture",
    )  # fmt: skip


def similarity_picture(encoding: Rows) -> None:
    """The dot product of every position with every other, and by distance."""
    st.subheader("Which positions are alike?", anchor=False)
    dots, places, theme = encoding @ encoding.T, dimensions(len(encoding)), frame.theme()
    by_distance = similarity_by_distance(dots)
    picture(
        [
            heatmap(dots, places, places, title="dot product of two positions", row_axis="position",
                    column_axis="other position", height=230, theme=theme),
            "→",
            band(*by_distance, title="by distance", x_axis="distance between the two positions", y_axis="dot product",
                 height=230, theme=theme),
        ],
        key="positions_similarity_picture",
        still=True,
    )  # fmt: skip
    spread = float((by_distance.high - by_distance.low).max())
    if not dots.any():
        verdict = "Every dot product is 0: all positions are the same to the encoder."
    elif spread < 1e-3 * limit_of(dots):
        verdict = f"Pairs that are equally far apart differ by **{spread:.1g}** at most: the distance alone decides."
    else:
        verdict = f"Pairs that are equally far apart differ by up to **{spread:.3g}**: the distance does not decide."
    st.caption(
        "The stronger the orange, the more alike. The curve is the mean dot product at each distance; the band behind "
        f"it reaches from the smallest to the largest. {verdict}"
    )


def numbers(at: focus.Focus, layout: str, encoding: Rows, embedded: Rows) -> None:
    """Tables, formula, code and the question."""
    dims, places = dimensions(d_model), dimensions(len(encoding))
    shift = count // 3
    one = min(at.token, shift)
    other = min(one + 2, shift)
    here, there = (float(encoding[one + by] @ encoding[other + by]) for by in (0, shift))
    same = np.isclose(here, there, rtol=0, atol=1e-4 * (1 + np.abs(encoding[one] @ encoding[one])))
    why_same = "Only the distance counts." if encoding.any() else "Every row is zero."
    sines = r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"
    halves = r"PE_{pos,\,i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,i+d/2} = \cos\frac{pos}{10000^{2i/d}}"
    definition = {"sinusoidal": sines, "concatenated": halves, "learned": r"PE = P[0 \ldots seq-1]", "none": "PE = 0"}
    ran = [positions.sinusoids, positions.sinusoid_angles] if "sin" in definition[layout] else []
    frame.depths(
        {
            "embedded": Table(embedded, at.labels, dims),
            "scaled embedding": Table(trace.scaled_embedding[at.sentence], at.labels, dims),
            "positions": Table(encoding, places, dims),
        },
        rf"\underbrace{{X}}_{{{seq}\times{d_model}}} = \underbrace{{s\,E[ids]}}_{{{seq}\times{d_model}}} + "
        rf"\underbrace{{PE}}_{{{seq}\times{d_model}}} \\[10pt] {definition[layout]}",
        [blocks.embed, Encoder.position_encoding, *ran],
        Question(
            f"positions {one} and {other} have the dot product {here:.3g}. What is it {shift} places further on, at "
            f"{one + shift} and {other + shift}?",
            ["the same", "larger", "smaller"],
            0 if same else 1 if there > here else 2,
            f"It is {there:.3g}. {why_same if same else 'A table of noise knows no distance.'}",
        ),
    )


body()
