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
from encoder_core import EncoderConfig


class Depths(NamedTuple):
    """Numbers, formula, code and question of a view, as `frame.depths` takes them."""

    tables: Mapping[str, Table]
    formula: str
    code: Sequence[Callable[..., Any]]
    question: Question
    looked: Looked | None = None


class View(NamedTuple):
    """A view: the parts of the focus that mean something in it, and the function that draws it.

    width  how many dimensions it has room for; 0 where it shows none.
    """

    parts: tuple[Part, ...]
    draw: Callable[[Model, Focus, slice], Depths]
    width: int = 0


def enters(config: EncoderConfig) -> str:
    """What goes into the first block, in words."""
    return "a token alone" if config.positions == "none" else "a token and its place"


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
        why.format(sign * values[best]),
    )
