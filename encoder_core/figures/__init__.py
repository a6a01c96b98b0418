"""Figures: pure functions from arrays to panels, with one palette and one set of conventions.

Queries are rows and keys are columns. Signed values have a diverging colour scale centred on zero, weights a sequential
one from 0. Masked cells are grey, hatched where there is room. Every panel has an alt text, and `panel.figure` is a
Plotly figure.
"""

from encoder_core.figures.axis import Axis, AxisMeaning, Selectable, Selection
from encoder_core.figures.charts.activation import activation_curve
from encoder_core.figures.charts.band import band
from encoder_core.figures.charts.lines import bars, curves, series_colours
from encoder_core.figures.colour_scale import colour_limit, largest_magnitude
from encoder_core.figures.flow import residual_flow
from encoder_core.figures.heatmap import HeatmapStyle, dimensions, heatmap, position_labels
from encoder_core.figures.mosaic import MosaicStyle, TileGrid, mosaic, tile_bin_size, tile_titles
from encoder_core.figures.panel import Line, Panel, Product, Tiles, panels_of
from encoder_core.figures.plane.arrows import Arrow, arrows
from encoder_core.figures.plane.points import extent_of, points
from encoder_core.figures.row_bars import RowBarsDetails, RowBarsStyle, row_bars, span_of
from encoder_core.figures.style import MatrixKind, PanelStyle
from encoder_core.figures.tensor_map import (
    HeadsSideBySide,
    LensTokens,
    Place,
    RankedTokens,
    ResidualStages,
    TensorMap,
    TensorSlice,
    parameter_slice,
)
from encoder_core.figures.theme import THEMES, Theme, ThemeName, theme_named
from encoder_core.figures.window import MAX_UNBINNED, Window
from encoder_core.figures.word_lines import SMALLEST_WEIGHT, LineStyle, WordLine, line_styles, word_lines

__all__ = [
    "MAX_UNBINNED",
    "SMALLEST_WEIGHT",
    "THEMES",
    "Arrow",
    "Axis",
    "AxisMeaning",
    "HeadsSideBySide",
    "HeatmapStyle",
    "LensTokens",
    "Line",
    "LineStyle",
    "MatrixKind",
    "MosaicStyle",
    "Panel",
    "PanelStyle",
    "Place",
    "Product",
    "RankedTokens",
    "ResidualStages",
    "RowBarsDetails",
    "RowBarsStyle",
    "Selectable",
    "Selection",
    "TensorMap",
    "TensorSlice",
    "Theme",
    "ThemeName",
    "TileGrid",
    "Tiles",
    "Window",
    "WordLine",
    "activation_curve",
    "arrows",
    "band",
    "bars",
    "colour_limit",
    "curves",
    "dimensions",
    "extent_of",
    "heatmap",
    "largest_magnitude",
    "line_styles",
    "mosaic",
    "panels_of",
    "parameter_slice",
    "points",
    "position_labels",
    "residual_flow",
    "row_bars",
    "series_colours",
    "span_of",
    "theme_named",
    "tile_bin_size",
    "tile_titles",
    "word_lines",
]
