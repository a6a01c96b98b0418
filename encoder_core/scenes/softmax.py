"""Scenes of softmax: one row of scores on its way to weights, and the weights of all rows."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import SoftmaxSteps, entropy, largest_entropy
from encoder_core.figures import Line, Panel, TensorSlice, ThemeName, format_fixed, heatmap, row_bars, span_of
from encoder_core.scenes.position import Position, head_slice


def step_by_step(
    scores: Float[np.ndarray, "query key"],
    weights: Float[np.ndarray, "query key"],
    steps: SoftmaxSteps,
    at: Position,
    *,
    shifted: str,
    tokens: Sequence[str],
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The row of one query step by step from scores to weights, then the weights and the entropy of every row.

    steps    of that row, from `softmax_steps`
    shifted  what the column of scores less their maximum is called
    limit    the end of the colour scale of the weights
    """
    visible, query = np.isfinite(scores), at.token
    marks = [(query, None), (query, at.key_token)]
    return [
        *row_steps(scores[query], steps, at, shifted=shifted, tokens=tokens, theme=theme),
        "→",
        weight_bars(weights[query], visible[query], at, tokens=tokens, theme=theme),
        "→",
        weight_map(weights, visible, at, title="all weights", tokens=tokens, marks=marks, limit=limit, theme=theme),
        row_bars(entropy(weights), tokens, title="entropy, bits", row_axis="query", colour="muted",
                 span=(0.0, max(1.0, float(np.log2(len(tokens))))), ends=largest_entropy(visible), marks=[query],
                 foot="❘ log₂ visible", theme=theme),
    ]  # fmt: skip


def row_steps(
    scores: Float[np.ndarray, "key"],
    steps: SoftmaxSteps,
    at: Position,
    *,
    shifted: str,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """Scores → less their maximum → exp, as columns of bars; the first two on one scale."""
    seen = bool(steps.total)
    column = partial(row_bars, rows=tokens, hidden=~np.isfinite(scores), marks=[at.key_token], theme=theme)
    signed = partial(column, span=span_of(scores, steps.shifted))
    largest = f"max {format_fixed(scores.max(), 2)}" if seen else "no visible key"
    return [
        signed(scores, title="score s", foot=largest, shows=_row_slice("scores", at)),
        "→",
        signed(steps.shifted, title=shifted, foot="max 0" if seen else ""),
        "→",
        column(steps.exp, title="exp", colour="attention", decimals=3, foot=f"sum {format_fixed(float(steps.total))}"),
    ]


def weight_bars(
    weights: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    at: Position,
    *,
    title: str = "weight",
    tokens: Sequence[str],
    weight: int = 10,
    theme: ThemeName = "light",
) -> Panel:
    """One row of weights as bars, with its sum; `weight` is the panel's width beside others."""
    return row_bars(weights, tokens, title=title, title_colour="attention", colour="attention", decimals=3,
                    hidden=~visible, marks=[at.key_token], foot=f"sum {format_fixed(weights.sum())}", weight=weight,
                    shows=_row_slice("pattern", at), theme=theme)  # fmt: skip


def weight_map(
    weights: Float[np.ndarray, "query key"],
    visible: Bool[np.ndarray, "query key"],
    at: Position,
    *,
    title: str = "weights",
    tokens: Sequence[str],
    marks: Sequence[tuple[int | None, int | None]],
    limit: float,
    theme: ThemeName = "light",
) -> Panel:
    """The weights of one head: queries down, keys across, colours from 0 to `limit`."""
    return heatmap(weights, tokens, tokens, title=title, title_colour="attention", row_axis="query", column_axis="key",
                   kind="weights", limit=limit, mask=visible, marks=marks, shows=head_slice("pattern", at),
                   theme=theme)  # fmt: skip


def _row_slice(tensor: str, at: Position) -> TensorSlice:
    """The row of one query, as a column of bars."""
    return TensorSlice(tensor, (at.sentence, at.head, at.token, "row"), at.layer)
