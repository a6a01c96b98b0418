"""Sections of the queries, keys, values page: their roles, and the question."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.questions import Question
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.analysis import cosines
from encoder_core.figures import format_fixed, format_number, largest_magnitude

_ROLES = (
    ":blue[**Query**]: what this token searches for. Its dot product with each key gives the score of that key.",
    ":red[**Key**]: what this token is compared by. It is used only in the dot products with the queries.",
    ":green[**Value**]: what this token passes on. A token that attends to it receives this row times the weight.",
)
Heads = Float[np.ndarray, "batch head seq d_head"]


def render_roles(current: Model, at: Focus, head_columns: range, biases: dict[str, Float[np.ndarray, "..."]]) -> None:
    """The roles of query, key and value, and a caption of the figures."""
    config = current.config
    for column, role in zip(st.columns(3, gap="large"), _ROLES, strict=True):
        column.markdown(role)
    reads_stack = at.layer and config.attention_read_out == "stack"
    source = f"the output of layer {at.layer}" if reads_stack else "the embedded tokens"
    normed = ", normalised because this model is pre-norm" if config.norm == "pre" else ""
    largest = largest_magnitude(*biases.values())
    bias_note = (
        f"b is the same for every row; its largest absolute value is {format_number(largest, 2)}."
        if biases
        else "This model has no biases."
    )
    columns = columns_text(head_columns)
    st.caption(
        f"Three equations with the same x, one for each colour. x is {source}{normed}. {bias_note} Head {at.head + 1} "
        f"uses {columns} of the full {config.d_model} × {config.qkv_width} matrices."
    )


def columns_text(columns: range) -> str:
    """The columns as text: "columns 16 to 31", or "column 3" for a single one."""
    return f"columns {columns[0]} to {columns[-1]}" if len(columns) > 1 else f"column {columns[0]}"


def query_key_question(at: Focus, q: Heads, k: Heads) -> Question:
    """Are the query and the key of a token similar in direction?"""
    cosine = float(cosines(q[at.sentence, at.head], k[at.sentence, at.head])[at.token, at.token])
    return Question(
        f"are the query and the key of “{escape_token(at.labels[at.token])}” similar in direction? Their cosine is",
        ["above 0.5: similar directions", "in between: neither", "below −0.5: opposite directions"],
        0 if cosine > 0.5 else 2 if cosine < -0.5 else 1,
        f"It is {format_fixed(cosine, 2)}. Both are computed from the same x, but with two different matrices: what a "
        "token searches for can differ from what it is compared by.",
    )
