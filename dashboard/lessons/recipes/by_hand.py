"""Two small examples worked by hand, next to the same numbers from the encoder; every number can be changed."""

import re
import zlib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator

from dashboard.components.plot import plot
from dashboard.shell import frame
from dashboard.state.choices import HAND_QUERY, HAND_TABLE, HAND_TOKENS, LOOKUP_TABLE, LOOKUP_TOKEN
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import edited_cells, shows, shows_value
from dashboard.theme import current_theme
from encoder_core import RECIPES, Encoder
from encoder_core.explain.recompute import difference
from encoder_core.figures import dimensions
from encoder_core.recipes import Demo
from encoder_core.recipes.by_hand import WorkedAttention, worked_attention, worked_lookup
from encoder_core.scenes import embedding
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.position import At

LIMIT = 100.0  # a number in an editable table lies between its negative and itself
_QUERIES = (1, 2, 3)
Table = Float[np.ndarray, "vocab d_model"]


def attention() -> None:
    """Three tokens of a table of five, one of them as the query: every product and every sum."""
    demo = _demo("worked example")
    ids, mask, _ = demo.inputs()
    left, right = st.columns([1.2, 2.4], gap="large")
    with left:
        table = edited(demo.parameters()["token_embedding"], HAND_TABLE)
        places = st.columns(4)
        tokens = _pick_tokens(places[:3], tuple(map(int, ids.ids[0])), len(table))
        asking = places[3].selectbox("Query", _QUERIES, filter_mode=None, **shows(HAND_QUERY, begins=_QUERIES)) - 1
    rows = table[tokens]
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    trace = encoder.trace(np.array([tokens], np.int32), mask)
    layer = trace.layers[0]
    labels = [f"id {token}" for token in tokens]
    with right:
        parts = scenes.attention(
            layer.pattern[0, 0], trace.mask[0, 0], layer.v[0, 0], layer.z[0, 0], tokens=labels, token=asking,
            theme=current_theme(),
        )  # fmt: skip
        plot(parts, key="by_hand_attention")
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
        table = edited(demo.parameters()["token_embedding"], LOOKUP_TABLE)
        ids_of_table = range(len(table))
        bound = shows(LOOKUP_TOKEN, begins=ids_of_table)
        token = st.selectbox("Token id", ids_of_table, filter_mode=None, width=120, **bound)
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    looked_up = encoder.trace(np.array([[token]], np.int32)).token_embedding[0]
    with right:
        ids = dimensions(len(table))
        parts = embedding.lookup(np.array([token]), looked_up, table, At(), tokens=[f"id {token}"],
                                 vocabulary=ids, theme=current_theme())  # fmt: skip
        plot(parts, key="by_hand_one_hot")
    products, sums = worked_lookup(token, table.astype(float).tolist())
    hot = [int(index == token) for index in range(len(table))]
    _equations(
        rf"x_{d} &= {_sum_of(hot, table[:, d])} {_relation(_displayed_sum(hot, table[:, d]), f'{sums[d]:.4f}')} "
        rf"{sums[d]:.4f}"
        for d in range(len(products))
    )
    _compare([Numbers([f"dim {d}" for d in range(len(sums))], sums, looked_up[0])])


def _pick_tokens(places: Sequence[DeltaGenerator], first: tuple[int, ...], vocab: int) -> list[int]:
    """The tokens of the sentence, each one of the table's rows."""
    chosen = session().get(HAND_TOKENS)
    if chosen is not None and (len(chosen) != len(first) or max(chosen) >= vocab):
        session().refuse(HAND_TOKENS, f"allowed are {len(first)} tokens from 0 to {vocab - 1}", first)
        session().put(HAND_TOKENS, None)
        chosen = None
    tokens = list(first if chosen is None else chosen)

    def change(number: int, token: int) -> None:
        session().set(HAND_TOKENS, (*tokens[:number], token, *tokens[number + 1 :]))

    for number, (place, token) in enumerate(zip(places, tokens, strict=True)):
        bound = shows_value(f"{HAND_TOKENS.name}_{number}", token, partial(change, number), begins=range(vocab))
        place.selectbox(f"Token {number + 1}", range(vocab), filter_mode=None, **bound)
    return tokens


def edited(table: Table, parameter: Parameter[str]) -> Table:
    """The table in an editor; the URL carries the cells that differ from it. A cell that is left empty counts as 0."""
    changes = _read_changes(parameter, table)
    numbers = table.astype(float)
    for (row, column), value in changes.items():
        numbers[row, column] = value
    given = pd.DataFrame(numbers, index=[f"id {i}" for i in range(len(table))],
                         columns=[f"dim {d}" for d in range(table.shape[1])])  # fmt: skip
    config = st.column_config.NumberColumn(min_value=-LIMIT, max_value=LIMIT, format="%.4g", width=60)
    st.caption(f"Change any number, from {-LIMIT:g} to {LIMIT:g}: everything below follows. An empty cell counts as 0.")
    key = f"{parameter.name} {zlib.crc32(session().get(parameter).encode())}"  # a new editor for each table

    def change() -> None:
        found = changes | {
            (row, int(column.removeprefix("dim "))): float(np.clip(np.nan_to_num(value or 0.0), -LIMIT, LIMIT))
            for row, cells in edited_cells(key).items()
            for column, value in cells.items()
        }
        parts = (f"{row}.{column}={value:.6g}" for (row, column), value in sorted(found.items()))
        session().set(parameter, "~".join(parts))

    st.data_editor(given, key=key, on_change=change, width="stretch",
                   column_config=dict.fromkeys(given.columns, config))  # fmt: skip
    return numbers.astype(np.float32)


def _read_changes(parameter: Parameter[str], table: Table) -> dict[tuple[int, int], float]:
    """The changed cells of a table: "row.column=value", with "~" between them."""
    changes = {}
    for part in filter(None, session().get(parameter).split("~")):
        found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})=(-?\d{1,9}(?:\.\d{1,9})?(?:e-?\d{1,2})?)", part)
        cell = (int(found[1]), int(found[2])) if found else (-1, -1)
        if found is None or cell[0] >= len(table) or cell[1] >= table.shape[1] or abs(float(found[3])) > LIMIT:
            session().refuse(parameter, f"a changed cell is row.column=number, from {-LIMIT:g} to {LIMIT:g}", None)
            session().put(parameter, "")
            return {}
        changes[cell] = float(found[3])
    return changes


def _write_attention(
    rows: Float[np.ndarray, "key d_head"], asking: int, tokens: Sequence[int], by_hand: WorkedAttention
) -> None:
    """Every product and every sum, in LaTeX."""
    query, root = rows[asking], rf"\sqrt{{{rows.shape[1]}}}"
    scores = []
    for j, (key, dot, score) in enumerate(zip(rows, by_hand.dot_products, by_hand.scores, strict=True)):
        product, quotient = f"{dot:.5g}", f"{score:.5f}"
        first = _relation(_displayed_sum(query, key), product)
        second = _relation(float(product) / rows.shape[1] ** 0.5, quotient)
        scores.append(
            rf"s_{{{j + 1}}} &= ({_sum_of(query, key)}) / {root} {first} {product} / {root} {second} {quotient}"
        )
    exponents = np.array([float(f"{score:.4f}") for score in by_hand.scores])
    powers = np.exp(exponents - exponents.max())
    exponentials = " + ".join(rf"e^{{{exponent:.4f}}}" for exponent in exponents)
    weights = [
        rf"w_{{{j + 1}}} &= e^{{{exponents[j]:.4f}}} / ({exponentials}) "
        rf"{_relation(powers[j] / powers.sum(), f'{weight:.5f}')} {weight:.5f}"
        for j, weight in enumerate(by_hand.weights)
    ]
    output = [
        rf"z_{{{d}}} &= {_sum_of(by_hand.weights, rows[:, d])} "
        rf"{_relation(_displayed_sum(by_hand.weights, rows[:, d]), f'{number:.5f}')} {number:.5f}"
        for d, number in enumerate(by_hand.output)
    ]
    st.markdown(f"**The query is token {asking + 1}, with id {tokens[asking]}**; Q = K = V are the rows themselves.")
    for lines in (scores, weights, output):
        _equations(lines)


def _sum_of(left: Iterable[float], right: Iterable[float]) -> str:
    """The products of two rows, written as a sum."""
    return " + ".join(rf"{_factor(a)} \cdot {_factor(b)}" for a, b in zip(left, right, strict=True))


def _displayed_sum(left: Iterable[float], right: Iterable[float]) -> float:
    """The same sum of products, of the numbers as they are displayed."""
    return sum(float(f"{a:.5g}") * float(f"{b:.5g}") for a, b in zip(left, right, strict=True))


def _relation(calculated: float, displayed: str) -> str:
    """LaTeX of = where the calculation gives what is displayed, to its last digit, else of ≈."""
    exponent = Decimal(displayed).as_tuple().exponent
    half_a_unit = 0.5 * 10.0 ** int(exponent)
    return "=" if abs(calculated - float(displayed)) <= half_a_unit else r"\approx"


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
