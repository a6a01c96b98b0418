"""The position encodings to choose from, in words and in symbols: what the page of positions says of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.state.settings import PositionChoice
from encoder_core.inputs.positions import sinusoid_angles, sinusoids

# Positions count from 1 on screen; the variable of the formulas and the index of the table count from 0.
FROM_ZERO = r" \\[14pt] pos = \text{position} - 1 = 0, 1, 2, \ldots"


@dataclass(frozen=True)
class Encoding:
    """Its name, what it means to the encoder, its definition in LaTeX, and the functions that compute it."""

    label: str
    meaning: str
    definition: str
    code: Sequence[Callable[..., Any]] = ()


ENCODINGS: dict[PositionChoice, Encoding] = {
    "sinusoidal": Encoding(
        "sinusoids, interleaved",
        "Each pair of dimensions is a sine and a cosine of one frequency. The first pairs turn fast, the last slowly, "
        "like the hands of a clock: together they give each position in this table a row of its own.",
        r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"
        + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "concatenated": Encoding(
        "sinusoids, concatenated",
        "The same sines and cosines in another order: all sines, then all cosines. Every dot product of two positions "
        "stays as it is. An encoder works as well with this order only if it is trained with it: its weights belong to "
        "the dimensions they were trained on.",
        r"PE_{pos,\,i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,i+d/2} = \cos\frac{pos}{10000^{2i/d}}"
        + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "per_dimension": Encoding(
        "sinusoids, a frequency for each dimension",
        "No sine has a cosine of its frequency: the dimension itself stands where its pair should. Frequencies fall "
        "twice as fast, and the dot product of two positions no longer depends on their distance only.",
        r"PE_{pos,\,j} = \begin{cases} \sin\frac{pos}{10000^{2j/d}} & j \text{ even} \\[8pt] "
        r"\cos\frac{pos}{10000^{2j/d}} & j \text{ odd} \end{cases}" + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "learned": Encoding(
        "learned table",
        "One row for each position, learned like the rows of the words. A random table that is not trained says "
        "nothing about which positions are neighbours. There is no row beyond the last position of the table.",
        r"PE_{pos} = P[pos]" + FROM_ZERO,
    ),
    "none": Encoding(
        "none",
        "Nothing is added, every row is zero. Without a causal mask, such an encoder does not know the order of its "
        "tokens: shuffle the words, and the same vectors come out, shuffled. A causal mask does give them an order.",
        "PE = 0",
    ),
}
