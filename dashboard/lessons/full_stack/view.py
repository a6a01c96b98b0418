"""What the views of the full stack share: what a view is, and what it hands to the depths."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many, which_is_largest
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.axis_window import Wide
from dashboard.selection.focus import Focus, Part
from dashboard.selection.inspected_cell import Inspection
from encoder_core import EncoderConfig
from encoder_core.blocks import EncoderStack
from encoder_core.engine.forward import forward
from encoder_core.figures import Window, format_number


class Depths(NamedTuple):
    """Numbers, formula, code and question of a view, as `frame.depths` takes them."""

    tables: Mapping[str, Table]
    formula: str
    code: Sequence[Callable[..., Any]]
    question: Question
    inspection: Inspection | None = None


class View(NamedTuple):
    """A view: the parts of the focus that mean something in it, and the function that draws it.

    draw  gets what `pick` returned; it returns None where there is nothing to be seen, after it has said why
    pick  draws the view's own picker, if it has one, in the line of the views
    """

    parts: tuple[Part, ...]
    draw: Callable[[Model, Focus, Any], Depths | None]
    pick: Callable[[Model], Any] = lambda _: None


def pick_dims(current: Model) -> Window:
    """The picker of a view that shows dimensions."""
    return Wide("dims", current.config.d_model).pick()


def enters(config: EncoderConfig) -> str:
    """What goes into the first block, in words."""
    return "a token alone" if config.positions == "none" else "a token and its place"


def stack_code(model: Model) -> Callable[..., Any]:
    """What ran the layers one after another."""
    return forward if model.splits_heads else EncoderStack.__call__


def blocks_in_words(config: EncoderConfig) -> str:
    """1 block, 4 blocks."""
    return f"{config.num_layers} block{'s' if config.num_layers > 1 else ''}"


def which_token(at: Focus, text: str, values: Float[np.ndarray, "seq"], why: str, sign: int = 1) -> Question:
    """Which token has the largest value? It, and the next two. `why` has a place for the value, times `sign`."""
    return which_is_largest(
        text,
        values,
        lambda place: f"{place + 1} · {plain(at.labels[place])}",
        lambda best: why.format(format_number(sign * values[best], 3)),
        how_many("how many vectors leave each block?", len(values), "As many as enter it: one for each token."),
    )


def which_head(text: str, values: Float[np.ndarray, "layer head"], why: str) -> Question:
    """Which head has the largest value? It, and two others from the rest of the order."""
    num_layers, num_heads = values.shape
    return which_is_largest(
        text,
        values.ravel(),
        lambda place: head_name(*divmod(place, num_heads)),
        lambda best: why.format(format_number(values.flat[best], 3)),
        how_many("how many attention patterns does a sentence have?", values.size,
                 f"One for each head of each layer: {num_layers} × {num_heads}."),
        spread=True,
    )  # fmt: skip


READ_OUT = (
    "As in this tutorial's code, each layer shown reads the encoder's input, not what the layer before gave; the "
    "output alone is that of the stack. So this view does not follow the stack from layer to layer."
)


def head_name(layer: int, head: int) -> str:
    """A head in words, counted from 1."""
    return f"layer {layer + 1}, head {head + 1}"
