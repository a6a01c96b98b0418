"""Matrices of one row a token, joined by operators: the scene of every sum of vectors."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures import ThemeName, dimensions, heatmap, scale_of

Term = tuple[str, Float[np.ndarray, "seq d_model"]]  # title and values


def equation(
    parts: Sequence[Term | str],
    tokens: Sequence[str],
    token: int,
    *,
    height: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Each term as a heatmap, operators between them as they stand; all terms on one scale, `token` outlined."""
    limit = scale_of(*(part[1] for part in parts if not isinstance(part, str)))

    def drawn(title: str, values: Float[np.ndarray, "seq d_model"]) -> go.Figure:
        dims, marks = dimensions(values.shape[1]), [(token, None)]
        return heatmap(values, tokens, dims, title=title, limit=limit, marks=marks, height=height, theme=theme)

    return [part if isinstance(part, str) else drawn(*part) for part in parts]
