"""Scenes of the positions: the encoding itself, what it adds to the tokens, and which positions are alike."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import similarity_by_distance
from encoder_core.explain.sublayers import NormSteps
from encoder_core.figures import (
    Line,
    TensorSlice,
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
from encoder_core.scenes.equation import Term, equation
from encoder_core.scenes.position import POSITION_ENCODING, Position, text_slice


def all_positions(
    encoding: Float[np.ndarray, "position d_model"],
    chosen: Sequence[int],
    at: Position,
    *,
    title: str,
    seq: int,
    in_use: bool = True,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """All positions as a heatmap, the first `seq` marked as in use, and the chosen dimensions as curves.

    in_use   whether it is the encoding of the model; another is no tensor of the trace
    columns  the window that is drawn of the heatmap; None draws all.
    """
    places = position_labels(len(encoding))
    hues = dict(zip(chosen, series_colours(theme_named(theme)), strict=False))
    return [
        heatmap(encoding, places, columns, title=title, row_axis="position", marks=[(at.token, None)],
                flags=range(seq), column_flags=hues, height=230, theme=theme,
                shows=TensorSlice("position_encoding", ("row", "column"), rows=range(seq)) if in_use else None),
        "",
        curves({f"dim {index}": encoding[:, index] for index in chosen}, range(1, len(encoding) + 1),
               title="some columns as curves", x_axis="position", y_axis="", height=206, theme=theme),
    ]  # fmt: skip


def position_added(
    scaled: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    total: Float[np.ndarray, "seq d_model"],
    at: Position,
    *,
    tokens: Sequence[str],
    columns: Window | None = None,
    title: Literal["embedded", "embedding sum"] = "embedded",
    in_use: bool = True,
    theme: ThemeName = "light",
) -> Line:
    """Scaled embedding + position = `total`, called `title`: what enters the first block, or what a norm reads.

    in_use  whether it is the encoding of the model; with another, position and sum are no tensors of the trace
    """
    position_term = Term("position", position, POSITION_ENCODING if in_use else None)
    sum_term = Term(title, total, text_slice(title.replace(" ", "_"), at) if in_use else None)
    return equation(
        [Term("scaled embedding", scaled, text_slice("scaled_embedding", at)), "+", position_term, "=", sum_term],
        tokens, at.token, columns=columns, height=230, theme=theme,
    )  # fmt: skip


def sum_normed(
    norm: NormSteps,
    embedded: Float[np.ndarray, "seq d_model"],
    at: Position,
    *,
    tokens: Sequence[str],
    in_use: bool = True,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """Mean and variance of each token's sum → the normalised rows → scaled and shifted: what enters the first block.

    in_use  whether the sum is the model's, with its own position encoding
    """
    common: dict[str, Any] = {"height": 230, "theme": theme}
    of_row: dict[str, Any] = {"row_axis": "token", "marks": [at.token], "decimals": None, "weight": 14, **common}
    limit, marks = scale_of(norm.normalised, embedded), [(at.token, None)]
    mean, variance = norm.mean, norm.variance
    return [
        row_bars(mean, tokens, title="mean of the sum", span=span_of(mean), **of_row),
        row_bars(variance, tokens, title="its variance", span=span_of(variance), colour="muted", **of_row),
        "→",
        heatmap(norm.normalised, tokens, columns, title="(sum − mean) / √variance", limit=limit, marks=marks, **common),
        "→",
        heatmap(embedded, tokens, columns, title="× γ + β = embedded", limit=limit, marks=marks,
                shows=text_slice("embedded", at) if in_use else None, **common),
    ]  # fmt: skip


def similarity(dots: Float[np.ndarray, "position position"], theme: ThemeName = "light") -> Line:
    """The dot product of every position with every other, and the same by distance."""
    places = position_labels(len(dots))
    return [
        heatmap(dots, places, places, title="dot product of two positions", row_axis="position",
                column_axis="other position", height=230, theme=theme),
        "→",
        band(*similarity_by_distance(dots), title="by distance", x_axis="distance between the two positions",
             y_axis="dot product", height=230, theme=theme),
    ]  # fmt: skip
