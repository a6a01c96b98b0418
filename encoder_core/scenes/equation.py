"""Matrices of one row a token, joined by operators: the scene of every sum of vectors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.figures import Line, Panel, TensorMap, ThemeName, Window, heatmap, scale_of


class Term(NamedTuple):
    """One matrix of a sum: its title, its values, and which slice of a trace it is, if it is one."""

    title: str
    values: Float[np.ndarray, "seq d_model"]
    shows: TensorMap | None = None


def equation(
    parts: Sequence[Term | str],
    tokens: Sequence[str],
    token: int,
    *,
    columns: Window | None = None,
    height: int,
    theme: ThemeName = "light",
) -> Line:
    """Each term as a heatmap, operators between them as they stand; all terms on one scale, `token` outlined.

    columns  the window that is drawn of each; None draws all.
    """
    limit = scale_of(*(part.values for part in parts if isinstance(part, Term)))

    def drawn(term: Term) -> Panel:
        return heatmap(term.values, tokens, columns, title=term.title, limit=limit, marks=[(token, None)],
                       shows=term.shows, height=height, theme=theme)  # fmt: skip

    return [drawn(part) if isinstance(part, Term) else part for part in parts]
