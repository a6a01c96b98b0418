"""Scenes of a training run: how loss, accuracy and gradients develop, and the attention after some steps."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    HeatmapStyle,
    Line,
    MosaicStyle,
    Panel,
    PanelStyle,
    ThemeName,
    TileGrid,
    Window,
    curves,
    heatmap,
    mosaic,
    series_colours,
    theme_named,
    tile_titles,
)
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import head_name
from encoder_core.training.history import History, mean_of_bins

MAX_POINTS = 120  # of a curve; with more steps, a point is the mean of several
_CURVE_HEIGHT = 210
_LAYER_HEIGHT = 120  # pixels for each row of tiles
_MIN_HEIGHT = 260
_SMALLEST_NORM = 1e-8  # on the logarithmic axis


def learning_curves(histories: Mapping[str, History], num_steps: int, *, theme: ThemeName = "light") -> Line:
    """Loss and accuracy of one run, or of two that are compared, by name.

    Lines are measured on the inputs of the steps, points on test inputs: their loss, and the fraction of
    inputs of which all outputs are right.
    """
    losses, accuracies = (
        {name: getattr(history.steps, field) for name, history in histories.items()} for field in ("loss", "accuracy")
    )
    tested_losses, tested = (
        {
            name: (history.checkpoint_steps, [getattr(evaluation, field) for evaluation in history.evaluations])
            for name, history in histories.items()
        }
        for field in ("loss", "sequence_accuracy")
    )
    return [
        _curve(losses, tested_losses, num_steps, title="loss", y_axis="cross-entropy, nats", theme=theme),
        _curve(
            accuracies, tested, num_steps, title="accuracy", y_axis="fraction right", theme=theme, y_range=(-0.03, 1.03)
        ),
    ]


def gradient_curves(
    history: History,
    parts: Sequence[str],
    num_steps: int,
    *,
    name: str = "",
    limits: tuple[float, float] | None = None,
    theme: ThemeName = "light",
) -> Panel:
    """The norm of the gradient of each part of the encoder, on a logarithmic axis.

    name    of the run, where two are compared
    limits  the ends of the axis, such as the `gradient_limits` of both runs; None takes those of this run
    """
    binned = dict(zip(parts, _binned_norms(history), strict=False))
    title = f"norm of the gradient{f', {name}' if name else ''}"
    panel = curves(binned, _bin_ends(history), title=title, x_axis="step", y_axis="norm, logarithmic",
                   style=PanelStyle(height=_CURVE_HEIGHT, theme=theme))  # fmt: skip
    ends = {} if limits is None else {"range": [math.log10(limits[0]) - 0.1, math.log10(limits[1]) + 0.1]}
    return _with_axes(panel, num_steps, type="log", exponentformat="power", dtick=1, **ends)


def gradient_limits(histories: Iterable[History]) -> tuple[float, float] | None:
    """The smallest and the largest norm of a gradient in the curves of these runs; None before their first step."""
    norms = np.concatenate([np.ravel(_binned_norms(history)) for history in histories])
    finite = norms[np.isfinite(norms)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def _binned_norms(history: History) -> list[Float[np.ndarray, "point"]]:
    """The points of the curve of each part."""
    norms = history.steps.gradient_norms
    return [np.maximum(mean_of_bins(column, MAX_POINTS)[1], _SMALLEST_NORM) for column in norms.T]


def checkpoint_attention(
    patterns: Float[np.ndarray, "layer head query key"],
    tokens: Sequence[str],
    keys: Bool[np.ndarray, "query key"] | None,
    selected: tuple[int, int],
    *,
    name: str = "",
    theme: ThemeName = "light",
) -> Line:
    """The weights of all heads of all layers as tiles, and the selected head enlarged.

    keys      cells that are outlined in the enlarged head
    selected  (layer, head), counted from 0
    name      of the run, where two are compared
    """
    num_layers, num_heads, seq, _ = patterns.shape
    height = max(_MIN_HEIGHT, _LAYER_HEIGHT * num_layers)
    layer, head = selected
    grid = TileGrid(tile_titles("layer", num_layers), tile_titles("head", num_heads), selected=selected)
    places = Window(0, seq, 1, tuple(tokens))
    marks = [] if keys is None else [(int(row), int(column)) for row, column in np.argwhere(keys)]
    prefix = f"{name}: " if name else ""
    tiles = mosaic(
        patterns, grid, places, places, title=f"{prefix}every head of every layer",
        style=MosaicStyle(limit=1.0, height=height + 28, weight=20 * min(num_heads, 4), theme=theme),
    )  # fmt: skip
    style = HeatmapStyle(kind="weights", limit=1.0, row_axis="query", column_axis="key", height=height,
                         title_colour="attention", weight=48 if name else 32, theme=theme)  # fmt: skip
    enlarged = heatmap(patterns[layer, head], tokens, tokens, title=head_name(layer, head),
                       marks=marks, style=style)  # fmt: skip
    return [tiles, replace(enlarged, marked=())]  # the number of the first outlined cell alone would say little


def _curve(
    series: Mapping[str, Float[np.ndarray, "step"]],
    points: Mapping[str, tuple[Sequence[int], Sequence[float]]],
    num_steps: int,
    *,
    title: str,
    y_axis: str,
    theme: ThemeName,
    y_range: tuple[float, float] | None = None,
) -> Panel:
    """A line for each run, and points for what was measured at its checkpoints."""
    colours = series_colours(theme_named(theme))
    binned = {name: mean_of_bins(values, MAX_POINTS)[:2] for name, values in series.items()}
    style = PanelStyle(height=_CURVE_HEIGHT, theme=theme)
    panel = curves({"": np.zeros(0)}, [], title=title, x_axis="step", y_axis=y_axis, y_range=y_range, style=style)
    traces: list[dict[str, Any]] = []
    for colour, name in zip(colours, series, strict=False):
        traces.append(_scatter(*binned[name], name, mode="lines", line={"color": colour, "width": 2}))
        steps, values = (np.asarray(part, np.float32) for part in points[name])
        traces.append(_scatter(steps, values, f"{name}, test inputs" if name else "test inputs",
                               mode="markers", showlegend=False,
                               marker={"color": colour, "size": 6, "symbol": "circle-open"}))  # fmt: skip
    alt = f"{title} over steps" + (f": {', '.join(series)}" if len(series) > 1 else "")
    layout = {**panel.layout, "showlegend": len(series) > 1}
    return _with_axes(replace(panel, data=tuple(traces), alt=alt, layout=layout), num_steps)


def _scatter(x: Float[np.ndarray, "x"], y: Float[np.ndarray, "x"], name: str, **style: Any) -> dict[str, Any]:
    texts = [format_number(float(value)) for value in y]
    return {"type": "scatter", "x": np.asarray(x, np.float32), "y": np.asarray(y, np.float32), "name": name,
            "hovertext": texts, "hovertemplate": "step %{x}: %{hovertext}", **style}  # fmt: skip


def _bin_ends(history: History) -> list[float]:
    return mean_of_bins(history.steps.loss, MAX_POINTS)[0].tolist()


def _with_axes(panel: Panel, num_steps: int, **y_axis: Any) -> Panel:
    """The panel with an x axis for all steps of the run, so that the curves grow into it."""
    layout = dict(panel.layout)
    layout["xaxis"] = layout["xaxis"] | {"range": [-0.02 * num_steps, 1.02 * num_steps]}
    layout["yaxis"] = layout["yaxis"] | y_axis
    return replace(panel, layout=layout)
