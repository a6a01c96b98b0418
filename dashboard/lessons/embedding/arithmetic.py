"""The arithmetic of cosines as a table."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from dashboard.inspect.depths import Table
from encoder_core.pretrained import Neighbour, direction_of

FORMULA = r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert\, \lVert b \rVert}"


def arithmetic(
    table: Float[np.ndarray, "vocab d_model"],
    vocabulary: Sequence[str],
    found: Sequence[Neighbour],
    plus: Sequence[str],
    minus: Sequence[str] = (),
) -> Table:
    """Of each word that was found: the cosine, and the dot product and the lengths that it was made of."""
    length = float(np.linalg.norm(direction_of(table, vocabulary, plus, minus)))
    rows = [(other.cosine, other.dot, length, other.length) for other in found]
    return Table(np.array(rows), [other.word for other in found], ["cos(a, b)", "a · b", "|a|", "|b|"])
