"""Scenes of the positions: the encoding itself, what it adds to the tokens, and which positions are alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import (
    ThemeName,
    Window,
    band,
    curves,
    heatmap,
    position_labels,
    row_bars,
    scale_of,
    series_colours,
    span_of,
    theme_named,
)
from encoder_core.scenes.equation import equation
from encoder_core.sublayers import NormSteps


def all_positions(
    encoding: Float[np.ndarray, "position d_model"],
    chosen: Sequence[int],
    *,
    title: str,
    seq: int,
    token: int,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """All positions as a heatmap, the first `seq` marked as in use, and the chosen dimensions as curves.

    columns  the window that is drawn of the heatmap; None draws all.
    """
    places = position_labels(len(encoding))
    hues = dict(zip(chosen, series_colours(theme_named(theme)), strict=False))
    return [
        heatmap(encoding, places, columns, title=title, row_axis="position", marks=[(token, None)], flags=range(seq),
                column_flags=hues, height=230, theme=theme),
        "",
        curves({f"dim {index}": encoding[:, index] for index in chosen}, range(1, len(encoding) + 1),
               title="some columns as curves", x_axis="position", y_axis="", height=206, theme=theme),
    ]  # fmt: skip


def position_added(
    scaled: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    total: Float[np.ndarray, "seq d_model"],
    *,
    tokens: Sequence[str],
    token: int,
    columns: Window | None = None,
    title: str = "embedded",
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Scaled embedding + position = `total`, called `title`: what enters the first block, or what a norm reads."""
    return equation(
        [("scaled embedding", scaled), "+", ("position", position), "=", (title, total)],
        tokens, token, columns=columns, height=230, theme=theme,
    )  # fmt: skip


def sum_normed(
    norm: NormSteps,
    embedded: Float[np.ndarray, "seq d_model"],
    *,
    tokens: Sequence[str],
    token: int,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Mean and variance of each token's sum → the normalised rows → scaled and shifted: what enters the first block."""
    common: dict[str, Any] = {"height": 230, "theme": theme}
    of_row: dict[str, Any] = {"row_axis": "token", "marks": [token], "decimals": None, "weight": 14, **common}
    limit, marks = scale_of(norm.normalised, embedded), [(token, None)]
    mean, variance = norm.mean, norm.variance
    return [
        row_bars(mean, tokens, title="mean of the sum", span=span_of(mean), **of_row),
        row_bars(variance, tokens, title="its variance", span=span_of(variance), colour="muted", **of_row),
        "→",
        heatmap(norm.normalised, tokens, columns, title="(sum − mean) / √variance", limit=limit, marks=marks, **common),
        "→",
        heatmap(embedded, tokens, columns, title="× γ + β = embedded", limit=limit, marks=marks, **common),
    ]


def similarity(dots: Float[np.ndarray, "position position"], theme: ThemeName = "light") -> list[go.Figure | str]:
    """The dot product of every position with every other, and the same by distance."""
    places = position_labels(len(dots))
    return [
        heatmap(dots, places, places, title="dot product of two positions", row_axis="position",
                column_axis="other position", height=230, theme=theme),
        "→",
        band(*similarity_by_distance(dots), title="by distance", x_axis="distance between the two positions",
             y_axis="dot product", height=230, theme=theme),
    ]  # fmt: skip
