"""Scenes of the positions: the encoding itself, what it adds to the tokens, and which positions are alike."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import ThemeName, band, curves, dimensions, heatmap, series_colours, theme_named
from encoder_core.scenes.equation import equation


def all_positions(
    encoding: Float[np.ndarray, "position d_model"],
    chosen: Sequence[int],
    *,
    title: str,
    seq: int,
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """All positions as a heatmap, the first `seq` marked as in use, and the chosen dimensions as curves."""
    places, dims = dimensions(len(encoding)), dimensions(encoding.shape[1])
    hues = dict(zip(chosen, series_colours(theme_named(theme)), strict=False))
    return [
        heatmap(encoding, places, dims, title=title, row_axis="position", marks=[(token, None)], flags=range(seq),
                column_flags=hues, height=230, theme=theme),
        "",
        curves({f"dim {index}": encoding[:, index] for index in chosen}, range(len(encoding)),
               title="some columns as curves", x_axis="position", y_axis="", height=206, theme=theme),
    ]  # fmt: skip


def position_added(
    scaled: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    embedded: Float[np.ndarray, "seq d_model"],
    *,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Scaled embedding + position = what enters the first block."""
    return equation(
        [("scaled embedding", scaled), "+", ("position", position), "=", ("embedded", embedded)],
        tokens, token, height=230, theme=theme,
    )  # fmt: skip


def similarity(dots: Float[np.ndarray, "position position"], theme: ThemeName = "light") -> list[go.Figure | str]:
    """The dot product of every position with every other, and the same by distance."""
    places = dimensions(len(dots))
    return [
        heatmap(dots, places, places, title="dot product of two positions", row_axis="position",
                column_axis="other position", height=230, theme=theme),
        "→",
        band(*similarity_by_distance(dots), title="by distance", x_axis="distance between the two positions",
             y_axis="dot product", height=230, theme=theme),
    ]  # fmt: skip
