"""Matrices with one row per token, joined by operators: the scene of every sum of vectors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.figures import HeatmapStyle, Line, TensorMap, ThemeName, Window, colour_limit, heatmap
from encoder_core.scenes.focus import Focus
from encoder_core.support.read_only import compared_by_identity


@compared_by_identity
class EquationTerm(NamedTuple):
    """One matrix of a sum: its title, its values, and the slice of a trace that it is, or None."""

    title: str
    values: Float[np.ndarray, "seq d_model"]
    shows: TensorMap | None = None


def equation(
    parts: Sequence[EquationTerm | str],
    at: Focus,
    *,
    columns: Window | None = None,
    height: int,
    theme: ThemeName = "light",
) -> Line:
    """Each term as a heatmap, with the operators between them; all terms have one scale, and `at.token` is outlined.

    columns  the window of the columns that is drawn; None draws all
    """
    limit = colour_limit(*(part.values for part in parts if isinstance(part, EquationTerm)))
    style = HeatmapStyle(limit=limit, height=height, theme=theme)
    return [
        part
        if isinstance(part, str)
        else heatmap(part.values, at.labels, columns, title=part.title, marks=[(at.token, None)], shows=part.shows,
                     style=style)
        for part in parts
    ]  # fmt: skip
