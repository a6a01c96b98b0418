"""The band of values around a curve."""

import numpy as np

from encoder_core.figures import PanelStyle, band


def test_a_band_is_drawn_from_low_to_high_behind_its_curve():
    panel = band(
        np.array([0.0, -1.0]), np.array([1.0, 2.0]), np.array([1.5, 5.0]), title="t", x_axis="distance", y_axis="dot"
    )
    low, high, middle = panel.figure.data
    np.testing.assert_array_equal(low.y, [0, -1])
    np.testing.assert_array_equal(high.y, [1.5, 5])
    np.testing.assert_array_equal(middle.y, [1, 2])
    np.testing.assert_array_equal(middle.x, [0, 1])
    assert high.fill == "tonexty"
    assert "dot over distance" in panel.alt


def test_a_band_begins_where_it_is_told():
    values = np.zeros(2)
    panel = band(values, values, values, title="t", x_axis="distance", y_axis="dot", start=1)
    assert all(list(trace.x) == [1, 2] for trace in panel.figure.data)


def test_the_band_has_the_colours_of_the_theme():
    values = np.zeros(3)
    light, dark = (
        band(values, values, values, title="", x_axis="", y_axis="", style=PanelStyle(theme=name))
        for name in ("light", "dark")
    )
    assert light.figure.data[1].fillcolor != dark.figure.data[1].fillcolor
