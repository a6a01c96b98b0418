"""Bars and curves: how their numbers are written."""

import numpy as np
import pytest

from encoder_core.figures import band, bars, curves


def test_bars_show_their_values_with_show_values():
    without, with_values = (
        bars(np.array([-1230.4, 2.0]), ["a", "b"], title="t", show_values=show_values) for show_values in (False, True)
    )
    assert without.figure.data[0].text is None
    assert with_values.figure.data[0].text == ("−1,230", "2")
    assert with_values.figure.data[0].hovertext == ("−1,230", "2")  # four digits


def test_texts_are_written_above_the_bars():
    assert bars(np.array([1230.4, 2.0]), ["a", "b"], title="t", texts=["1.23 k", "2"]).data[0]["text"] == [
        "1.23 k",
        "2",
    ]


@pytest.mark.parametrize(
    ("values", "y_range"),
    [([50.0, 100.0], [0, 112.0]), ([0.0, np.nan, 1.0], [0, 1.12]), ([-1.0, 1.0], None), ([0.0, 0.0], None)],
)
def test_the_axis_of_bars_ends_above_the_largest(values, y_range):
    axis = bars(np.array(values), [str(index) for index in range(len(values))], title="t").layout["yaxis"]
    assert axis.get("range") == (y_range and pytest.approx(y_range))


def test_hovers_of_curves_and_bands_have_formatted_numbers():
    values = np.array([-1230.4, 0.0, 1e-12])
    texts = ("−1,230", "0", "1e−12")
    (curve,) = curves({"a": values}, range(3), title="t", x_axis="", y_axis="").data
    assert (tuple(curve["hovertext"]), curve["hovertemplate"]) == (texts, "%{hovertext}")
    for trace in band(values, values, values, title="t", x_axis="", y_axis="").data:
        assert (tuple(trace["hovertext"]), trace["hovertemplate"]) == (texts, "%{hovertext}")


@pytest.mark.parametrize("count", [3, 30])
def test_a_marked_place_of_curves_has_a_line_and_larger_points(count):
    series = {name: np.arange(float(count)) for name in ("a", "b")}
    panel = curves(series, range(1, count + 1), title="t", x_axis="d_k", y_axis="", mark=1)
    (line,) = panel.layout["shapes"]
    assert (line["x0"], line["x1"], line["yref"]) == (2, 2, "y domain")
    for trace in panel.data:
        sizes = trace["marker"]["size"]
        assert [index for index, size in enumerate(sizes) if size == max(sizes)] == [1]
        assert "markers" in trace["mode"]
    assert panel.alt.endswith("over d_k; marked: 2")


def test_a_marked_series_is_thicker():
    series = {name: np.arange(3.0) for name in ("a", "b")}
    panel = curves(series, ["x", "y", "z"], title="t", x_axis="", y_axis="", marked_series="b")
    one, other = (trace["line"]["width"] for trace in panel.data)
    assert one < other
    assert not panel.layout["shapes"]
