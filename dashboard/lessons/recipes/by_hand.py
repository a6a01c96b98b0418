"""Two small examples worked by hand, next to the same numbers from the encoder. Their tables can be edited."""

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

from dashboard.components.plot import render_plot
from dashboard.shell import frame
from dashboard.state.choices import HAND_QUERY, HAND_TABLE, HAND_TOKENS, LOOKUP_TABLE, LOOKUP_TOKEN
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import bind_value, bind_widget, edited_cells
from dashboard.theme import current_theme
from encoder_core import RECIPES, Encoder
from encoder_core.explain.recompute import difference
from encoder_core.figures import dimensions
from encoder_core.recipes import Demo
from encoder_core.recipes.by_hand import WorkedAttention, worked_attention, worked_lookup
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.inputs import embedding
from encoder_core.support.number_format import format_fixed, format_number, latex_number

LIMIT = 100.0  # numbers in an editable table are between -LIMIT and LIMIT
_RANGE = f"from {format_number(-LIMIT)} to {format_number(LIMIT)}"
_QUERIES = (1, 2, 3)
_DIFFERENCE = "absolute difference"
Table = Float[np.ndarray, "vocab d_model"]


def render_attention() -> None:
    """Render the attention of one query over three tokens of a table of five, with every product and every sum."""
    demo = _demo("worked example")
    ids, mask, _ = demo.inputs()
    left, right = st.columns([1.2, 2.4], gap="large")
    with left:
        table = render_table_editor(demo.parameters()["token_embedding"], HAND_TABLE)
        columns = st.columns(4)
        tokens = _render_token_pickers(columns[:3], tuple(map(int, ids.ids[0])), len(table))
        bound = bind_widget(HAND_QUERY, index_of=_QUERIES)
        query = columns[3].selectbox("Query", _QUERIES, filter_mode=None, **bound) - 1
    rows = table[tokens]
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    trace = encoder.trace(np.array([tokens], np.int32), mask)
    layer = trace.layers[0]
    labels = [f"id {token}" for token in tokens]
    with right:
        parts = scenes.attention(
            layer.pattern[0, 0], trace.mask[0, 0], layer.v[0, 0], layer.z[0, 0], tokens=labels, token=query,
            theme=current_theme(),
        )  # fmt: skip
        render_plot(parts, key="by_hand_attention")
    by_hand = worked_attention(rows[query].astype(float).tolist(), rows.astype(float).tolist())
    _render_attention_equations(rows, query, tokens, by_hand)
    _render_comparison(
        [
            Results([f"score, {label}" for label in labels], by_hand.scores, layer.scores[0, 0, query]),
            Results([f"weight, {label}" for label in labels], by_hand.weights, layer.pattern[0, 0, query]),
            Results([f"output, dim {d}" for d in range(rows.shape[1])], by_hand.output, layer.z[0, 0, query]),
        ]
    )


def render_one_hot() -> None:
    """Render a one-hot vector times the table: the ten products of each dimension, and their sum, a row."""
    demo = _demo("one-hot")
    left, right = st.columns([1.2, 2.4], gap="large")
    with left:
        table = render_table_editor(demo.parameters()["token_embedding"], LOOKUP_TABLE)
        token_ids = range(len(table))
        bound = bind_widget(LOOKUP_TOKEN, index_of=token_ids)
        token = st.selectbox("Token id", token_ids, filter_mode=None, width=120, **bound)
    encoder = Encoder.from_parameters(demo.config, demo.parameters() | {"token_embedding": table})
    rows = encoder.trace(np.array([[token]], np.int32)).token_embedding[0]
    with right:
        vocabulary = dimensions(len(table))
        parts = embedding.lookup(
            np.array([token]),
            rows,
            table,
            Focus(labels=(f"id {token}",)),
            vocabulary=vocabulary,
            theme=current_theme(),
        )
        render_plot(parts, key="by_hand_one_hot")
    products, sums = worked_lookup(token, table.astype(float).tolist())
    hot = [int(index == token) for index in range(len(table))]
    _render_equations(
        f"x_{d} = {_sum_latex(hot, table[:, d])} = {_number_latex(sums[d])}" for d in range(len(products))
    )
    _render_comparison([Results([f"dim {d}" for d in range(len(sums))], sums, rows[0])])


def _render_token_pickers(columns: Sequence[DeltaGenerator], default: tuple[int, ...], vocab: int) -> list[int]:
    """Render a picker for each token of the sentence, and return the ids."""
    ids = session().get(HAND_TOKENS)
    if ids is not None and (len(ids) != len(default) or max(ids) >= vocab):
        session().report_invalid(HAND_TOKENS, f"allowed are {len(default)} tokens from 0 to {vocab - 1}", default)
        session().set_derived(HAND_TOKENS, None)
        ids = None
    tokens = list(default if ids is None else ids)

    def change(number: int, token: int) -> None:
        session().set(HAND_TOKENS, (*tokens[:number], token, *tokens[number + 1 :]))

    for number, (column, token) in enumerate(zip(columns, tokens, strict=True)):
        bound = bind_value(f"{HAND_TOKENS.name}_{number}", token, partial(change, number), index_of=range(vocab))
        column.selectbox(f"Token {number + 1}", range(vocab), filter_mode=None, **bound)
    return tokens


def render_table_editor(table: Table, parameter: Parameter[str]) -> Table:
    """Render the table in an editor, and return the edited table. The URL contains the changed cells."""
    changes = _read_changes(parameter, table)
    numbers = table.astype(float)
    for (row, column), value in changes.items():
        numbers[row, column] = value
    data = pd.DataFrame(numbers, index=[f"id {i}" for i in range(len(table))],
                        columns=[f"dim {d}" for d in range(table.shape[1])])  # fmt: skip
    config = st.column_config.NumberColumn(min_value=-LIMIT, max_value=LIMIT, format="%.4g", width=60)
    st.caption(f"Change any number, {_RANGE}: everything below follows. An empty cell counts as 0.")
    key = f"{parameter.name} {zlib.crc32(session().get(parameter).encode())}"  # a new editor after each change

    def change() -> None:
        names = {f"dim {d}": d for d in range(table.shape[1])}
        cells = changes | {
            (row, names[column]): float(np.clip(np.nan_to_num(value or 0.0), -LIMIT, LIMIT))
            for row, columns in edited_cells(key).items()
            for column, value in columns.items()
            if row in range(len(table)) and column in names and isinstance(value, int | float | None)
        }
        parts = (f"{row}.{column}={value:.6g}" for (row, column), value in sorted(cells.items()))
        session().set(parameter, "~".join(parts))

    st.data_editor(data, key=key, on_change=change, width="stretch",
                   column_config=dict.fromkeys(data.columns, config))  # fmt: skip
    return numbers.astype(np.float32)


def _read_changes(parameter: Parameter[str], table: Table) -> dict[tuple[int, int], float]:
    """The changed cells of a table, {(row, column): value}. In the URL: "row.column=value" with "~" between cells."""
    changes = {}
    for part in filter(None, session().get(parameter).split("~")):
        match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})=(-?\d{1,9}(?:\.\d{1,9})?(?:e-?\d{1,3})?)", part)
        cell = (int(match[1]), int(match[2])) if match else (-1, -1)
        if match is None or cell[0] >= len(table) or cell[1] >= table.shape[1] or abs(float(match[3])) > LIMIT:
            session().report_invalid(parameter, f"a changed cell is row.column=number, {_RANGE}", None)
            session().set_derived(parameter, "")
            return {}
        changes[cell] = float(match[3])
    return changes


def _render_attention_equations(
    rows: Float[np.ndarray, "key d_head"], query: int, tokens: Sequence[int], by_hand: WorkedAttention
) -> None:
    """Render every product and every sum in LaTeX."""
    query_row, root = rows[query], rf"\sqrt{{{rows.shape[1]}}}"
    scores = []
    for j, (key, dot, score) in enumerate(zip(rows, by_hand.dot_products, by_hand.scores, strict=True)):
        product, quotient = f"{dot:z.5g}", f"{score:z.5f}"
        first = _relation(_displayed_sum(query_row, key), product)
        second = _relation(float(product) / rows.shape[1] ** 0.5, quotient)
        scores.append(
            rf"s_{{{j + 1}}} = ({_sum_latex(query_row, key)}) / {root} {first} {latex_number(product)} / {root} "
            rf"{second} {quotient}"
        )
    exponents = np.array([float(f"{score:.4f}") for score in by_hand.scores])
    powers = np.exp(exponents - exponents.max())
    exponentials = " + ".join(rf"e^{{{exponent:z.4f}}}" for exponent in exponents)
    weights = [
        rf"w_{{{j + 1}}} = e^{{{exponents[j]:z.4f}}} / ({exponentials}) "
        rf"{_relation(powers[j] / powers.sum(), f'{weight:.5f}')} {weight:.5f}"
        for j, weight in enumerate(by_hand.weights)
    ]
    output = [
        rf"z_{{{d}}} = {_sum_latex(by_hand.weights, rows[:, d])} "
        rf"{_relation(_displayed_sum(by_hand.weights, rows[:, d]), f'{number:z.5f}')} {number:z.5f}"
        for d, number in enumerate(by_hand.output)
    ]
    st.markdown(f"**The query is token {query + 1}, with id {tokens[query]}**; Q, K and V are the embedding rows.")
    for lines in (scores, weights, output):
        _render_equations(lines)


def _sum_latex(left: Iterable[float], right: Iterable[float]) -> str:
    """LaTeX of the sum of the products of two rows."""
    return " + ".join(rf"{{{_factor_latex(a)} \cdot {_factor_latex(b)}}}" for a, b in zip(left, right, strict=True))


def _displayed_sum(left: Iterable[float], right: Iterable[float]) -> float:
    """The sum of the products of two rows, computed from the rounded numbers that are displayed."""
    return sum(float(f"{a:.5g}") * float(f"{b:.5g}") for a, b in zip(left, right, strict=True))


def _relation(calculated: float, displayed: str) -> str:
    """LaTeX of = if the calculated number rounds to the displayed one, else of ≈."""
    exponent = Decimal(displayed).as_tuple().exponent
    half_a_unit = 0.5 * 10.0 ** int(exponent)
    return "=" if abs(calculated - float(displayed)) <= half_a_unit else r"\approx"


def _factor_latex(number: float) -> str:
    """LaTeX of a factor of a product: a negative number is in brackets."""
    return _number_latex(number) if number >= 0 else f"({_number_latex(number)})"


def _number_latex(number: float) -> str:
    """LaTeX of a number with five significant digits."""
    return latex_number(f"{number:z.5g}")


def _render_equations(lines: Iterable[str]) -> None:
    """Render each equation as text, which breaks after an operator: the result stays in sight in a narrow window."""
    st.markdown("\n\n".join(f"${line}$" for line in lines))


class Results(NamedTuple):
    """The same results computed by hand and by the encoder, with a name for each."""

    names: Sequence[str]
    by_hand: Sequence[float]
    by_encoder: Float[np.ndarray, "number"]


def _render_comparison(results: Sequence[Results]) -> None:
    """Render the results side by side, and the badge with the largest difference."""
    names = [name for result in results for name in result.names]
    by_hand = np.concatenate([result.by_hand for result in results])
    by_encoder = np.concatenate([result.by_encoder for result in results]).astype(float)
    frame.render_recompute_badge(lambda: difference(by_encoder, by_hand))
    table = pd.DataFrame(
        {"by hand": by_hand, "encoder_core": by_encoder, _DIFFERENCE: np.abs(by_hand - by_encoder)}, index=names
    )
    digits = partial(format_fixed, decimals=6)
    st.dataframe(table.style.format(digits).format(partial(format_number, digits=1), subset=[_DIFFERENCE]))
    st.caption("The badge has the largest difference as a fraction of the largest number.")


def _demo(name: str) -> Demo:
    return RECIPES["nanolm"].demos[name]
