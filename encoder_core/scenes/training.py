"""The scene of training: one tensor of an encoder before and after it was trained."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.figures import HeatmapStyle, Line, colour_limit, heatmap
from encoder_core.scenes.what_if import HEIGHT


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
