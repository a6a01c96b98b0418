"""Figures: pure functions from arrays to Plotly figures, one palette, one set of conventions.

Queries are rows and keys are columns. Signed values have a diverging scale centred on zero; weights a sequential one
from 0 to 1. Masked cells are hatched. Every figure has an alt text in `layout.meta["alt"]`.
"""

from encoder_core.figures.activation import activation_curve
from encoder_core.figures.band import band
from encoder_core.figures.flow import residual_flow
from encoder_core.figures.heatmap import dimensions, heatmap, limit_of, position_labels, scale_of
from encoder_core.figures.lines import bars, curves, series_colours
from encoder_core.figures.mosaic import mosaic
from encoder_core.figures.numbers import Calculation, format_calculation, format_fixed, format_number, in_brackets
from encoder_core.figures.row_bars import row_bars, span_of
from encoder_core.figures.theme import THEMES, Theme, ThemeName, theme_named
from encoder_core.figures.window import WHOLE, Window

__all__ = [
    "THEMES",
    "WHOLE",
    "Calculation",
    "Theme",
    "ThemeName",
    "Window",
    "activation_curve",
    "band",
    "bars",
    "curves",
    "dimensions",
    "format_calculation",
    "format_fixed",
    "format_number",
    "heatmap",
    "in_brackets",
    "limit_of",
    "mosaic",
    "position_labels",
    "residual_flow",
    "row_bars",
    "scale_of",
    "series_colours",
    "span_of",
    "theme_named",
]
