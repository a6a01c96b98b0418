"""Scenes of add and norm: the sum, the norm step by step, and the two places where a norm can stand."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.config import Norm
from encoder_core.figures import ThemeName, Window, curves, dimensions, format_number, heatmap, residual_flow, row_bars
from encoder_core.sublayers import AddAndNorm, NormName, NormSteps

HEIGHT = 176  # pixels, so that the sum and the norm are in sight at once
SUBLAYER = {"norm1": "attention", "norm2": "feed-forward"}
FLOWS: dict[Norm, str] = {"post": "Post-norm: norm(x + sublayer(x))", "pre": "Pre-norm: x + sublayer(norm(x))"}


def residual_sum(
    shown: AddAndNorm,
    name: NormName,
    norm: Norm,
    *,
    columns: Window,
    limit: float,
    tokens: Sequence[str],
    token: int,
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """x + sublayer(x) = sum, for one sentence, x times a `factor` where an edit says so; nothing for the final norm,
    which has no sum."""
    if shown.residual is None or shown.sublayer is None or shown.total is None:
        return []
    common: dict[str, Any] = {"limit": limit, "marks": [(token, None)], "height": HEIGHT, "theme": theme}
    sublayer = f"{SUBLAYER[name]}({'x' if norm == 'post' else 'norm(x)'})"
    colour = "attention" if name == "norm1" else None
    return [
        heatmap(
            np.float32(factor) * shown.residual,
            tokens,
            columns,
            title="x: the residual stream" if factor == 1 else f"{format_number(factor, 3)} · x (what if)",
            **common,
        ),
        "+",
        heatmap(shown.sublayer, tokens, columns, title=sublayer, title_colour=colour, **common),
        "=",
        heatmap(shown.total, tokens, columns, title="sum", **common),
    ]


def normalisation(
    steps: NormSteps,
    out: Float[np.ndarray, "seq d_model"],
    *,
    columns: Window,
    dimension: int,
    limit: float,
    tokens: Sequence[str],
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Mean and variance of each token → the normalised rows → `out`, with its mean and variance.

    `dimension` is outlined as a column, because scale and shift belong to a dimension.
    """
    means, variances = (steps.mean, out.mean(axis=1)), (steps.variance, out.var(axis=1))
    common: dict[str, Any] = {"row_axis": "token", "height": HEIGHT, "theme": theme}
    of_mean = (min(0.0, float(np.min(means))), max(1e-3, float(np.max(means))))
    of_variance = (0.0, max(1.0, float(np.max(variances))))
    before, after = (
        [
            row_bars(mean, tokens, title="mean", span=of_mean, marks=[token], **common),
            row_bars(variance, tokens, title="variance", span=of_variance, marks=[token], colour="muted", **common),
        ]
        for mean, variance in zip(means, variances, strict=True)
    )
    normalised, scaled = (
        heatmap(x, tokens, columns, title=title, limit=limit, marks=marks, **common)
        for title, x, marks in (
            ("(x − mean) / √variance", steps.normalised, [(token, None)]),
            ("× γ + β", out, [(token, None), (None, dimension)]),
        )
    )
    return [*before, "→", normalised, "→", scaled, *after]


def flows(in_use: Norm, marked: NormName, theme: ThemeName = "light") -> list[go.Figure | str]:
    """The way of the residual stream through a block with post-norm and with pre-norm; `marked` is the norm shown."""
    place = None if marked == "final_norm" else marked
    return [
        residual_flow(norm, title=title + (" · in use" if norm == in_use else ""), marked=place, theme=theme)
        for norm, title in FLOWS.items()
    ]


def lengths(of_norm: Mapping[Norm, Float[np.ndarray, "stage"]], theme: ThemeName = "light") -> list[go.Figure | str]:
    """The mean length of a token's vector from stage to stage, a curve for each place of the norms.

    The stages are: what enters the first block, the blocks, and the output.
    """
    blocks = len(of_norm["post"]) - 2
    return [
        curves({f"{norm}-norm": values for norm, values in of_norm.items()}, ["in", *dimensions(blocks, 1), "out"],
               title="Length of a token's vector", x_axis="after block", y_axis="|x|",
               y_range=(0, 1.1 * max(values.max() for values in of_norm.values())), height=190, theme=theme)
    ]  # fmt: skip
