"""The scene of the nearest words: their cosines with a direction in the embedding table."""

from collections.abc import Collection, Sequence

import numpy as np

from encoder_core.figures import Line, RowBarsDetails, RowBarsStyle, ThemeName, row_bars
from encoder_core.pretrained import Neighbour
from encoder_core.support.number_format import format_fixed


def nearest(
    neighbours: Sequence[Neighbour],
    *,
    title: str,
    excluded: Collection[str] = (),
    theme: ThemeName = "light",
) -> Line:
    """The cosines of the neighbours as bars up to 1. Words in `excluded` do not count as answers: they are hatched."""
    cosines, words = np.array([other.cosine for other in neighbours]), [other.word for other in neighbours]
    excluded_rows = [row for row, word in enumerate(words) if word in excluded]
    values = ", ".join(f"{other.word} {format_fixed(other.cosine, 2)}" for other in neighbours)
    style = RowBarsStyle(row_axis="word", span=(min(0.0, float(cosines.min())), 1.0), numbers_width=0.15,
                         alt=f"{title}: {values}", theme=theme)  # fmt: skip
    details = RowBarsDetails(excluded=excluded_rows, footer="0: orthogonal · 1: same direction")
    return [row_bars(cosines, words, title=title, details=details, style=style)]
