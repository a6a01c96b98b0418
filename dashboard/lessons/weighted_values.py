"""Sections of the weighted values page: the picker of one dimension of z, and the question."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.questions import Question, count_question, largest_value_question, rank_distinct
from dashboard.markdown import escape_token
from dashboard.selection.focus import Focus
from dashboard.state.choices import VALUE_DIMENSION
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.figures import format_calculation, format_number, in_brackets


def render_dimension_picker(at: Focus, d_head: int) -> int:
    """Render the picker of the dimension and return it; a click on a cell of V or z selects it as well."""
    dimension = session().get_option(VALUE_DIMENSION, range(d_head), 0)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(f"One number of z: “{escape_token(at.labels[at.token])}”, dimension", anchor=False, width="content")
        st.selectbox(
            "Dimension of the head", range(d_head), filter_mode=None, width=100, label_visibility="collapsed",
            **bind_widget(VALUE_DIMENSION, dimension, d_head, index_of=range(d_head)),
        )  # fmt: skip
    return dimension


def contribution_question(
    at: Focus, row: Float[np.ndarray, "key"], values: Float[np.ndarray, "key"], factor: float, dimension: int
) -> Question:
    """Which key contributes most? Not always the one with the largest weight: the value counts as well."""
    sizes, by_weight = np.abs(factor * row * values), rank_distinct(row)
    token = escape_token(at.labels[at.token])

    def why(best: int) -> str:
        product = format_calculation([row[best], values[best]], row[best] * values[best])
        weight, value = product.operands
        of_head = "" if factor == 1 else f" The head's factor {format_number(factor)} is the same for all keys."
        is_unique = len(by_weight) == len(row)  # no other key has nearly the same weight
        largest = f" The largest weight belongs to “{escape_token(at.labels[by_weight[0]])}”." if is_unique else ""
        return f"Weight {weight} × value {in_brackets(value)} {product.relation} {product.result}.{of_head}{largest}"

    return largest_value_question(
        f"which of these keys adds most, in absolute value, to dimension {dimension} of z for “{token}”?",
        sizes,
        lambda key: f"{key + 1} · {escape_token(at.labels[key])}",
        why,
        count_question("how many products of a weight and a value are summed in one number of z?", len(row),
                       "One for each key; masked keys have weight 0."),
    )  # fmt: skip
