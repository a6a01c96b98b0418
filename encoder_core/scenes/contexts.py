"""Scenes of many sentences: the nearest vectors of a token by layer, and the kinds of pairs that a head connects."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.analysis.language import PairKind
from encoder_core.figures import (
    AxisMeaning,
    Line,
    RowBarsDetails,
    RowBarsStyle,
    Selection,
    ThemeName,
    dimensions,
    row_bars,
)

_ROW = 26  # pixels


def same_word_by_layer(
    shares: Float[np.ndarray, "stage"], stage: int, *, title: str, theme: ThemeName = "light"
) -> Line:
    """The share of the same word among the nearest vectors, at each stage; a click on a stage selects it.

    Stage 0 is the input of the first layer, stage l the output of layer l.
    """
    names = dimensions(len(shares))
    selects: list[Selection] = [{"stage": index} for index in range(len(shares))]
    values = ", ".join(f"layer {name} {share:.2f}" for name, share in zip(names, shares, strict=True))
    style = RowBarsStyle(row_axis=AxisMeaning("stage", "layer", selects), colour="attention", numbers_width=0.2,
                         height=_ROW * len(shares), alt=f"{title}: {values}", theme=theme)  # fmt: skip
    details = RowBarsDetails(footer="1: each occurrence is nearer than any other word")
    return [row_bars(shares, names, title=title, marks=[stage], details=details, style=style)]


def pair_kinds(kinds: Sequence[PairKind], kind: int, *, title: str, theme: ThemeName = "light") -> Line:
    """The share of each kind of pair among the strongest weights of a head's queries; a click on a kind selects it."""
    shares, uniform = (
        np.array(values, np.float32) for values in zip(*((k.share, k.uniform) for k in kinds), strict=True)
    )
    names = [k.kind for k in kinds]
    selects: list[Selection] = [{"role": index} for index in range(len(kinds))]
    style = RowBarsStyle(row_axis=AxisMeaning("role", "", selects), colour="attention", numbers_width=0.2,
                         height=_ROW * len(kinds), theme=theme,
                         alt=f"{title}: " + ", ".join(f"{k.kind} {k.share:.2f}" for k in kinds))  # fmt: skip
    details = RowBarsDetails(references=uniform, footer="❘ with a random key")
    return [row_bars(shares, names, title=title, marks=[kind], details=details, style=style)]
