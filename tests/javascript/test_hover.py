"""The text of a cell under the mouse."""

import math

import pytest

from tests.javascript.panels import axis, matrix_panel

LEFT = matrix_panel([[1, 2, -3, 0.5], [0, 0, 0, 0]], axis("query", ["a", "b"]), axis("dimension", "0123"))
RIGHT = matrix_panel([[10, 1], [20, 1], [30, 1], [40, 1]], axis("dimension", "0123"), axis("key", ["a", "b"]))
PRODUCT = matrix_panel(
    [[-20, 0.5], [0, 0]],
    axis("query", ["a", "b"]),
    axis("key", ["a", "b"]),
    product={"left": 0, "right": 1, "factor": 1},
)


def describe(scripts, panel, row, column, *more, others=()):
    return scripts.call("plot/interaction/hover.js", "describeCell", [*others, panel], panel, row, column, *more)


def test_position_and_number(scripts):
    assert describe(scripts, LEFT, 0, 2) == ["query a · dimension 2", "−3"]


def test_masked_cell(scripts):
    panel = {**LEFT, "values": [[math.nan, 1]]}
    assert describe(scripts, panel, 0, 0) == ["query a · dimension 0", "masked"]
    assert describe(scripts, panel, 0, 1) == ["query a · dimension 1", "1"]


def test_sum_with_its_largest_terms_first(scripts):
    position, value, text = describe(scripts, PRODUCT, 0, 0, others=(LEFT, RIGHT))
    assert (position, value) == ("query a · key a", "−20")
    assert text == "(−3) · 30 + 2 · 20 + 0.5 · 40 + 1 more = −20"


def test_sum_of_three_terms_is_complete(scripts):
    left, right = {**LEFT, "values": [[1, 2, 3]]}, {**RIGHT, "values": [[4], [5], [6]]}
    product = {**PRODUCT, "values": [[32]]}
    assert describe(scripts, product, 0, 0, others=(left, right))[2] == "3 · 6 + 2 · 5 + 1 · 4 = 32"


def test_a_sum_that_its_rounded_terms_do_not_give_is_approximate(scripts):
    """0.467 x 0.8801 = 0.4110067, but 0.46704 x 0.88014 = 0.4110606."""
    left, right = {**LEFT, "values": [[0.46704]]}, {**RIGHT, "values": [[0.88014]]}
    product = {**PRODUCT, "values": [[0.46704 * 0.88014]]}
    assert describe(scripts, product, 0, 0, others=(left, right))[2] == "0.467 · 0.8801 ≈ 0.4111"


def test_whole_numbers_of_a_sum_are_exact(scripts):
    left, right = {**LEFT, "values": [[12345]]}, {**RIGHT, "values": [[2]]}
    product = {**PRODUCT, "values": [[24690]]}
    assert describe(scripts, product, 0, 0, others=(left, right))[2] == "12,345 · 2 = 24,690"


def test_sum_with_a_factor(scripts):
    scaled = {**PRODUCT, "values": [[-10, 0]], "product": {"left": 0, "right": 1, "factor": 0.5}}
    text = describe(scripts, scaled, 0, 0, others=(LEFT, RIGHT))[2]
    assert text == "((−3) · 30 + 2 · 20 + 0.5 · 40 + 1 more) · 0.5 = −10"


def test_masked_factors_of_a_sum_are_zero(scripts):
    left, right = {**LEFT, "values": [[math.nan, 2]]}, {**RIGHT, "values": [[4], [5]]}
    product = {**PRODUCT, "values": [[10]]}
    assert describe(scripts, product, 0, 0, others=(left, right))[2] == "2 · 5 + 0 · 4 = 10"


def test_edited_cell_of_a_product_has_no_sum(scripts):
    edited = {**PRODUCT, "setByHand": [[0, 0]]}
    assert describe(scripts, edited, 0, 0, others=(LEFT, RIGHT)) == ["query a · key a", "−20, set by hand"]
    assert len(describe(scripts, edited, 1, 0, others=(LEFT, RIGHT))) == 3
    assert len(describe(scripts, edited, 0, 1, others=(LEFT, RIGHT))) == 3


@pytest.mark.parametrize(
    ("offset", "position"),
    [(0, "query c · key 6"), (1, "query c · key 7"), (3, "query d · key 6"), (5, "query d · key 8")],
)
def test_cell_of_a_bin_is_named_by_the_place_of_its_number(scripts, offset, position):
    """Bins of 2 x 3 places: the rows have names, the columns begin at place 3 and are numbered."""
    rows, columns = axis("query", ["a-b", "c-d"], size=2, labels="abcd"), axis("key", ["3-5", "6-8"], start=3, size=3)
    panel = matrix_panel([[1, 2], [3, 4]], rows, columns)
    assert describe(scripts, panel, 1, 1, offset) == [f"{position}, the largest of its bin", "4"]


def test_tooltip_of_a_mosaic_begins_with_the_tile(scripts):
    """Tiles of 2 x 3 cells, one cell apart."""
    tiles = {
        "rows": axis("layer", ["layer 1", "layer 2"]),
        "columns": axis("head", ["head 1", ""]),
        "tall": 2,
        "wide": 3,
        "gap": 1,
    }
    panel = matrix_panel([[0] * 7] * 5, axis("query", "ab"), axis("key", "abc"), kind="mosaic", tiles=tiles)
    point = {"x": 2, "y": 4, "z": 0.25, "data": {"name": None}}
    assert scripts.call("plot/panel/panel.js", "cellAt", panel, point) == {"row": 1, "column": 2, "tile": [1, 0]}
    assert (
        scripts.call("plot/interaction/hover.js", "tooltipText", [panel], panel, point)
        == "layer 2, head 1\nquery b · key c\n0.25"
    )
    unnamed = scripts.call("plot/interaction/hover.js", "tooltipText", [panel], panel, {**point, "x": 4})
    assert unnamed == "layer 2\nquery b · key a\n0.25"


@pytest.mark.parametrize(
    ("title", "names", "index", "name"),
    [
        ("head", ["head 1", "2", "3"], 2, "head 3"),
        ("head", ["1", "2"], 0, "head 1"),
        ("stage", ["embedded", "layer 1", "2", "final norm"], 2, "layer 2"),
        ("stage", ["embedded", "layer 1", "2", "final norm"], 3, "final norm"),
    ],
)
def test_the_name_of_a_tile_says_what_its_number_counts(scripts, title, names, index, name):
    tiles = {"rows": axis("", [""]), "columns": axis(title, names), "tall": 1, "wide": 1, "gap": 0}
    panel = matrix_panel([[0] * len(names)], axis("query", "a"), axis("key", "a"), kind="mosaic", tiles=tiles)
    point = {"x": index, "y": 0, "z": 1, "data": {"name": None}}
    assert (
        scripts.call("plot/interaction/hover.js", "tooltipText", [panel], panel, point) == f"{name}\nquery a · key a\n1"
    )


def test_tooltip_of_a_point(scripts):
    point = {"x": 1, "y": 0, "z": 2, "data": {"name": None}}
    assert scripts.call("plot/interaction/hover.js", "tooltipText", [LEFT], LEFT, point) == "query a · dimension 1\n2"
    masked = {**point, "data": {"name": "masked"}}
    assert (
        scripts.call("plot/interaction/hover.js", "tooltipText", [LEFT], LEFT, masked)
        == "query a · dimension 1\nmasked"
    )


def test_tooltip_has_the_text_of_the_cell_unescaped(scripts):
    point = {"x": 1, "y": 0, "z": 2, "data": {"name": None, "hovertext": [["cat", "<b>: 20%"], ["", ""]]}}
    text = scripts.call("plot/interaction/hover.js", "tooltipText", [LEFT], LEFT, point)
    assert text == "query a · dimension 1\n<b>: 20%\n2"
    empty = scripts.call("plot/interaction/hover.js", "tooltipText", [LEFT], LEFT, {**point, "y": 1})
    assert empty == "query b · dimension 1\n2"


def test_an_axis_without_a_title_is_left_out_of_the_tooltip(scripts):
    panel = {**LEFT, "columns": {**axis("", ["head 1", "MLP"]), "title": ""}}
    assert describe(scripts, panel, 0, 1) == ["query a · MLP", "2"]


def test_tooltip_has_the_place_in_the_bin(scripts):
    panel = matrix_panel([[5]], axis("query", ["0-1"], size=2), axis("key", ["0-1"], size=2))
    point = {"x": 0, "y": 0, "z": 5, "customdata": 3, "data": {"name": None}}
    text = scripts.call("plot/interaction/hover.js", "tooltipText", [panel], panel, point)
    assert text == "query 1 · key 1, the largest of its bin\n5"


@pytest.mark.parametrize(
    ("fields", "cell"),
    [
        ({}, {"row": 1, "column": 3, "tile": None}),
        ({"kind": "row_bars"}, {"row": 1, "column": 0, "tile": None}),
        ({"rows": None, "kind": "bars"}, {"row": 0, "column": 3, "tile": None}),
    ],
)
def test_cell_at_a_point_of_each_kind_of_panel(scripts, fields, cell):
    assert scripts.call("plot/panel/panel.js", "cellAt", {**LEFT, **fields}, {"x": 3.4, "y": 0.6}) == cell


_TOOLTIP = """async ([panel, x, y]) => {
    const { showTooltip } = await import("/plot/interaction/hover.js");
    document.body.innerHTML = "<div id=host style='position: absolute; left: 100px; top: 50px; width: 300px'>"
        + "<div id=tooltip style='position: absolute; visibility: hidden; width: 80px'></div></div>";
    const [host, tooltip] = ["host", "tooltip"].map(id => document.getElementById(id));
    const point = { x: 0, y: 0, z: 1, data: { type: "heatmap" } };
    const line = { host, tooltip, items: [{ panel }] }, mouse = { clientX: x, clientY: y };
    showTooltip(line, document.body, panel, { points: [point], event: mouse });
    return [tooltip.style.left, tooltip.style.top, tooltip.style.visibility, tooltip.textContent];
}"""


@pytest.mark.parametrize(("x", "left"), [(120, "34px"), (390, "216px"), (60, "0px")])
def test_tooltip_is_beside_the_mouse_and_inside_the_line(scripts, x, left):
    """216 = the width of the line, 300, less the tooltip's, 80, less 4."""
    assert scripts.page.evaluate(_TOOLTIP, [LEFT, x, 70]) == [left, "36px", "visible", "query a · dimension 0\n1"]


_POINT = """async ([left, top]) => {
    const { pointAt } = await import("/plot/panel/panel.js");
    document.body.innerHTML = "<div id=plot style='position: absolute; left: 100px; top: 50px; width: 300px'></div>";
    const plot = Object.assign(document.getElementById("plot"), {
        layout: { xaxis: { range: [-0.5, 3.5] }, yaxis: { range: [1.5, -0.5] } } });
    const { x, y } = pointAt(plot, { left: 40, top: 10, width: 200, height: 100 }, { left, top });
    return [x, y];
}"""


@pytest.mark.parametrize(
    ("place", "point"),
    [
        ((140, 60), (-0.5, -0.5)),  # the corner of the area: 100 + 40 and 50 + 10
        ((265, 85), (2, 0)),  # 125 of 200 pixels, 25 of 100
        ((340, 160), (3.5, 1.5)),  # the opposite corner
        ((90, 999), (-0.5, 1.5)),  # outside
    ],
)
def test_point_of_a_plot_at_a_place_of_the_window(scripts, place, point):
    x, y = scripts.page.evaluate(_POINT, place)
    assert (x, y) == pytest.approx(point, abs=1e-4)
    assert x < 3.5, "it belongs to the last column"
    assert y < 1.5, "it belongs to the last row"


@pytest.mark.parametrize(("value", "is_beyond"), [(2.0, False), (2.1, True), (-2.1, True)])
def test_a_cell_beyond_the_end_of_the_colours_says_so(scripts, value, is_beyond):
    point = {"x": 1, "y": 0, "z": value, "data": {"name": None, "zmax": 2.0}}
    text = scripts.call("plot/interaction/hover.js", "tooltipText", [LEFT], LEFT, point)
    assert text.endswith("• beyond the colour scale") == is_beyond
