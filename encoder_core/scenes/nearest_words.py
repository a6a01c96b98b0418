"""Scenes of words: the neighbours of a direction in the embedding table."""

from collections.abc import Collection, Sequence

import numpy as np

from encoder_core.figures import Line, ThemeName, format_fixed, row_bars
from encoder_core.pretrained import Neighbour


def nearest(
    found: Sequence[Neighbour],
    *,
    title: str,
    given: Collection[str] = (),
    theme: ThemeName = "light",
) -> Line:
    """Their cosines as bars up to 1, the nearest first; those that were `given` do not count: hatched."""
    cosines, words = np.array([other.cosine for other in found]), [other.word for other in found]
    aside = [row for row, word in enumerate(words) if word in given]
    read = ", ".join(f"{other.word} {format_fixed(other.cosine, 2)}" for other in found)
    return [
        row_bars(
            cosines, words, title=title, row_axis="word", span=(min(0.0, float(cosines.min())), 1.0), aside=aside,
            room=0.15, foot="0: at right angles · 1: the same way", alt=f"{title}: {read}", theme=theme,
        ),
    ]  # fmt: skip
