"""The gaps between the cells of a heatmap, which lines over its picture show in place of Plotly."""

import pytest

CELLS = [[1, 2, 3], [4, 5, 6]]
HEATMAP = {"type": "heatmap", "z": CELLS, "xgap": 1, "ygap": 1}
LINE = {"type": "scatter", "x": [0, 1], "y": [0, 1]}

# A plot of 30 by 40 pixels for 3 columns and 2 rows.
AREA = {"left": 60, "top": 40, "width": 30, "height": 40}
RANGES = {"xaxis": {"range": [-0.5, 2.5]}, "yaxis": {"range": [1.5, -0.5]}}
_RENDER = """async ([figures, layout, area]) => {
    const { renderGaps } = await import("/plot/drawing/cell_gaps.js");
    const plot = document.createElement("div");
    plot.innerHTML = '<svg><g class="heatmaplayer"><g class="hm"></g></g></svg>';
    plot.layout = layout;
    for (const [data, colour] of figures) renderGaps(plot, data, colour, area);
    return [...plot.querySelector(".heatmaplayer").children].map(child => ({
        class: child.getAttribute("class"), lines: child.getAttribute("d"), colour: child.getAttribute("stroke"),
    }));
}"""
UPRIGHT, LEVEL = "M10.5,0V40M20.5,0V40", "M0,20.5H30"


def render(scripts, *figures, layout=RANGES):
    """What is in the layer of the pictures after these traces, one set after another; the first is the picture."""
    picture, *rest = scripts.page.evaluate(_RENDER, [[[data, "white"] for data in figures], layout, AREA])
    assert picture["class"] == "hm"
    return rest


@pytest.mark.parametrize(
    ("gaps", "lines"),
    [({}, UPRIGHT + LEVEL), ({"xgap": 0}, LEVEL), ({"ygap": 0}, UPRIGHT)],
)
def test_lines_are_on_the_borders_between_cells(scripts, gaps, lines):
    assert render(scripts, [LINE, {**HEATMAP, **gaps}]) == [{"class": "ew-gaps", "lines": lines, "colour": "white"}]


def test_lines_follow_a_zoom(scripts):
    zoom = {"xaxis": {"range": [0.5, 2.5]}, "yaxis": {"range": [1.5, 0.5]}}
    (gaps,) = render(scripts, [HEATMAP], layout=zoom)
    assert gaps["lines"] == "M0.5,-40V40M15.5,-40V40M-15,0.5H30"


def test_lines_are_drawn_anew_in_place_of_the_old_ones(scripts):
    (gaps,) = render(scripts, [HEATMAP], [{**HEATMAP, "z": [[1, 2]]}])
    assert gaps["lines"] == "M10.5,0V20"


@pytest.mark.parametrize("data", [[LINE], [{**HEATMAP, "xgap": 0, "ygap": 0}], [{"type": "heatmap", "z": CELLS}]])
def test_a_figure_without_gaps_has_no_lines(scripts, data):
    assert render(scripts, [HEATMAP], data) == []


@pytest.mark.parametrize(
    ("pixels", "density", "middle"),
    [
        (10, 1, 10.5),
        (10.4, 1, 10.5),
        (10.6, 1, 10.5),
        (11, 1, 11.5),
        (10.2, 2, 10),  # on a phone, from 9.5 to 10.5
        (10.4, 2, 10.5),
    ],
)
def test_a_line_covers_the_border_and_begins_where_a_pixel_of_the_screen_does(scripts, pixels, density, middle):
    assert scripts.call("plot/drawing/cell_gaps.js", "middleOfLine", pixels, density) == middle


def test_plotly_draws_no_gaps(scripts):
    drawn = scripts.call("plot/drawing/cell_gaps.js", "withoutGaps", [HEATMAP, LINE])
    assert drawn == [{**HEATMAP, "xgap": 0, "ygap": 0}, LINE]
