"""What the views of the full stack share: what a view is, and what it hands to the depths."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard import frame
from dashboard.cells import Looked
from dashboard.focus import Focus, Part
from dashboard.frame import Question, Table
from dashboard.model import Model
from dashboard.window import Wide
from encoder_core import EncoderConfig
from encoder_core.blocks import EncoderStack
from encoder_core.figures import Window, format_number
from encoder_core.forward import forward


class Depths(NamedTuple):
    """Numbers, formula, code and question of a view, as `frame.depths` takes them."""

    tables: Mapping[str, Table]
    formula: str
    code: Sequence[Callable[..., Any]]
    question: Question
    looked: Looked | None = None


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
    order = np.argsort(-values, kind="stable")
    options = sorted(int(place) for place in order[:3])
    best = int(order[0])
    return Question(
        text,
        [f"{place + 1} · {frame.plain(at.labels[place])}" for place in options],
        options.index(best),
        why.format(format_number(sign * values[best], 3)),
    )


def which_head(text: str, values: Float[np.ndarray, "layer head"], why: str) -> Question:
    """Which head has the largest value? It, and two others from the rest of the order."""
    num_heads = values.shape[1]
    best, *others = (divmod(int(place), num_heads) for place in np.argsort(-values, axis=None, kind="stable"))
    options = sorted([best, *others[len(others) // 2 :: max(1, len(others) // 2)][:2]])
    return Question(
        text,
        [head_name(layer, head) for layer, head in options],
        options.index(best),
        why.format(format_number(values[best], 3)),
    )


def head_name(layer: int, head: int) -> str:
    """A head in words, counted from 1."""
    return f"layer {layer + 1}, head {head + 1}"
