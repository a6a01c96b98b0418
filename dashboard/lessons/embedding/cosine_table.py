"""A table of cosines with the dot products and lengths that they are computed from."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import NumberTable
from encoder_core.pretrained import Neighbour, direction_of
from encoder_core.support.number_format import latex_with_shape


def cosine_formula(d_model: int) -> str:
    """The cosine of two vectors, with their shapes."""
    a, b = (latex_with_shape(name, (1, d_model), above=True) for name in "ab")
    return rf"\cos(a, b) = \frac{{{a} \cdot {b}}}{{\lVert a \rVert\, \lVert b \rVert}}"


def cosine_table(
    table: Float[np.ndarray, "vocab d_model"],
    vocabulary: Sequence[str],
    neighbours: Sequence[Neighbour],
    plus: Sequence[str],
    minus: Sequence[str] = (),
) -> NumberTable:
    """For each word: its cosine with the direction plus − minus, the dot product and both lengths."""
    length = float(np.linalg.norm(direction_of(table, vocabulary, plus, minus)))
    rows = [(word.cosine, word.dot, length, word.length) for word in neighbours]
    return NumberTable(
        np.array(rows), [neighbour.word for neighbour in neighbours], ["cos(a, b)", "a · b", "|a|", "|b|"]
    )
