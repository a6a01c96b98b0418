"""Bars in rows on a projector: their numbers are beside them, and the legend is below its line."""

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from encoder_core.figures import RowBarsDetails, RowBarsStyle, row_bars

_AREA = {"left": 80, "top": 10, "width": 1200, "height": 480}
_CALL = """async ([json, area]) => {
    const { parsePanel } = await import("/plot/panel/panel.js");
    const { withLegendAtReference, withNumbersNear } = await import("/plot/labels/row_numbers.js");
    const { data, layout } = parsePanel(json);
    const fitted = withNumbersNear({ data, layout: withLegendAtReference(layout, data), area });
    const listed = fitted.data.map(({ x, ...others }) => ({ ...others, x: [...x].map(Number) }));
    return { data: listed, range: fitted.layout.xaxis.range, title: fitted.layout.xaxis.title };
}"""


def near(scripts, values, width=1200, mask=None, **details):
    panel = row_bars(np.array(values), ["a", "b", "c"], title="t", mask=mask, details=RowBarsDetails(**details),
                     style=RowBarsStyle(span=(0.0, 1.0)))  # fmt: skip
    fitted = scripts.page.evaluate(_CALL, [to_json(panel), _AREA | {"width": width}])
    low, high = fitted["range"]
    (numbers,) = (trace for trace in fitted["data"] if trace.get("mode") == "text")
    return fitted, numbers["x"], lambda pixels: pixels * (high - low) / width


def test_numbers_are_beside_the_longest_bar(scripts):
    fitted, places, in_units = near(scripts, [0.1, 0.3, 0.2], footer="sum 0.60")
    assert len(set(places)) == 1
    assert 0.3 + in_units(16) < places[0] < 0.3 + in_units(60)
    assert fitted["title"]["endsAt"] == places[0]


def test_numbers_are_beyond_references_and_the_hatch_of_masked_rows_ends_before_them(scripts):
    references = np.array([0.5, 0.4, 0.5])
    mask = np.array([True, True, False])
    fitted, places, in_units = near(scripts, [0.1, 0.3, 0.0], mask=mask, references=references, footer="❘ most")
    assert 0.5 + in_units(16) < places[0] < 0.5 + in_units(60)
    (masked,) = (trace for trace in fitted["data"] if trace.get("name") == "masked")
    assert masked["x"] == [0.5]
    assert fitted["title"]["at"] == 0.5


def test_numbers_of_a_narrow_panel_stay_in_their_column(scripts):
    _, places, _ = near(scripts, [0.1, 0.3, 1.0], width=80)
    assert places == pytest.approx([1.75 - 0.05 * 1.75] * 3)


@pytest.mark.parametrize(
    ("height", "marked", "shown"),
    [
        (8.8, [], [0, 1, 2, 3, 4, 5]),
        (6.8, [], [0, 2, 4]),
        (6.8, [3], [0, 3]),
        (8.8, [3], [0, 1, 3, 5]),
        (10.0, [3], [0, 1, 2, 3, 4, 5]),
        (3.0, [], [0, 3]),
    ],
)
def test_numbers_of_low_rows_are_left_out_where_they_would_overlap(scripts, height, marked, shown):
    """Digits of 10 pixels need 8."""
    trace = {"type": "scatter", "mode": "text", "text": [str(i) for i in range(6)], "textfont": {"size": 10}}
    data = scripts.call("plot/labels/row_numbers.js", "withNumbersThatDoNotOverlap", [trace], height, marked)
    assert [text for text in data[0]["text"] if text] == [str(row) for row in shown]
