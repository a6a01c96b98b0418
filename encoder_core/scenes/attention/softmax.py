"""Scenes of softmax: one row of scores step by step to its weights, and the weights of all rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import SoftmaxSteps, largest_entropy
from encoder_core.explain.derivations.attention import temperature_step
from encoder_core.figures import (
    HeatmapStyle,
    Line,
    Panel,
    RowBarsDetails,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    heatmap,
    row_bars,
    span_of,
)
from encoder_core.figures.panel import Mark
from encoder_core.scenes.focus import Focus, head_slice
from encoder_core.support.number_format import format_fixed


def step_by_step(
    scores: Float[np.ndarray, "query key"],
    weights: Float[np.ndarray, "query key"],
    steps: SoftmaxSteps,
    at: Focus,
    *,
    temperature: float = 1.0,
    bits: Float[np.ndarray, "query"],
    has_dropout: bool = False,
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The row of one query step by step from scores to weights, then the weights and the entropy of every row.

    steps        of that row, from `softmax_steps` with this temperature
    bits         the entropy of every row, before dropout
    has_dropout  whether dropout follows softmax: the weights of the trace, which are those after it, then have no such
                 entropy, because they need not add up to 1
    limit        the end of the colour scale of the weights
    """
    visible, query = np.isfinite(scores), at.token
    marks = [(query, None), (query, at.key_token)]
    span = (0.0, max(1.0, float(np.log2(len(at.labels)))))
    shows_bits = TensorSlice("pattern_entropy", (at.sentence, at.head, "row"), at.layer)
    return [
        *row_steps(scores[query], steps, at, temperature=temperature, theme=theme),
        "→",
        weight_bars(weights[query], visible[query], at, theme=theme),
        "→",
        weight_map(weights, visible, at, title="all weights", marks=marks, limit=limit, theme=theme),
        row_bars(bits, at.labels, title="entropy, bits", marks=[query], shows=None if has_dropout else shows_bits,
                 details=RowBarsDetails(references=largest_entropy(visible), footer="❘ maximum"),
                 style=RowBarsStyle(row_axis="query", colour="muted", span=span, theme=theme)),
    ]  # fmt: skip


def row_steps(
    scores: Float[np.ndarray, "key"],
    steps: SoftmaxSteps,
    at: Focus,
    *,
    temperature: float = 1.0,
    theme: ThemeName = "light",
) -> Line:
    """Scores → scores minus their maximum → exp, as columns of bars; the first two have one scale.

    steps  of the row, from `softmax_steps` with this temperature
    """
    visible, marks, any_visible = np.isfinite(scores), [at.key_token], bool(steps.total)
    shifted_step = "score minus maximum" if temperature == 1 else temperature_step(temperature)
    # Each bar is a step of the derivation of a weight, which has none of them in a row without a visible key.
    shows = {
        step: replace(_row_slice("pattern", at), step=step) if any_visible else None for step in (shifted_step, "exp")
    }
    exp_style = RowBarsStyle(colour="attention", decimals=3, theme=theme)
    signed = RowBarsStyle(span=span_of(scores, steps.shifted), theme=theme)
    largest = f"max {format_fixed(scores.max(), 2)}" if any_visible else "no visible key"
    total = f"sum {format_fixed(float(steps.total))}"
    return [
        row_bars(scores, at.labels, title="score s", mask=visible, marks=marks, shows=_row_slice("scores", at),
                 details=RowBarsDetails(footer=largest), style=signed),
        "→",
        row_bars(steps.shifted, at.labels, title=shifted_title(temperature), mask=visible, marks=marks,
                 shows=shows[shifted_step], details=RowBarsDetails(footer="max 0" if any_visible else ""),
                 style=signed),
        "→",
        row_bars(steps.exp, at.labels, title="exp", mask=visible, marks=marks, shows=shows["exp"],
                 details=RowBarsDetails(footer=total), style=exp_style),
    ]  # fmt: skip


def shifted_title(temperature: float) -> str:
    """The title of the scores minus their maximum, with the temperature where it is not 1."""
    return "s − max" if temperature == 1 else "(s − max) / T"


def weight_bars(
    weights: Float[np.ndarray, "key"],
    visible: Bool[np.ndarray, "key"],
    at: Focus,
    *,
    title: str = "weight",
    panel_weight: int | None = None,
    theme: ThemeName = "light",
) -> Panel:
    """One row of weights as bars, with its sum; `panel_weight` is the width relative to other panels."""
    style = RowBarsStyle(title_colour="attention", colour="attention", decimals=3, weight=panel_weight, theme=theme)
    return row_bars(weights, at.labels, title=title, mask=visible, marks=[at.key_token],
                    details=RowBarsDetails(footer=f"sum {format_fixed(weights.sum())}"),
                    shows=_row_slice("pattern", at), style=style)  # fmt: skip


def weight_map(
    weights: Float[np.ndarray, "query key"],
    visible: Bool[np.ndarray, "query key"],
    at: Focus,
    *,
    title: str = "weights",
    marks: Sequence[Mark],
    limit: float,
    theme: ThemeName = "light",
) -> Panel:
    """The weights of one head, with queries as rows and keys as columns; colours from 0 to `limit`."""
    style = replace(pattern_style(theme), limit=limit, title_colour="attention")
    return heatmap(weights, at.labels, at.labels, title=title, mask=visible, marks=marks,
                   shows=head_slice("pattern", at), style=style)  # fmt: skip


def pattern_style(theme: ThemeName) -> HeatmapStyle:
    """The style of weights with queries as rows and keys as columns."""
    return HeatmapStyle(kind="weights", row_axis="query", column_axis="key", theme=theme)


def _row_slice(tensor: str, at: Focus) -> TensorSlice:
    """The row of one query, as a column of bars."""
    return TensorSlice(tensor, (at.sentence, at.head, at.token, "row"), at.layer)
