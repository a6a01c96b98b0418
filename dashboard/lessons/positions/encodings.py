"""The position encodings: label, explanation, formula and code of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.state.position_choice import PositionChoice
from encoder_core.inputs.positions import sinusoid_angles, sinusoids

# Positions count from 1 on screen; the variable of the formulas and the index of the table count from 0.
FROM_ZERO = r" \\[14pt] pos = \text{position} - 1 = 0, 1, 2, \ldots"


@dataclass(frozen=True)
class Encoding:
    """Label, explanation, definition in LaTeX, and the functions that compute the encoding."""

    label: str
    meaning: str
    definition: str
    code: Sequence[Callable[..., Any]] = ()


ENCODINGS: dict[PositionChoice, Encoding] = {
    "sinusoidal": Encoding(
        "sinusoids, interleaved",
        "Each pair of dimensions holds the sine and the cosine of one frequency. The first pairs oscillate fast, the "
        "last slowly, like the hands of a clock. Together they give each position in this table a different row.",
        r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"
        + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "concatenated": Encoding(
        "sinusoids, concatenated",
        "The same sines and cosines in another order: first all sines, then all cosines. The dot product of any two "
        "positions is unchanged. An encoder works equally well with this order only if it is trained with it, because "
        "each of its parameters belongs to one dimension.",
        r"PE_{pos,\,i} = \sin\frac{pos}{10000^{2i/d}} \\[14pt] PE_{pos,\,i+d/2} = \cos\frac{pos}{10000^{2i/d}}"
        + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "per_dimension": Encoding(
        "sinusoids, a frequency for each dimension",
        "No sine has a cosine of the same frequency, because the exponent contains the index of the dimension instead "
        "of the index of its pair. The frequencies fall twice as fast, and the dot product of two positions no longer "
        "depends only on their distance.",
        r"PE_{pos,\,j} = \begin{cases} \sin\frac{pos}{10000^{2j/d}} & j \text{ even} \\[8pt] "
        r"\cos\frac{pos}{10000^{2j/d}} & j \text{ odd} \end{cases}" + FROM_ZERO,
        [sinusoids, sinusoid_angles],
    ),
    "learned": Encoding(
        "learned table",
        "One row for each position, trained like the rows of the embedding table. An untrained, random table contains "
        "no information about which positions are neighbours. Positions beyond the last row have no encoding.",
        r"PE_{pos} = P[pos]" + FROM_ZERO,
    ),
    "none": Encoding(
        "none",
        "Nothing is added: every row is zero. Unless the mask hides keys by their place, such an encoder is "
        "permutation-equivariant: if the tokens are shuffled, the output is the same vectors, shuffled. A causal mask "
        "hides keys by their place, and so does a mask of random keys.",
        "PE = 0",
    ),
}


def name_of(choice: PositionChoice) -> str:
    """A choice as a label: "per_dimension" -> "per dimension"."""
    return choice.replace("_", " ")
