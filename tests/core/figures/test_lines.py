"""Bars and curves: how their numbers are written."""

import numpy as np

from encoder_core.figures import band, bars, curves


def test_bars_show_their_values_with_show_values():
    without, with_values = (
        bars(np.array([-1230.4, 2.0]), ["a", "b"], title="t", show_values=show_values) for show_values in (False, True)
    )
    assert without.figure.data[0].text is None
    assert with_values.figure.data[0].text == ("−1,230", "2")
    assert with_values.figure.data[0].hovertext == ("−1,230", "2")  # four digits


def test_hovers_of_curves_and_bands_have_formatted_numbers():
    values = np.array([-1230.4, 0.0, 1e-12])
    texts = ("−1,230", "0", "1e−12")
    (curve,) = curves({"a": values}, range(3), title="t", x_axis="", y_axis="").data
    assert (tuple(curve["hovertext"]), curve["hovertemplate"]) == (texts, "%{hovertext}")
    for trace in band(values, values, values, title="t", x_axis="", y_axis="").data:
        assert (tuple(trace["hovertext"]), trace["hovertemplate"]) == (texts, "%{hovertext}")
