"""Scenes of add and norm: the sum, the norm step by step, and the two places where a norm can stand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.config import Norm
from encoder_core.explain.sublayers import TENSORS, AddAndNorm, NormName, NormSteps
from encoder_core.figures import (
    Line,
    TensorSlice,
    ThemeName,
    Window,
    curves,
    dimensions,
    format_number,
    heatmap,
    residual_flow,
    row_bars,
)
from encoder_core.scenes.position import Position, block_slice, text_slice

HEIGHT = 176  # pixels, so that the sum and the norm are in sight at once
SUBLAYER = {"norm1": "attention", "norm2": "feed-forward"}
FLOWS: dict[Norm, str] = {"post": "Post-norm: norm(x + sublayer(x))", "pre": "Pre-norm: x + sublayer(norm(x))"}


def norm_out_slice(at: Position, name: NormName, norm: Norm) -> TensorSlice:
    """What the norm gives, in the trace."""
    return text_slice("output", at) if name == "final_norm" else block_slice(TENSORS[norm, name].norm_out, at)


def residual_sum(
    shown: AddAndNorm,
    name: NormName,
    norm: Norm,
    at: Position,
    *,
    columns: Window,
    limit: float,
    tokens: Sequence[str],
    factor: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """x + sublayer(x) = sum, for one sentence, x times a `factor` where an edit says so; nothing for the final norm,
    which has no sum."""
    if shown.residual is None or shown.sublayer is None or shown.total is None:
        return []
    names = TENSORS[norm, name]
    residual = replace(block_slice(names.residual, at), factor=factor)
    common: dict[str, Any] = {"limit": limit, "marks": [(at.token, None)], "height": HEIGHT, "theme": theme}
    sublayer = f"{SUBLAYER[name]}({'x' if norm == 'post' else 'norm(x)'})"
    colour = "attention" if name == "norm1" else None
    return [
        heatmap(
            np.float32(factor) * shown.residual,
            tokens,
            columns,
            title="x: the residual stream" if factor == 1 else f"{format_number(factor, 3)} · x (what if)",
            shows=residual,
            **common,
        ),
        "+",
        heatmap(shown.sublayer, tokens, columns, title=sublayer, title_colour=colour,
                shows=block_slice(names.sublayer, at), **common),
        "=",
        heatmap(shown.total, tokens, columns, title="sum", shows=block_slice(names.total, at) if names.total else None,
                **common),
    ]  # fmt: skip


def normalisation(
    steps: NormSteps,
    out: Float[np.ndarray, "seq d_model"],
    at: Position,
    *,
    columns: Window,
    dimension: int,
    limit: float,
    tokens: Sequence[str],
    shows: TensorSlice | None = None,
    theme: ThemeName = "light",
) -> Line:
    """Mean and variance of each token → the normalised rows → `out`, with its mean and variance.

    `dimension` is outlined as a column, because scale and shift belong to a dimension. `shows` is what `out` is in the
    trace; None where it is another norm's output, with a scale or shift that is only tried.
    """
    means, variances = (steps.mean, out.mean(axis=1)), (steps.variance, out.var(axis=1))
    common: dict[str, Any] = {"row_axis": "token", "height": HEIGHT, "theme": theme}
    of_mean = (min(0.0, float(np.min(means))), max(1e-3, float(np.max(means))))
    of_variance = (0.0, max(1.0, float(np.max(variances))))
    before, after = (
        [
            row_bars(mean, tokens, title="mean", span=of_mean, marks=[at.token], **common),
            row_bars(variance, tokens, title="variance", span=of_variance, marks=[at.token], colour="muted", **common),
        ]
        for mean, variance in zip(means, variances, strict=True)
    )
    normalised, scaled = (
        heatmap(x, tokens, columns, title=title, limit=limit, marks=marks, shows=part, **common)
        for title, x, marks, part in (
            ("(x − mean) / √variance", steps.normalised, [(at.token, None)], None),
            ("× γ + β", out, [(at.token, None), (None, dimension)], shows),
        )
    )
    return [*before, "→", normalised, "→", scaled, *after]


def flows(in_use: Norm, marked: NormName, theme: ThemeName = "light") -> Line:
    """The way of the residual stream through a block with post-norm and with pre-norm; `marked` is the norm shown."""
    place = None if marked == "final_norm" else marked
    return [
        residual_flow(norm, title=title + (" · in use" if norm == in_use else ""), marked=place, theme=theme)
        for norm, title in FLOWS.items()
    ]


def lengths(of_norm: Mapping[Norm, Float[np.ndarray, "stage"]], theme: ThemeName = "light") -> Line:
    """The mean length of a token's vector from stage to stage, a curve for each place of the norms.

    The stages are: what enters the first block, the blocks, and the output.
    """
    blocks = len(of_norm["post"]) - 2
    return [
        curves({f"{norm}-norm": values for norm, values in of_norm.items()}, ["in", *dimensions(blocks, 1), "out"],
               title="Length of a token's vector", x_axis="after block", y_axis="|x|",
               y_range=(0, 1.1 * max(values.max() for values in of_norm.values())), height=190, theme=theme)
    ]  # fmt: skip
