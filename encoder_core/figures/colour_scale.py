"""Where the colours of a matrix end, and what marks the cells beyond that end."""

from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures.base import TICK_SIZE
from encoder_core.figures.style import MatrixStyle
from encoder_core.figures.theme import Scale, Theme
from encoder_core.support.validation import require_numbers


def largest_magnitude(*arrays: Float[np.ndarray, "..."]) -> float:
    """The largest finite magnitude of all arrays; 1 where there is none above 0.

    Raises ValueError for what is no numbers.
    """
    numbers = (require_numbers("array", array, "*axis") for array in arrays)
    finite = [_magnitudes(array[np.isfinite(array)]) for array in numbers]
    return max((float(values.max()) for values in finite if values.size), default=0.0) or 1.0


def colour_limit(*arrays: Float[np.ndarray, "..."]) -> float:
    """The end of a colour scale that all arrays share: their largest magnitude, unless a few cells are outliers.

    A trained encoder has outliers that are a hundred times as large as the rest (Kovaleva et al. 2021). If the scale
    ended at them, all other cells would look like zero. So an array counts with at most 2.5 times the 98th percentile
    of its nonzero magnitudes; for a normal distribution, that is beyond the largest of a million values. Raises
    ValueError for what is no numbers.
    """
    arrays = tuple(require_numbers("array", array, "*axis") for array in arrays)
    return max((_limit_without_outliers(array) for array in arrays), default=0.0) or 1.0


def _limit_without_outliers(array: Float[np.ndarray, "..."]) -> float:
    magnitudes = _magnitudes(array[np.isfinite(array) & (array != 0)])
    return min(float(magnitudes.max()), 2.5 * float(np.percentile(magnitudes, 98))) if magnitudes.size else 0.0


def _magnitudes(values: Float[np.ndarray, "value"]) -> Float[np.ndarray, "value"]:
    """The absolute values; those of booleans and small integers, which can have none of their own type, as floats."""
    return np.abs(values if values.dtype.kind == "f" else values.astype(float))


def scale_end(style: MatrixStyle, values: Float[np.ndarray, "value"]) -> float:
    """The end of the colour scale in this style, for these finite values."""
    if style.limit is not None:
        return style.limit
    return colour_limit(values) if style.kind == "signed" else 1.0


def plotly_scale(style: MatrixStyle, limit: float) -> dict[str, Any]:
    """The colour scale of a Plotly heatmap, with its colour bar."""
    scale: Scale = getattr(style.colours, style.kind)
    return {
        "zmin": -limit if style.kind == "signed" else 0.0,
        "zmax": limit,
        "colorscale": [list(stop) for stop in scale],
        "colorbar": {"thickness": 8, "outlinewidth": 0, "tickfont": {"size": TICK_SIZE}},
    }


def dots_beyond(values: Float[np.ndarray, "row column"], limit: float, theme: Theme) -> list[dict[str, Any]]:
    """One trace with a dot on each cell beyond the end of the colour scale; no trace where there is no such cell."""
    row, column = np.nonzero(np.abs(values) > limit * (1 + 1e-6))
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": column,
        "y": row,
        "marker": {"size": 4, "color": theme.background, "line": {"width": 1, "color": theme.text}},
        "hoverinfo": "skip",
        "name": "beyond the colour scale",
    }
    return [dots] if len(row) else []
