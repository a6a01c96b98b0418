"""Scenes of the positions: the encoding, its sum with the tokens, and the similarity of positions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import similarity_by_distance
from encoder_core.explain.sublayers import NormSteps
from encoder_core.figures import (
    HeatmapStyle,
    Line,
    PanelStyle,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    Window,
    band,
    colour_limit,
    curves,
    heatmap,
    position_labels,
    row_bars,
    series_colours,
    span_of,
    theme_named,
)
from encoder_core.scenes.add_and_norm import norm_step_slices
from encoder_core.scenes.equation import EquationTerm, equation
from encoder_core.scenes.focus import POSITION_ENCODING, Focus, text_slice

HEIGHT = 230


def all_positions(
    encoding: Float[np.ndarray, "position d_model"],
    chosen: Sequence[int],
    at: Focus,
    *,
    title: str,
    seq: int,
    in_use: bool = True,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """All positions as a heatmap, with a bar beside the first `seq`, and the chosen dimensions as curves.

    in_use   whether the model has this encoding; another one is no tensor of the trace
    columns  the window of the dimensions that is drawn in the heatmap; None draws all
    """
    places = position_labels(len(encoding))
    colours = dict(zip(chosen, series_colours(theme_named(theme)), strict=False))
    style = HeatmapStyle(row_axis="position", row_flags=range(seq), column_flags=colours, height=HEIGHT, theme=theme)
    shows = TensorSlice("position_encoding", ("row", "column"), rows=range(seq)) if in_use else None
    return [
        heatmap(encoding, places, columns, title=title, marks=[(at.token, None)], shows=shows, style=style),
        "",
        curves({f"dim {index}": encoding[:, index] for index in chosen}, range(1, len(encoding) + 1),
               title="chosen dimensions as curves", x_axis="position", y_axis="",
               style=PanelStyle(height=HEIGHT - 24, theme=theme)),
    ]  # fmt: skip


def position_added(
    scaled: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    total: Float[np.ndarray, "seq d_model"],
    at: Focus,
    *,
    columns: Window | None = None,
    title: Literal["embedded", "embedding sum"] = "embedded",
    in_use: bool = True,
    theme: ThemeName = "light",
) -> Line:
    """Scaled embedding + position = `total`, with this `title`: the input of the first layer, or of the embedding norm.

    in_use  whether the model has this encoding; with another one, position and sum are no tensors of the trace
    """
    position_term = EquationTerm("position", position, POSITION_ENCODING if in_use else None)
    sum_term = EquationTerm(title, total, text_slice(title.replace(" ", "_"), at) if in_use else None)
    scaled_term = EquationTerm("scaled embedding", scaled, text_slice("scaled_embedding", at))
    return equation([scaled_term, "+", position_term, "=", sum_term], at, columns=columns, height=HEIGHT, theme=theme)


def sum_normed(
    norm: NormSteps,
    embedded: Float[np.ndarray, "seq d_model"],
    at: Focus,
    *,
    in_use: bool = True,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """Mean and variance of each token's sum → the normalised rows → scaled and shifted: the input of the first layer.

    in_use  whether the sum is that of the model, with its own position encoding
    """
    shows = text_slice("embedded", at) if in_use else None
    mean_shows, variance_shows, normalised_shows = norm_step_slices(shows, 0)
    style = HeatmapStyle(limit=colour_limit(norm.normalised, embedded), height=HEIGHT, theme=theme)
    bars_style = RowBarsStyle(row_axis="token", decimals=None, weight=14, height=HEIGHT, theme=theme)
    mean_style = replace(bars_style, span=span_of(norm.mean))
    variance_style = replace(bars_style, span=span_of(norm.variance), colour="muted")
    marks = [(at.token, None)]
    return [
        row_bars(norm.mean, at.labels, title="mean of the sum", marks=[at.token], shows=mean_shows, style=mean_style),
        row_bars(norm.variance, at.labels, title="variance", marks=[at.token], shows=variance_shows,
                 style=variance_style),
        "→",
        heatmap(norm.normalised, at.labels, columns, title="(sum − mean) / √variance", marks=marks,
                shows=normalised_shows, style=style),
        "→",
        heatmap(embedded, at.labels, columns, title="× γ + β = embedded", marks=marks,
                shows=shows, style=style),
    ]  # fmt: skip


def similarity(dots: Float[np.ndarray, "position position"], *, traced: int = 0, theme: ThemeName = "light") -> Line:
    """The dot product of every pair of positions, and the same by distance.

    The curve begins at distance 1: in a trained table, the first position with itself has 13 times the dot product of
    others, beside which they all look alike.

    traced  the number of positions, from the first, that a trace has; 0 for an encoding that is not that of a model
    """
    places = position_labels(len(dots))
    style = HeatmapStyle(row_axis="position", column_axis="other position", height=HEIGHT, theme=theme)
    places_traced = range(traced)
    shows = TensorSlice("position_products", ("row", "column"), rows=places_traced, columns=places_traced)
    start = min(1, len(dots) - 1)
    low, mean, high = (values[start:] for values in similarity_by_distance(dots))
    return [
        heatmap(dots, places, places, title="dot product of each pair of positions", shows=shows if traced else None,
                style=style),
        "→",
        band(low, mean, high, title=f"by distance, from {start} on", x_axis="distance between the two positions",
             y_axis="dot product", start=start, style=PanelStyle(height=HEIGHT, theme=theme)),
    ]  # fmt: skip
