"""The end of a colour scale: the largest magnitude, unless a few cells are outliers."""

import numpy as np
import pytest

from encoder_core.figures import HeatmapStyle, MosaicStyle, TileGrid, colour_limit, heatmap, largest_magnitude, mosaic
from encoder_core.figures.theme import ThemeName, theme_named
from tests.contrast import contrast, rgb

BEYOND = "beyond the colour scale"


def _contrast_with_zero(theme: ThemeName, share: float) -> float:
    """The contrast of the colours of 0 and of a number that is this share of the end of the signed scale."""
    stops, colours = zip(*theme_named(theme).signed, strict=True)
    channels = np.array([rgb(colour) for colour in colours]).T
    zero, other = ([np.interp((1 + x) / 2, stops, channel) for channel in channels] for x in (0.0, share))
    return contrast(zero, other)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, -0.05, -0.1, -0.25])
def test_small_numbers_are_as_visible_in_the_dark_theme_as_in_the_light_one(share):
    """On the scale of Q K^T, the scaled scores reach a quarter of its end. WCAG 2 overstates contrast near black."""
    dark, light = (_contrast_with_zero(theme, share) - 1 for theme in ("dark", "light"))
    assert dark >= 1.5 * light


def test_without_outliers_it_is_the_largest_magnitude():
    assert colour_limit(np.array([[1.0, -3.0], [2.0, 0.0]])) == 3
    assert colour_limit(np.array([1.0, 2.0]), np.array([-5.0, 4.0])) == 5
    normal = np.random.default_rng(0).standard_normal(1_000_000)
    assert colour_limit(normal) == largest_magnitude(normal) > 4.5


def test_booleans_and_small_integers_count_as_numbers(unchecked):
    assert colour_limit(np.array([[True, False]])) == largest_magnitude(np.array([True])) == 1
    smallest = np.array([-128, 1], np.int8)
    assert colour_limit(smallest) == largest_magnitude(smallest) == 128
    mask = np.array([[True, False]])
    assert heatmap(mask, ["a"], ["b", "c"], title="mask").value(0, 0) == 1


def test_zeros_and_values_that_are_not_finite_do_not_count():
    assert colour_limit(np.array([-np.inf, np.nan, 2.0])) == 2
    assert colour_limit(np.zeros((3, 3))) == colour_limit(np.array([-np.inf])) == colour_limit() == 1
    few = np.zeros(1000)
    few[:3] = 1, 2, 3  # most of the effect of an edit is 0, which makes no other value an outlier
    assert colour_limit(few) == 3


def test_an_outlier_is_beyond_the_scale():
    values = np.ones((10, 10))
    values[3, 4] = -200
    assert colour_limit(values) == 2.5  # 2.5 times the 98th percentile
    assert colour_limit(values, np.full(3, 4.0)) == 4  # the larger of the two limits


@pytest.mark.parametrize("signs", [1, -1])
def test_cells_beyond_the_scale_are_marked_where_they_are(signs):
    values = np.ones((10, 10), np.float32)
    values[3, 4] = 200 * signs
    labels = [str(index) for index in range(10)]
    panel = heatmap(values, labels, labels, title="")
    (dots,) = [trace for trace in panel.figure.data if trace.name == BEYOND]
    assert (list(dots.x), list(dots.y)) == ([4], [3])
    assert panel.figure.data[0].zmax == -panel.figure.data[0].zmin == 2.5
    assert panel.figure.data[0].z[3, 4] == 200 * signs  # a hover shows the number

    tiles = mosaic(values[None, None], TileGrid([""], [""]), labels, labels, title="", style=MosaicStyle(kind="signed"))
    (dots,) = [trace for trace in tiles.figure.data if trace.name == BEYOND]
    assert tiles.figure.data[0].z[dots.y[0], dots.x[0]] == 200 * signs


@pytest.mark.parametrize(("kind", "start"), [("signed", -2.0), ("weights", 0.0), ("lengths", 0.0)])
def test_each_kind_has_its_own_colours(kind, start):
    style = HeatmapStyle(kind=kind, limit=2.0)
    (cells,) = heatmap(np.ones((1, 1)), ["a"], ["b"], title="", style=style).data
    assert (cells["zmin"], cells["zmax"]) == (start, 2.0)
    assert cells["colorscale"] == [list(stop) for stop in getattr(style.colours, kind)]
