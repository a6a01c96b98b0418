"""Matrices of one row a token, joined by operators: the scene of every sum of vectors."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures import ThemeName, Window, heatmap, scale_of

Term = tuple[str, Float[np.ndarray, "seq d_model"]]  # title and values


def equation(
    parts: Sequence[Term | str],
    tokens: Sequence[str],
    token: int,
    *,
    columns: Window | None = None,
    height: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Each term as a heatmap, operators between them as they stand; all terms on one scale, `token` outlined.

    columns  the window that is drawn of each; None draws all.
    """
    limit = scale_of(*(part[1] for part in parts if not isinstance(part, str)))

    def drawn(title: str, values: Float[np.ndarray, "seq d_model"]) -> go.Figure:
        marks = [(token, None)]
        return heatmap(values, tokens, columns, title=title, limit=limit, marks=marks, height=height, theme=theme)

    return [part if isinstance(part, str) else drawn(*part) for part in parts]
