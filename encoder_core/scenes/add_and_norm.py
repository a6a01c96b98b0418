"""Scenes of add and norm: the sum, the norm step by step, and a layer with post-norm and with pre-norm."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.config import Norm
from encoder_core.explain.sublayers import NORM_TENSORS, AddAndNorm, NormName, NormSteps
from encoder_core.figures import (
    HeatmapStyle,
    Line,
    PanelStyle,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    Window,
    curves,
    dimensions,
    heatmap,
    residual_flow,
    row_bars,
)
from encoder_core.scenes.focus import Focus, layer_slice, text_slice
from encoder_core.support.number_format import format_number

HEIGHT = 176  # pixels, so that the sum and the norm are visible at once
SUBLAYER = {"norm1": "attention", "norm2": "feed-forward"}
FLOWS: dict[Norm, str] = {"post": "post-norm: norm(x + sublayer(x))", "pre": "pre-norm: x + sublayer(norm(x))"}


def norm_out_slice(at: Focus, name: NormName, norm: Norm) -> TensorSlice:
    """The slice of the trace that is the output of the norm."""
    return text_slice("output", at) if name == "final_norm" else layer_slice(NORM_TENSORS[norm, name].norm_out, at)


def residual_sum(
    tensors: AddAndNorm,
    name: NormName,
    norm: Norm,
    at: Focus,
    *,
    columns: Window,
    limit: float,
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """x + sublayer(x) = sum, for one sentence; empty for the final norm, which has no sum.

    factor  the factor of x, where an edit sets one
    """
    if tensors.residual is None or tensors.sublayer is None or tensors.total is None:
        return []
    names, marks = NORM_TENSORS[norm, name], [(at.token, None)]
    style = HeatmapStyle(limit=limit, height=HEIGHT, theme=theme)
    sublayer_style = replace(style, title_colour="attention") if name == "norm1" else style
    return [
        heatmap(np.float32(factor) * tensors.residual, at.labels, columns, marks=marks, style=style,
                title="x: the residual stream" if factor == 1 else f"{format_number(factor, 3)} · x (edited)",
                shows=replace(layer_slice(names.residual, at), factor=factor)),
        "+",
        heatmap(tensors.sublayer, at.labels, columns, marks=marks, style=sublayer_style,
                title=f"{SUBLAYER[name]}({'x' if norm == 'post' else 'norm(x)'})",
                shows=layer_slice(names.sublayer, at)),
        "=",
        heatmap(tensors.total, at.labels, columns, marks=marks, style=style, title="sum",
                shows=layer_slice(names.total, at) if names.total else None),
    ]  # fmt: skip


def normalisation(
    steps: NormSteps,
    out: Float[np.ndarray, "seq d_model"],
    at: Focus,
    *,
    columns: Window,
    dimension: int,
    limit: float,
    shows: TensorSlice | None = None,
    has_steps: bool = True,
    theme: ThemeName = "light",
) -> Line:
    """Mean and variance of each token → the normalised rows → `out`, with its mean and variance.

    dimension  the column of `out` that is outlined, because scale and shift belong to a dimension
    shows      the slice of the trace that `out` is; None for the output with other values of scale and shift
    has_steps  whether its derivation has the steps of this norm; an output that the layers of the trace do not
               determine has no derivation
    """
    means, variances = (steps.mean, out.mean(axis=1)), (steps.variance, out.var(axis=1))
    mean_span = (min(0.0, float(np.min(means))), max(1e-3, float(np.max(means))))
    variance_span = (0.0, max(1.0, float(np.max(variances))))
    mean_shows, variance_shows, normalised_shows = norm_step_slices(shows if has_steps else None, dimension)
    mean_style = RowBarsStyle(row_axis="token", span=mean_span, height=HEIGHT, theme=theme)
    variance_style = replace(mean_style, span=variance_span, colour="muted")
    style = HeatmapStyle(limit=limit, height=HEIGHT, theme=theme)
    return [
        row_bars(means[0], at.labels, title="mean", marks=[at.token], shows=mean_shows, style=mean_style),
        row_bars(variances[0], at.labels, title="variance", marks=[at.token], shows=variance_shows,
                 style=variance_style),
        "→",
        heatmap(steps.normalised, at.labels, columns, title="(x − mean) / √variance", marks=[(at.token, None)],
                shows=normalised_shows, style=style),
        "→",
        heatmap(out, at.labels, columns, title="× γ + β", marks=[(at.token, None), (None, dimension)], shows=shows,
                style=style),
        row_bars(means[1], at.labels, title="mean after", marks=[at.token], style=mean_style),
        row_bars(variances[1], at.labels, title="variance after", marks=[at.token], style=variance_style),
    ]  # fmt: skip


def norm_step_slices(
    shows: TensorSlice | None, dimension: int
) -> tuple[TensorSlice | None, TensorSlice | None, TensorSlice | None]:
    """The mean and the variance of each token, and the normalised rows, as steps of the derivation of the output of a
    norm, of which `shows` is the slice. Mean and variance lead to the number of this dimension."""
    if shows is None:
        return None, None, None
    of_token = replace(shows, index=(*shows.index[:-1], dimension))
    return (
        replace(of_token, step="mean of the token"),
        replace(of_token, step="variance of the token"),
        replace(shows, step="normalised"),
    )


def flows(
    model_norm: Norm,
    marked: NormName,
    factors: Mapping[Norm, tuple[float, float]] | None = None,
    layer: int = 0,
    theme: ThemeName = "light",
) -> Line:
    """Diagrams of a layer with post-norm and with pre-norm.

    model_norm  the place of the norms in the model; the title of its diagram says "in use"
    marked      the norm that is filled; the final norm is not in a layer
    factors     of the residuals around attention and feed-forward of a layer; the title names the layer if an edit
                changes one of them
    layer       index of that layer
    """
    flow_norm = None if marked == "final_norm" else marked
    line: Line = []
    for norm, title in FLOWS.items():
        layer_factors = factors[norm] if factors else (1.0, 1.0)
        title += " · in use" if norm == model_norm else ""
        title += f" · layer {layer + 1} as edited" if layer_factors != (1.0, 1.0) else ""
        line.append(
            residual_flow(norm, title=title, marked=flow_norm, factors=layer_factors, style=PanelStyle(theme=theme))
        )
    return line


def stream_lengths(lengths: Mapping[Norm, Float[np.ndarray, "stage"]], theme: ThemeName = "light") -> Line:
    """The mean length of the tokens' vectors at each stage, one curve for post-norm and one for pre-norm.

    The stages are the input of the first layer, the output of each layer, and the output of the model.
    """
    layers = len(lengths["post"]) - 2
    return [
        curves({f"{norm}-norm": values for norm, values in lengths.items()}, ["in", *dimensions(layers, 1), "out"],
               title="length of a token's vector", x_axis="after layer", y_axis="|x|",
               y_range=(0, 1.1 * max(values.max() for values in lengths.values())),
               style=PanelStyle(height=190, theme=theme))
    ]  # fmt: skip
