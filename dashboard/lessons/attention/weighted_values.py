"""Sections of the weighted values page: the picker of one dimension of z, and the question."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.questions import Question, WrongOption, largest_value_question, rank_distinct
from dashboard.markdown import escape_token
from dashboard.selection.focus import Focus
from dashboard.state.choices import VALUE_DIMENSION
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.support.number_format import format_calculation, format_number, in_brackets


def selected_dimension(d_head: int) -> int:
    """The selected dimension of z."""
    return session().get_option(VALUE_DIMENSION, range(d_head), 0)


def render_dimension_picker(at: Focus, d_head: int, dimension: int) -> None:
    """Render the picker of the dimension; a click on a cell of V or z selects it as well."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(f"One number of z: “{escape_token(at.labels[at.token])}”, dimension", anchor=False, width="content")
        st.selectbox(
            "Dimension of the head", range(d_head), filter_mode=None, width=100, label_visibility="collapsed",
            **bind_widget(VALUE_DIMENSION, dimension, d_head, index_of=range(d_head)),
        )  # fmt: skip


def average_text(values: Float[np.ndarray, "visible"], number: float) -> str:
    """Caption: a dimension of z is an average of the visible values, with weights that add up to 1."""
    if len(values) == 1:
        between = f"**{format_number(number)}** is the only visible value, to within rounding."
    else:
        between = (
            f"**{format_number(number)}** lies between the smallest (**{format_number(values.min())}**) and the "
            f"largest (**{format_number(values.max())}**) of the {len(values)} visible values."
        )
    return (
        f"No weight of this row is negative and they add up to 1, so z is a weighted average: {between} The columns "
        "above are rounded."
    )


def contribution_question(
    at: Focus, row: Float[np.ndarray, "key"], values: Float[np.ndarray, "key"], factor: float, dimension: int
) -> Question:
    """Which key contributes most? Not always the one with the largest weight: the value counts as well."""
    by_weight = rank_distinct(row)
    is_unique = len(by_weight) == len(row)  # no other key has nearly the same weight
    of_head = "" if factor == 1 else f" The head's factor {format_number(factor)} is the same for all keys."

    products = row * values
    options = np.abs(products)[rank_distinct(np.abs(factor * products))[:3]]
    # With too few digits, the product of another option would be read as equal to the largest one.
    texts = {d: [format_number(option, d) for option in options] for d in range(3, 7)}
    digits = next((d for d, (largest, *others) in texts.items() if largest not in others), 3) if options.size else 3

    def product_text(key: int) -> str:
        product = format_calculation([row[key], values[key]], products[key], digits=digits)
        weight, value = product.operands
        return f"{weight} × {in_brackets(value)} {product.relation} {product.result}"

    def explain(key: int) -> WrongOption:
        reason = (
            "It has the largest weight, but the value counts as well"
            if is_unique and key == by_weight[0]
            else "Its product of weight and value is smaller in absolute value"
        )
        return WrongOption(
            f"{key + 1} · {escape_token(at.labels[key])}",
            f"{reason}: {product_text(key)}.",
            f"the column weight × value of dimension {dimension}",
        )

    return largest_value_question(
        f"which of these keys adds most, in absolute value, to dimension {dimension} of z for "
        f"“{escape_token(at.labels[at.token])}”?",
        np.abs(factor * products),
        lambda best: f"Weight × value is {product_text(best)}.{of_head}",
        explain,
        _sum_question(at, row, values, factor),
    )


def _sum_question(
    at: Focus, row: Float[np.ndarray, "key"], values: Float[np.ndarray, "key"], factor: float
) -> Question:
    """What z is: for a row whose products tie, such as one of a single visible key or of masked keys only."""
    token, visible = escape_token(at.labels[at.token]), np.flatnonzero(row)
    terms = "the weighted rows in the middle of the figure"
    zeros = WrongOption("a row of zeros", "z is 0 only if every weight is 0, or if the values are 0 or cancel.", terms)
    if factor == 1 and not visible.size:
        return Question(
            f"every weight of “{token}” is 0. What is its row of z?",
            "a row of zeros",
            "z is the sum of the value rows times their weights, and nothing else is added.",
            [
                WrongOption("the mean of all value rows", "A mean would need equal positive weights.", terms),
                WrongOption(
                    f"the value row of “{token}”",
                    "A token receives its own value row only through its weight on itself.",
                    "the diagonal of the weights",
                ),
            ],
        )
    if factor == 1 and visible.size == 1 and np.isclose(row.sum(), 1):
        key = escape_token(at.labels[int(visible[0])])
        return Question(
            f"“{token}” gives all its weight to “{key}”. What is its row of z?",
            f"the value row of “{key}”",
            "1 × value row: a weighted average of one row is this row.",
            [
                WrongOption(
                    f"the input row x of “{key}”",
                    "Attention passes on value rows, x W_V, not x itself.",
                    "the formula: z is a sum of rows of V",
                ),
                *([zeros] if values[visible[0]] else []),  # a value row of zeros would make it right
            ],
        )
    return Question(
        "the tokens are put in another order, each with its weight and its value row. What happens to the row of z for "
        f"“{token}”?",
        "nothing",
        "z is a sum, and a sum does not depend on the order of its terms.",
        [
            WrongOption(
                "its numbers change places, too",
                "The tokens are the terms of the sum. The numbers of a row are its dimensions, which keep their order.",
                terms,
            ),
            WrongOption(
                "it changes: later tokens count more",
                "A token counts by its weight alone. Its position could only matter through queries and keys.",
                "the formula: j runs over the keys in any order",
            ),
        ],
    )
