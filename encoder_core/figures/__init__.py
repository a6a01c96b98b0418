"""Figures: pure functions from arrays to panels, one palette, one set of conventions.

Queries are rows and keys are columns. Signed values have a diverging scale centred on zero; weights a sequential one
from 0 to 1. Masked cells are hatched. Every panel has an alt text, and `panel.figure` is a Plotly figure.
"""

from encoder_core.explain.number_format import Calculation, format_calculation, format_fixed, format_number, in_brackets
from encoder_core.figures.activation import activation_curve
from encoder_core.figures.axis import Axis, AxisMeaning, Selectable, Selection
from encoder_core.figures.band import band
from encoder_core.figures.flow import residual_flow
from encoder_core.figures.heatmap import dimensions, heatmap, limit_of, position_labels, scale_of
from encoder_core.figures.lines import bars, curves, series_colours
from encoder_core.figures.mosaic import mosaic
from encoder_core.figures.panel import Line, Panel, Product, Tiles, panels_of
from encoder_core.figures.row_bars import row_bars, span_of
from encoder_core.figures.tensor_map import (
    HeadsSideBySide,
    Place,
    ResidualStages,
    TensorMap,
    TensorSlice,
    parameter_slice,
)
from encoder_core.figures.theme import THEMES, Theme, ThemeName, theme_named
from encoder_core.figures.window import WHOLE, Window

__all__ = [
    "THEMES",
    "WHOLE",
    "Axis",
    "AxisMeaning",
    "Calculation",
    "HeadsSideBySide",
    "Line",
    "Panel",
    "Place",
    "Product",
    "ResidualStages",
    "Selectable",
    "Selection",
    "TensorMap",
    "TensorSlice",
    "Theme",
    "ThemeName",
    "Tiles",
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
    "panels_of",
    "parameter_slice",
    "position_labels",
    "residual_flow",
    "row_bars",
    "scale_of",
    "series_colours",
    "span_of",
    "theme_named",
]
