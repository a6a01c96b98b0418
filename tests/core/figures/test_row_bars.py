"""Columns of bars, aligned with the rows of a heatmap."""

import numpy as np
import pytest

from encoder_core.figures import HeatmapStyle, RowBarsDetails, RowBarsStyle, heatmap, row_bars, span_of, theme_named

TOKENS = ["<b>", "cat", "cat"]


def test_bars_are_at_the_height_of_the_rows_of_a_heatmap():
    bars = row_bars(np.array([0.5, 0.25, 0.25]), TOKENS, title="weight")
    beside = heatmap(np.zeros((3, 2)), TOKENS, ["x", "y"], title="t", style=HeatmapStyle(row_axis="key"))
    assert bars.figure.layout.yaxis.range == beside.figure.layout.yaxis.range
    assert bars.figure.layout.height == beside.figure.layout.height
    assert bars.figure.layout.yaxis.ticktext == ("&lt;b&gt;", "cat", "cat")


def test_masked_rows_have_no_bar_and_show_their_number():
    panel = row_bars(
        np.array([1.0, -np.inf, -2.0]),
        TOKENS,
        title="score",
        mask=np.array([True, False, True]),
        style=RowBarsStyle(span=(-2.0, 1.0)),
    )
    bars, masked, numbers = panel.figure.data
    np.testing.assert_array_equal(bars.x, [1, 0, -2])
    np.testing.assert_array_equal(masked.y, [1])
    assert list(numbers.text) == ["1.00", "−∞", "−2.00"]
    assert masked.marker.pattern.shape == "/"


def test_a_reference_is_visible_on_the_bar_as_well():
    panel = row_bars(
        np.array([0.5, 0.1, 0.3]),
        TOKENS,
        title="t",
        details=RowBarsDetails(references=np.array([0.2, 0.2, 0.3])),
        style=RowBarsStyle(colour="attention"),
    )
    light, ends = theme_named("light"), panel.figure.data[1]
    np.testing.assert_allclose(ends.x, [0.2, 0.2, 0.3], rtol=1e-6)
    assert ends.marker.color == (light.background, light.muted, light.muted)


def test_running_sums_start_where_the_bar_above_ends():
    panel = row_bars(
        np.array([1.0, 3.0, 2.0]),
        TOKENS,
        title="sum",
        details=RowBarsDetails(starts=np.array([0.0, 1.0, 3.0])),
        style=RowBarsStyle(span=(0.0, 3.0)),
    )
    np.testing.assert_array_equal(panel.figure.data[0].base, [0, 1, 3])
    np.testing.assert_array_equal(panel.figure.data[0].x, [1, 2, -1])


def test_columns_with_one_span_have_one_scale():
    span = span_of(np.array([1.0, -np.inf]), np.array([0.0, -3.0]))
    assert span == (-3, 1)
    first, second = (
        row_bars(np.array([1.0, 0.0, 0.0]), TOKENS, title="t", style=RowBarsStyle(span=span)) for _ in range(2)
    )
    assert first.figure.layout.xaxis.range == second.figure.layout.xaxis.range


@pytest.mark.parametrize("columns", [[np.zeros(3)], [np.full(2, -np.inf)], []])
def test_a_span_is_never_empty(columns):
    assert span_of(*columns) == (0, 1)


def test_numbers_are_shown_on_hover_where_they_would_touch():
    (bars,) = row_bars(np.zeros(64), ["<b>"] * 64, title="t").figure.data
    assert bars.hovertext[0] == "&lt;b&gt;: 0.00"


def test_references_and_marks_are_drawn():
    panel = row_bars(
        np.zeros(3),
        TOKENS,
        title="t",
        marks=[2],
        details=RowBarsDetails(references=np.array([1.0, 2.0, 3.0])),
        style=RowBarsStyle(theme="dark"),
    )
    np.testing.assert_array_equal(panel.figure.data[1].x, [1, 2, 3])
    (mark,) = panel.figure.layout.shapes
    assert (mark.y0, mark.y1) == (1.5, 2.5)
    assert mark.line.color == theme_named("dark").text


def test_excluded_rows_are_hatched_and_as_long_as_their_number():
    light = theme_named("light")
    panel = row_bars(
        np.array([0.9, 0.5, -0.1]),
        TOKENS,
        title="t",
        details=RowBarsDetails(excluded=[0]),
        style=RowBarsStyle(span=(-0.1, 1.0)),
    )
    bars, numbers = panel.figure.data
    np.testing.assert_allclose(bars.x, [0.9, 0.5, -0.1])
    assert list(bars.marker.pattern.shape) == ["/", "", ""]
    assert list(bars.marker.color) == [light.masked, light.positive, light.negative]
    assert list(numbers.text) == ["0.90", "0.50", "−0.10"]
    one_colour = (
        row_bars(
            np.ones(3), TOKENS, title="t", details=RowBarsDetails(excluded=[2]), style=RowBarsStyle(colour="attention")
        )
        .figure.data[0]
        .marker.color
    )
    assert list(one_colour) == [light.attention, light.attention, light.masked]


def test_the_column_of_numbers_has_the_width_of_the_style():
    assert row_bars(
        np.ones(3), TOKENS, title="t", style=RowBarsStyle(span=(-1.0, 1.0), numbers_width=0.25)
    ).figure.layout.xaxis.range == (-1, 1.5)


@pytest.mark.parametrize(("height", "size"), [(300, 11), (210, 10), (176, 10)])
def test_numbers_are_not_smaller_than_10_pixels(height, size):
    panel = row_bars(np.ones(20), ["a"] * 20, title="t", style=RowBarsStyle(height=height))
    assert panel.data[-1]["textfont"]["size"] == size


def test_small_lengths_can_be_told_from_zero():
    style = RowBarsStyle(tells_zero=True)
    panel = row_bars(np.array([0.0, 1e-6, 0.0049, 0.006]), list("abcd"), title="length", style=style)
    assert list(panel.figure.data[-1].text) == ["0.00", "<0.01", "<0.01", "0.01"]
    assert RowBarsStyle().format(1e-6) == "0.00"
    assert RowBarsStyle(tells_zero=True, decimals=0).format(0.2) == "<1"
