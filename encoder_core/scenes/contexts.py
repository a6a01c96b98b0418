"""The scene of similar contexts: how many of the nearest vectors in many sentences are of the same word, by layer."""

import numpy as np
from jaxtyping import Float

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
