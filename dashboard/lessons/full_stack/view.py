"""Types and functions that the views of the full stack page share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, count_question, largest_value_question
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.focus import Focus, Part
from dashboard.selection.inspected_cell import Inspection
from encoder_core import EncoderConfig
from encoder_core.blocks import EncoderStack
from encoder_core.engine.forward import forward
from encoder_core.figures import Window, format_number


class Depths(NamedTuple):
    """Numbers, formula, code and question of a view: the arguments of `render_depths`."""

    tables: Mapping[str, Table]
    formula: str
    code: Sequence[Callable[..., Any]]
    question: Question
    inspection: Inspection | None = None


class View(NamedTuple):
    """A view of the page: the pickers that apply to it, and the functions that render it.

    parts          the pickers of the position (layer, head, token, ...)
    render         receives the model, the position and the value of `render_picker`; returns None if the view cannot
                   be shown, after it has rendered the reason
    render_picker  renders the view's own picker beside the choice of views
    """

    parts: tuple[Part, ...]
    render: Callable[[Model, Focus, Any], Depths | None]
    render_picker: Callable[[Model], Any] = lambda _: None


def render_dims_picker(current: Model) -> Window:
    """Render the picker of the dimensions and return the window."""
    return WideAxis("dims", current.config.d_model).render_picker()


def input_content(config: EncoderConfig) -> str:
    """Content of a vector at the input of the first block, as text."""
    return "a token" if config.positions == "none" else "a token and its position"


def stack_code(model: Model) -> Callable[..., Any]:
    """The function that ran the layers."""
    return forward if model.splits_heads else EncoderStack.__call__


def blocks_text(config: EncoderConfig) -> str:
    """The number of blocks as text: "1 block", "4 blocks"."""
    return f"{config.num_layers} block{'s' if config.num_layers > 1 else ''}"


def token_question(at: Focus, text: str, values: Float[np.ndarray, "seq"], why: str, sign: int = 1) -> Question:
    """Which token has the largest value? The options are the top three. `why` is formatted with `sign` · value."""
    return largest_value_question(
        text,
        values,
        lambda place: f"{place + 1} · {escape_token(at.labels[place])}",
        lambda best: why.format(format_number(sign * values[best], 3)),
        count_question("how many vectors does each block output?", len(values), "One for each token."),
    )


def head_question(text: str, values: Float[np.ndarray, "layer head"], why: str) -> Question:
    """Which head has the largest value? The other options have values from the middle and the end of the order."""
    num_layers, num_heads = values.shape
    return largest_value_question(
        text,
        values.ravel(),
        lambda place: head_name(*divmod(place, num_heads)),
        lambda best: why.format(format_number(values.flat[best], 3)),
        count_question("how many attention patterns does a sentence have?", values.size,
                       f"One for each head of each layer: {num_layers} × {num_heads}."),
        spread=True,
    )  # fmt: skip


READ_OUT_NOTE = (
    "As in this tutorial's code, the input of each layer shown is the encoder's input, not the output of the previous "
    "layer; only the final output is that of the stack. So this view does not follow vectors from layer to layer."
)


def head_name(layer: int, head: int) -> str:
    """A head as text, counted from 1: "layer 4, head 2"."""
    return f"layer {layer + 1}, head {head + 1}"
