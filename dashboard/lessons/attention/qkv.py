"""Parts of the queries, keys, values page: the parameters, the roles, and the question."""

from typing import Literal

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.questions import Question, WrongOption
from dashboard.markdown import escape_token, names_of_two
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core import EncoderConfig
from encoder_core.figures import largest_magnitude
from encoder_core.scenes.attention.qkv import LETTERS
from encoder_core.support.number_format import format_number

_ROLES = (
    ":blue[**Query**]: what this token searches for. Its dot product with each key gives the score of that key.",
    ":red[**Key**]: what this token is compared by. It is used only in the dot products with the queries.",
    ":green[**Value**]: what this token passes on. A token that attends to it receives this row times the weight.",
)
Heads = Float[np.ndarray, "batch head seq d_head"]


def render_roles(current: Model, at: Focus, head_columns: range, biases: dict[str, Float[np.ndarray, "..."]]) -> None:
    """The roles of query, key and value, and a caption of the figures."""
    config = current.config
    for column, role in zip(st.columns(3, gap="medium"), _ROLES, strict=True):
        column.markdown(role)
    normed = ", normalised because this model is pre-norm" if config.norm == "pre" else ""
    largest = largest_magnitude(*biases.values())
    bias_note = (
        f"b is the same for every row; its largest absolute value is {format_number(largest, 2)}."
        if biases
        else "These three linear layers have no biases."
    )
    columns = columns_text(head_columns)
    st.caption(
        f"Three equations with the same x, one for each colour. x is {_source(config, at.layer)}{normed}. {bias_note} "
        f"Head {at.head + 1} uses {columns} of the full {config.d_model} × {config.qkv_width} matrices."
    )


def _source(config: EncoderConfig, layer: int) -> str:
    """What a layer, counted from 0, reads, before a norm."""
    reads_stack = layer > 0 and config.attention_read_out == "stack"
    return f"the output of layer {layer}" if reads_stack else "the embedded tokens"


def linear_parameters(
    current: Model, layer: int, kind: Literal["kernel", "bias"]
) -> dict[str, Float[np.ndarray, "..."]]:
    """The kernels or biases of the linear layers of queries, keys and values, all heads side by side."""
    parameters = current.parameters
    names = {name: f"layers.{layer}.attention.{name}.{kind}" for name in LETTERS}
    return {name: parameters[path] for name, path in names.items() if path in parameters}


def columns_text(columns: range) -> str:
    """The columns as text: "columns 16 to 31", or "column 3" for a single one."""
    return f"columns {columns[0]} to {columns[-1]}" if len(columns) > 1 else f"column {columns[0]}"


def one_matrix_question(current: Model, at: Focus, q: Heads) -> Question:
    """What if queries and keys came from one matrix? Another question if there is no second token to compare with."""
    real = np.flatnonzero(current.batch.real[at.sentence]).tolist()
    other = next((place for place in (at.token + 1, at.token - 1) if place in real and at.token in real), None)
    if other is None:
        return _value_question(current, at)
    scores = q[at.sentence, at.head].astype(float) @ q[at.sentence, at.head].T.astype(float)
    both = float(scores[at.token, other])
    if abs(both) < 1e-6:
        return _value_question(current, at)
    biased = current.config.has_qkv_bias
    query, key = "x W_Q" + " + b_Q" * biased, "x W_K" + " + b_K" * biased
    equal = "W_K = W_Q" + ", b_K = b_Q" * biased
    first, second = names_of_two(at.labels, at.token, other)
    return Question(
        f"the query of a token is {query}, its key {key}. Suppose that head {at.head + 1} used the same parameters "
        f"for both ({equal}). How would the dot product of query {first} and key {second} compare with that of query "
        f"{second} and key {first}?",
        "they would be equal",
        f"Both would be {format_number(both, 3)}: a dot product does not depend on the order of its factors. With two "
        "matrices, the two can differ: each token can search for something else than it is found by.",
        [
            WrongOption(
                "they would differ, because their queries differ",
                "With one matrix, the query of a token is also its key, so both dot products multiply the same two "
                "vectors.",
                f"Q and K: they differ only because W_Q and W_K{' and their biases' * biased} do",
            ),
            WrongOption(
                "one would be minus the other",
                "A dot product does not change its sign when its factors change places.",
                "the formula: the same x is multiplied by each matrix",
            ),
        ],
    )


def _value_question(current: Model, at: Focus) -> Question:
    """What do the values decide?"""
    bias = " + b_V" * current.config.has_qkv_bias
    return Question(
        f"the value of a token is x W_V{bias}. All numbers of W_V of head {at.head + 1} are doubled. What can "
        f"change for “{escape_token(at.labels[at.token])}” in this head?",
        "only what it receives, not its attention weights",
        "The weights come from queries and keys alone. The values are what the weights are applied to.",
        [
            WrongOption(
                "its attention weights",
                "Scores are dot products of queries and keys; V is not one of their factors.",
                "the roles below the figure",
            ),
            WrongOption(
                "its attention weights and what it receives",
                "W_V has no part in the scores, so the weights stay as they are.",
                "the three equations: each matrix has a result of its own",
            ),
        ],
    )
