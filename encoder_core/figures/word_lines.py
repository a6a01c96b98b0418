"""Attention as lines between words: which weights of a query are drawn, and how the lines of several heads differ."""

from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.figures.theme import ThemeName, theme_named
from encoder_core.support.validation import require_integer, require_numbers

SMALLEST_WEIGHT = 0.02  # smaller weights are not drawn

Dash = Literal["solid", "dashed", "dotted"]
_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted")

# Found by a search over RGB: the smallest distance of any two colours in OKLab, in normal vision and with protanopia,
# deuteranopia and tritanopia (Machado et al. 2009), is 0.157 (light) and 0.169 (dark). Each has a contrast of at least
# 3 to the background.
_COLOURS: dict[ThemeName, tuple[str, ...]] = {
    "light": ("#e1690f", "#5a00e1", "#960000", "#6987ff", "#5a0f78", "#875a87"),
    "dark": ("#f09687", "#785aff", "#f0f00f", "#78ffff", "#a56900", "#a5a5ff"),
}


class WordLine(NamedTuple):
    """The line from the query to a key in one head, both counted from 0."""

    head: int
    key: int
    weight: float


class LineStyle(NamedTuple):
    """The colour and the dashes of a head's lines."""

    colour: str
    dash: Dash


def word_lines(weights: Float[np.ndarray, "head key"]) -> list[WordLine]:
    """The lines of one query: weights from SMALLEST_WEIGHT on, the smallest first, so that larger ones cover them.

    Raises ValueError for what is no matrix of numbers.
    """
    weights = require_numbers("weights", weights, "head key")
    heads, keys = np.nonzero(weights >= SMALLEST_WEIGHT)
    lines = [WordLine(int(head), int(key), float(weights[head, key])) for head, key in zip(heads, keys, strict=True)]
    return sorted(lines, key=lambda line: line.weight)


def line_styles(count: int, theme: ThemeName) -> list[LineStyle]:
    """A style for each of `count` heads: six colours with solid, then dashed, then dotted lines.

    Every style differs from the others up to 18 heads. One head alone has the colour of attention.
    Raises ValueError unless `count` is a whole number from 0, and for an unknown theme.
    """
    count = require_integer("count", count, 0)
    attention = theme_named(theme).attention
    if count == 1:
        return [LineStyle(attention, "solid")]
    colours = _COLOURS[theme]
    return [
        LineStyle(colours[head % len(colours)], _DASHES[head // len(colours) % len(_DASHES)]) for head in range(count)
    ]
