"""Scenes of softmax: one row of scores on its way to weights, and the weights of all rows."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from encoder_core.analysis import SoftmaxSteps, entropy, largest_entropy
from encoder_core.figures import ThemeName, format_fixed, heatmap, row_bars, span_of


def step_by_step(
    scores: Float[np.ndarray, "query key"],
    weights: Float[np.ndarray, "query key"],
    steps: SoftmaxSteps,
    *,
    shifted: str,
    tokens: Sequence[str],
    query: int,
    key: int,
    limit: float,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The row of `query` step by step from scores to weights, then the weights and the entropy of every row.

    steps    of that row, from `softmax_steps`
    shifted  what the column of scores less their maximum is called
    limit    the end of the colour scale of the weights
    """
    visible = np.isfinite(scores)
    marks = [(query, None), (query, key)]
    return [
        *row_steps(scores[query], steps, shifted=shifted, tokens=tokens, key=key, theme=theme),
        "→",
        weight_bars(weights[query], visible[query], tokens=tokens, key=key, theme=theme),
        "→",
        weight_map(weights, visible, title="all weights", tokens=tokens, marks=marks, limit=limit, theme=theme),
        row_bars(entropy(weights), tokens, title="entropy, bits", row_axis="query", colour="muted",
                 span=(0.0, max(1.0, float(np.log2(len(tokens))))), ends=largest_entropy(visible), marks=[query],
                 foot="❘ log₂ visible", theme=theme),
    ]  # fmt: skip


def row_steps(
    scores: Float[np.ndarray, "key"],
    steps: SoftmaxSteps,
    *,
    shifted: str,
    tokens: Sequence[str],
    key: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Scores → less their maximum → exp, as columns of bars; the first two on one scale."""
    seen = bool(steps.total)
    column = partial(row_bars, rows=tokens, hidden=~np.isfinite(scores), marks=[key], theme=theme)
    signed = partial(column, span=span_of(scores, steps.shifted))
    largest = f"max {format_fixed(scores.max(), 2)}" if seen else "no visible key"
    return [
        signed(scores, title="score s", foot=largest),
        "→",
        signed(steps.shifted, title=shifted, foot="max 0" if seen else ""),
        "→",
        column(steps.exp, title="exp", colour="attention", decimals=3, foot=f"sum {format_fixed(float(steps.total))}"),
    ]


def weight_bars(
    weights: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    *,
    title: str = "weight",
    tokens: Sequence[str],
    key: int,
    weight: int = 10,
    theme: ThemeName = "light",
) -> go.Figure:
    """One row of weights as bars, with its sum; `key` is outlined, `weight` is the figure's width beside others."""
    return row_bars(weights, tokens, title=title, title_colour="attention", colour="attention", decimals=3,
                    hidden=~visible, marks=[key], foot=f"sum {format_fixed(weights.sum())}", weight=weight,
                    theme=theme)  # fmt: skip


def weight_map(
    weights: Float[np.ndarray, "query key"],
    visible: Bool[np.ndarray, "query key"],
    *,
    title: str = "weights",
    tokens: Sequence[str],
    marks: Sequence[tuple[int | None, int | None]],
    limit: float,
    theme: ThemeName = "light",
) -> go.Figure:
    """The weights of one head: queries down, keys across, colours from 0 to `limit`."""
    return heatmap(weights, tokens, tokens, title=title, title_colour="attention", row_axis="query", column_axis="key",
                   kind="weights", limit=limit, mask=visible, marks=marks, theme=theme)  # fmt: skip
