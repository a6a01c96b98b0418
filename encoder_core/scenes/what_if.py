"""Scenes of an effect: one tensor before and after edits or training, the change at every stage, and ablations."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.figures import HeatmapStyle, Line, ThemeName, Window, colour_limit, dimensions, heatmap
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.residual_stream import stage_axis
from encoder_core.support.wording import numbered

HEIGHT = 220


def before_and_after(
    before: Float[np.ndarray, "row column"],
    after: Float[np.ndarray, "row column"],
    *,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str] | Window,
    mark: tuple[int, int] | None,
    style: HeatmapStyle,
    names_before: tuple[Sequence[str], Sequence[str] | Window] | None = None,
) -> Line:
    """A tensor before the edits → after them, and their difference. Cells that are masked in both do not change.

    Before and after share one scale. The difference has its own, because it may be a thousand times smaller.

    mark          the cell that is outlined
    style         its axes, kind and theme. Weights have colours from 0 to 1; their difference is signed
    names_before  the rows and columns before the edits, where an edit replaces a token; None for the same ones
    """
    with np.errstate(invalid="ignore"):
        change = after - before
    change = np.where(np.isfinite(before) | np.isfinite(after), change, 0.0)
    limit = 1.0 if style.kind == "weights" else colour_limit(before, after)
    shared, marks = replace(style, limit=limit, height=HEIGHT), [mark] if mark else []
    change_style = replace(shared, kind="signed", limit=colour_limit(change))
    change_title = "difference, own scale" if change[np.isfinite(change)].any() else "no difference"
    return [
        heatmap(before, *(names_before or (rows, columns)), title=f"{title} before", marks=marks, style=shared),
        "→",
        heatmap(after, rows, columns, title="after", marks=marks, style=shared),
        "Δ",
        heatmap(change, rows, columns, title=change_title, marks=marks, style=change_style),
    ]


def untrained_and_trained(
    untrained: Float[np.ndarray, "row column"],
    trained: Float[np.ndarray, "row column"],
    *,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    mark: tuple[int, int],
    style: HeatmapStyle,
) -> Line:
    """A tensor before training, and the same tensor after it, on one colour scale.

    mark   the cell that is outlined
    style  its axes, kind and theme; weights have colours from 0 to 1
    """
    limit = 1.0 if style.kind == "weights" else colour_limit(untrained, trained)
    shared = replace(style, limit=limit, height=HEIGHT)
    return [
        heatmap(untrained, rows, columns, title=f"{title}, untrained", marks=[mark], style=shared),
        "→",
        heatmap(trained, rows, columns, title=f"{title}, trained", marks=[mark], style=shared),
    ]


def propagation(distance: Float[np.ndarray, "stage seq"], at: Focus, *, theme: ThemeName = "light") -> Line:
    """The length of the change of each token's vector: at the input of the first layer, and after each layer."""
    stages = ["embedded", *numbered("layer", len(distance) - 1)]
    style = HeatmapStyle(row_axis=stage_axis(len(stages) - 1), column_axis="token", kind="lengths",
                         limit=float(distance.max()) or 1.0, height=max(64, 18 * len(stages)), theme=theme)  # fmt: skip
    title = "length of the change at each stage"
    return [heatmap(distance, stages, at.labels, title=title, marks=[(at.layer + 1, at.token)], style=style)]


def ablation(
    heads: Float[np.ndarray, "layer head"],
    tokens: Float[np.ndarray, "token seq"],
    at: Focus,
    *,
    theme: ThemeName = "light",
) -> Line:
    """The change of the output without each head, averaged over the tokens, and the change of each token's output
    without each token."""
    layer_names, head_names = dimensions(len(heads), 1), dimensions(heads.shape[1], 1)
    style = HeatmapStyle(kind="lengths", height=300, theme=theme)
    heads_style = replace(style, row_axis="layer", column_axis="head", limit=float(heads.max()) or 1.0)
    tokens_style = replace(style, row_axis="hidden token", column_axis="token", limit=float(tokens.max()) or 1.0)
    return [
        heatmap(heads, layer_names, head_names, title="mean output change without each head",
                marks=[(at.layer, at.head)], style=heads_style),
        "",
        heatmap(tokens, at.labels, at.labels, title="output change with one token hidden",
                marks=[(at.token, None), (None, at.token)], style=tokens_style),
    ]  # fmt: skip
