"""Scenes of many sentences: the nearest vectors of a token by layer, and the kinds of pairs that a head connects."""

from collections.abc import Sequence

import numpy as np

from encoder_core.analysis.language import PairKind, SimilarContexts
from encoder_core.figures import AxisMeaning, Line, RowBarsDetails, RowBarsStyle, Selection, ThemeName, row_bars

_ROW = 26  # pixels


def same_word_by_stage(
    stages: Sequence[SimilarContexts], names: Sequence[str], stage: int, *, most: int, theme: ThemeName = "light"
) -> Line:
    """How many of the nearest vectors belong to the same word, at each stage; a click on a stage selects it.

    most  the largest possible number: the occurrences of the word
    """
    counts = np.array([sum(context.same_word for context in result.nearest) for result in stages], np.float32)
    listed = max(len(result.nearest) for result in stages)
    limits = np.full(len(counts), min(most, listed), np.float32)
    selects: list[Selection] = [{"stage": index} for index in range(len(counts))]
    title = f"same word among the {listed} nearest"
    values = ", ".join(f"layer {name} {count:.0f}" for name, count in zip(names, counts, strict=True))
    style = RowBarsStyle(row_axis=AxisMeaning("stage", "layer", selects), span=(0.0, max(1.0, listed)), decimals=0,
                         numbers_width=0.2, colour="attention", height=_ROW * len(counts), alt=f"{title}: {values}",
                         theme=theme)  # fmt: skip
    details = RowBarsDetails(references=limits, footer="❘ the most that is possible")
    return [row_bars(counts, names, title=title, marks=[stage], details=details, style=style)]


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
