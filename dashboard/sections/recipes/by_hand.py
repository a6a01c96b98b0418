"""Two small examples worked by hand, next to the same numbers from the encoder; every number can be changed."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from dashboard import frame
from dashboard.picture import picture
from encoder_core import RECIPES, Encoder
from encoder_core.figures import dimensions
from encoder_core.recipes import Demo
from encoder_core.recipes.by_hand import WorkedAttention, worked_attention, worked_lookup
from encoder_core.recompute import difference
from encoder_core.scenes import embedding
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.position import At

LIMIT = 100.0  # a number in an editable table lies between its negative and itself
Table = Float[np.ndarray, "vocab d_model"]


def attention() -> None:
    """Three tokens of a table of five, one of them as the query: every product and every sum."""
    demo = _demo("worked example")
    ids, mask, _ = demo.inputs()
    left, right = st.columns([1.2, 2.4], gap="large")
    with left:
        table = edited(demo.parameters()["token_embedding"], key="by_hand_table")
        places = st.columns(4)
        tokens = [
            place.selectbox(f"Token {number + 1}", range(len(table)), int(token), key=f"by_hand_token_{number}",
                            filter_mode=None)
            for number, (place, token) in enumerate(zip(places, ids.ids[0], strict=False))
        ]  # fmt: skip
        asking = places[3].selectbox("Query", (1, 2, 3), 1, key="by_hand_query", filter_mode=None) - 1
    rows = table[tokens]
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    trace = encoder.trace(np.array([tokens], np.int32), mask)
    layer = trace.layers[0]
    labels = [f"token {token}" for token in tokens]
    with right:
        parts = scenes.attention(
            layer.pattern[0, 0], trace.mask[0, 0], layer.v[0, 0], layer.z[0, 0], tokens=labels, token=asking,
            theme=frame.theme(),
        )  # fmt: skip
        picture(parts, key="by_hand_attention")
    by_hand = worked_attention(rows[asking].astype(float).tolist(), rows.astype(float).tolist())
    _write_attention(rows, asking, tokens, by_hand)
    _compare(
        [
            Numbers([f"score, {label}" for label in labels], by_hand.scores, layer.scores[0, 0, asking]),
            Numbers([f"weight, {label}" for label in labels], by_hand.weights, layer.pattern[0, 0, asking]),
            Numbers([f"output, dim {d}" for d in range(rows.shape[1])], by_hand.output, layer.z[0, 0, asking]),
        ]
    )


def one_hot() -> None:
    """A vector of zeros but for a 1, times the table: each dimension's ten products, and the row that comes out."""
    demo = _demo("one-hot")
    left, right = st.columns([1.2, 2.4], gap="large")
    with left:
        table = edited(demo.parameters()["token_embedding"], key="by_hand_lookup")
        token = st.selectbox("Token", range(len(table)), 2, key="by_hand_lookup_token", filter_mode=None, width=120)
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    looked_up = encoder.trace(np.array([[token]], np.int32)).token_embedding[0]
    with right:
        ids = dimensions(len(table))
        parts = embedding.lookup(np.array([token]), looked_up, table, At(), tokens=[f"token {token}"],
                                 vocabulary=ids, theme=frame.theme())  # fmt: skip
        picture(parts, key="by_hand_one_hot")
    products, sums = worked_lookup(token, table.astype(float).tolist())
    hot = [int(index == token) for index in range(len(table))]
    _equations(rf"x_{d} &= {_sum_of(hot, table[:, d])} = {sums[d]:.4f}" for d in range(len(products)))
    _compare([Numbers([f"dim {d}" for d in range(len(sums))], sums, looked_up[0])])


def edited(table: Table, key: str) -> Table:
    """The table in an editor. A cell that is left empty counts as 0, and that is said."""
    given = pd.DataFrame(table.astype(float), index=[f"token {i}" for i in range(len(table))],
                         columns=[f"dim {d}" for d in range(table.shape[1])])  # fmt: skip
    column = st.column_config.NumberColumn(min_value=-LIMIT, max_value=LIMIT, format="%.4g", width=60)
    st.caption(f"Change any number (from {-LIMIT:g} to {LIMIT:g}); everything below follows.")
    changed = st.data_editor(given, key=key, column_config=dict.fromkeys(given.columns, column), width="stretch")
    numbers = changed.to_numpy(float)
    if np.isnan(numbers).any():
        st.warning("An empty cell counts as 0.", icon=":material/info:")
    return np.nan_to_num(numbers).clip(-LIMIT, LIMIT).astype(np.float32)


def _write_attention(
    rows: Float[np.ndarray, "key d_head"], asking: int, tokens: Sequence[int], by_hand: WorkedAttention
) -> None:
    """Every product and every sum, in LaTeX."""
    query, root = rows[asking], rf"\sqrt{{{rows.shape[1]}}}"
    scores = [
        rf"s_{{{j + 1}}} &= ({_sum_of(query, key)}) / {root} = {dot:.5g} / {root} = {score:.5f}"
        for j, (key, dot, score) in enumerate(zip(rows, by_hand.dot_products, by_hand.scores, strict=True))
    ]
    exponentials = " + ".join(rf"e^{{{score:.4f}}}" for score in by_hand.scores)
    weights = [
        rf"w_{{{j + 1}}} &= e^{{{score:.4f}}} / ({exponentials}) = {weight:.5f}"
        for j, (score, weight) in enumerate(zip(by_hand.scores, by_hand.weights, strict=True))
    ]
    output = [
        rf"z_{{{d}}} &= {_sum_of(by_hand.weights, rows[:, d])} = {number:.5f}"
        for d, number in enumerate(by_hand.output)
    ]
    st.markdown(f"**The query is token {tokens[asking]}**; Q = K = V are the rows themselves.")
    for lines in (scores, weights, output):
        _equations(lines)


def _sum_of(left: Iterable[float], right: Iterable[float]) -> str:
    """The products of two rows, written as a sum."""
    return " + ".join(rf"{_factor(a)} \cdot {_factor(b)}" for a, b in zip(left, right, strict=True))


def _factor(number: float) -> str:
    """A number among others: a negative one in brackets."""
    return f"{number:.5g}" if number >= 0 else f"({number:.5g})"


def _equations(lines: Iterable[str]) -> None:
    st.latex(r"\small \begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}")


class Numbers(NamedTuple):
    """The same numbers twice: worked by hand and read from the encoder; `names` says which they are."""

    names: Sequence[str]
    by_hand: Sequence[float]
    of_encoder: Float[np.ndarray, "number"]


def _compare(found: Sequence[Numbers]) -> None:
    """By hand and by the encoder, side by side, and the badge with the largest difference."""
    names = [name for numbers in found for name in numbers.names]
    hand = np.concatenate([numbers.by_hand for numbers in found])
    shown = np.concatenate([numbers.of_encoder for numbers in found]).astype(float)
    frame.recomputed(difference(shown, hand))
    table = pd.DataFrame({"by hand": hand, "encoder_core": shown, "difference": np.abs(hand - shown)}, index=names)
    digits, exponent = (st.column_config.NumberColumn(format=text) for text in ("%.6f", "%.1e"))
    st.dataframe(table, column_config={"by hand": digits, "encoder_core": digits, "difference": exponent})


def _demo(name: str) -> Demo:
    return RECIPES["nanolm"].demos[name]
