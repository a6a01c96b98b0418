"""The layout of panels: which labels are left out, and the area between the axes."""

import pytest

from tests.javascript.panels import axis, matrix_panel

ROWS, COLUMNS = axis("query", "abcd"), axis("key", "abcd")
PANEL = matrix_panel([[0.0] * 4] * 4, ROWS, COLUMNS)


def ticks(count: int, **fields) -> dict:
    """An axis of cells with a label each."""
    places = list(range(count))
    return {"range": [-0.5, count - 0.5], "tickvals": places, "ticktext": [f"t{i}" for i in places], **fields}


def thin(scripts, tick_axis, pixels, marked=()):
    thinned = scripts.call("plot/labels/tick_labels.js", "thinLabels", tick_axis, pixels, list(marked))
    assert thinned["ticktext"] == [f"t{i}" for i in thinned["tickvals"]]
    return thinned["tickvals"]


@pytest.mark.parametrize(
    ("pixels", "marked", "labelled"),
    [
        (120, [], list(range(10))),  # 12 pixels each
        (119, [], [0, 2, 4, 6, 8]),
        (40, [], [0, 3, 6, 9]),  # 4 pixels each
        (40, [5], [0, 5, 9]),  # its neighbours 3 and 6 are too near
        (40, [5, 6], [0, 5, 6, 9]),
    ],
)
def test_labels_that_overlap_are_left_out(scripts, pixels, marked, labelled):
    assert thin(scripts, ticks(10), pixels, marked) == labelled


def test_horizontal_labels_need_their_length(scripts):
    """The longest has three letters of 6.8 pixels: 20.4, and cells of 20 pixels are too narrow."""
    texts = {"tickangle": 0, "ticktext": ["t0", "t1", "t2", "abc"]}
    axes = [
        scripts.call("plot/labels/tick_labels.js", "thinLabels", ticks(4, **texts), pixels, []) for pixels in (84, 80)
    ]
    assert [thinned["ticktext"] for thinned in axes] == [["t0", "t1", "t2", "abc"], ["t0", "t2"]]


def test_labels_of_rows_are_as_near_as_lines_of_text(scripts):
    rows = [
        scripts.call("plot/labels/tick_labels.js", "thinLabels", ticks(10, tickangle=0), pixels, [], True)
        for pixels in (100, 99)
    ]
    assert [thinned["tickvals"] for thinned in rows] == [list(range(10)), [0, 2, 4, 6, 8]]


UPRIGHT = {"tickangle": -90, "ticktext": ["the", "cat", "sat", "down"]}


@pytest.mark.parametrize(
    ("pixels", "fields", "is_flat"),
    [
        (136, {}, True),  # four letters and a space of 6.8 pixels each: 34
        (135, {}, False),
        (136, {"tickfont": {"size": 16}}, False),  # 49.5
        (198, {"tickfont": {"size": 16}}, True),
        (136, {"ticktext": ["的猫坐下", "a", "b", "c"]}, False),  # letters that are twice as wide
    ],
)
def test_labels_with_enough_room_are_horizontal(scripts, pixels, fields, is_flat):
    layout = {"xaxis": ticks(4, **UPRIGHT | fields), "height": 400, "margin": {"l": 60, "r": 10, "t": 50, "b": 80}}
    flat = scripts.call("plot/labels/tick_labels.js", "flattenLabels", layout, pixels)
    assert flat["xaxis"]["tickangle"] == (0 if is_flat else -90)
    if not is_flat:
        assert flat == layout


def test_panel_with_horizontal_labels_is_lower(scripts):
    """The area between the axes stays; the room below it is that of one line of text: 52 pixels instead of 87."""
    long_margin = PANEL["layout"]["margin"] | {"b": 87}
    panel = {**PANEL, "layout": {**PANEL["layout"], "xaxis": ticks(4, **UPRIGHT), "margin": long_margin}}
    upright, flat = fit(scripts, panel, 70 + 135), fit(scripts, panel, 70 + 136)
    assert upright["area"]["height"] == flat["area"]["height"]
    assert [figure["layout"]["margin"]["b"] for figure in (upright, flat)] == [87, 52]
    assert upright["layout"]["height"] - flat["layout"]["height"] == 87 - 52
    assert flat["layout"]["xaxis"]["tickvals"] == [0, 1, 2, 3]


def test_every_second_label_is_in_a_second_line(scripts):
    """The first line is three letters of 5.9 pixels long; five spaces of 11 x 0.497 pixels are more than 17.7 + 6."""
    staggered = scripts.call("plot/labels/tick_labels.js", "staggerLabels", ticks(4, **UPRIGHT, gridcolor="#eee"), 24)
    spaces, depth = "\u2007" * 5, pytest.approx(5 * 0.497 * 11)
    assert staggered["axis"]["ticktext"] == ["the", f"cat{spaces}", "sat", f"down{spaces}"]
    minor = {"tickvals": [1, 3], "ticks": "outside", "ticklen": depth, "tickwidth": 1, "tickcolor": "#eee"}
    assert staggered["axis"]["minor"] == minor
    assert staggered["room"] == 28


@pytest.mark.parametrize(
    ("pixels", "fields"),
    [
        (48, UPRIGHT),  # 12 pixels each: one line is enough
        (19, UPRIGHT),  # less than 5 each: two lines are too narrow as well
        (24, UPRIGHT | {"tickangle": 0}),
        (24, {}),
    ],
)
def test_labels_in_one_line(scripts, pixels, fields):
    assert scripts.call("plot/labels/tick_labels.js", "staggerLabels", ticks(4, **fields), pixels) is None


def test_panel_with_two_lines_of_labels_is_higher(scripts):
    """The area between the axes stays; the room below it grows."""
    panel = {**PANEL, "layout": {**PANEL["layout"], "xaxis": ticks(4, **UPRIGHT)}}
    high, low = fit(scripts, panel, 70 + 24), fit(scripts, panel, 70 + 48)
    assert high["area"]["height"] == low["area"]["height"]
    assert [high["layout"]["height"], high["layout"]["margin"]["b"]] == [
        low["layout"]["height"] + 28,
        low["layout"]["margin"]["b"] + 28,
    ]
    assert len(high["layout"]["xaxis"]["tickvals"]) == 4


@pytest.mark.parametrize("tick_axis", [None, {}, {"range": [0, 1]}])
def test_axis_without_labels_stays(scripts, tick_axis):
    assert scripts.call("plot/labels/tick_labels.js", "thinLabels", tick_axis, 10, []) == tick_axis


@pytest.mark.parametrize(
    ("fields", "shares"),
    [
        ({}, True),
        ({"kind": "row_bars"}, True),
        ({"kind": "mosaic"}, False),
        ({"rows": axis("key", "abcd")}, False),
        ({"rows": axis("query", "abce")}, False),
        ({"rows": None}, False),
    ],
)
def test_panel_beside_one_with_the_same_rows(scripts, fields, shares):
    assert scripts.call("plot/panel/layout.js", "sharesRows", PANEL, {**PANEL, **fields}) is shares
    assert scripts.call("plot/panel/layout.js", "sharesRows", {**PANEL, **fields}, PANEL) is shares


def test_first_panel_shares_no_rows(scripts):
    assert scripts.call("plot/panel/layout.js", "sharesRows", PANEL, None) is False


def fit(scripts, panel, width=300, omit_row_labels=False):
    return scripts.call("plot/panel/layout.js", "fitPanel", panel, width, omit_row_labels)


def test_area_between_the_axes(scripts):
    """Without the title, the figure is 200 pixels high, and its top margin 10: 200 - 10 - 30 = 160."""
    figure = fit(scripts, PANEL)
    assert figure["area"] == {"left": 60, "top": 10, "width": 230, "height": 160}
    assert (figure["layout"]["width"], figure["layout"]["height"]) == (300, 200)


def test_panel_without_row_labels_has_their_space(scripts):
    figure = fit(scripts, PANEL, omit_row_labels=True)
    assert figure["area"]["left"] == 4
    assert figure["area"]["width"] == 300 - 4 - 10
    assert figure["layout"]["yaxis"]["showticklabels"] is False


@pytest.mark.parametrize(("width", "xgap"), [(90, 1), (89, 0)])
def test_narrow_cells_have_no_gap(scripts, width, xgap):
    """At a width of 90, each of four cells has (90 - 70) / 4 = 5 pixels."""
    (trace,) = fit(scripts, PANEL, width)["data"]
    assert (trace["xgap"], trace["ygap"]) == (xgap, 1)
    assert trace["showscale"] is False


def test_marked_cells_keep_their_labels(scripts):
    panel = {
        **PANEL,
        "marked": [[1, None], [None, 3]],
        "layout": {**PANEL["layout"], "xaxis": ticks(4), "yaxis": ticks(4, range=[3.5, -0.5]), "height": 100},
    }
    layout = fit(scripts, panel, 110)["layout"]  # 10 pixels for each column, 7.5 for each row
    assert layout["xaxis"]["tickvals"] == [0, 3]
    assert layout["yaxis"]["tickvals"] == [1]


def test_text_on_a_phone_is_larger(scripts):
    """12 instead of 11 pixels, so the margins of 60 and 30 become 65 and 33, and a label needs 13 pixels."""
    small = {**ticks(4), "tickfont": {"size": 11, "color": "#123456"}, "title": {"text": "key", "font": {"size": 11}}}
    panel = {**PANEL, "layout": {**PANEL["layout"], "xaxis": small, "yaxis": small, "font": {"size": 11}}}
    figure = scripts.call("plot/panel/layout.js", "fitPanel", panel, 126, False, True)  # 51 pixels for four columns
    layout, area = figure["layout"], figure["area"]
    assert [layout[axis]["tickfont"] for axis in ("xaxis", "yaxis")] == [{"size": 12, "color": "#123456"}] * 2
    assert layout["xaxis"]["title"] == {"text": "key", "font": {"size": 12}}
    assert (area["left"], area["width"], area["height"]) == (65, 51, 157)
    assert layout["xaxis"]["tickvals"] == [0, 2]
    assert layout["yaxis"]["tickvals"] == [0, 1, 2, 3]


@pytest.mark.parametrize(("count", "size", "labels"), [(14, 12, 14), (15, 11, 15), (16, 12, 8)])
def test_rows_on_a_phone_have_all_labels_if_they_fit_in_text_of_the_usual_size(scripts, count, size, labels):
    """At 157 pixels: 11.2 each in large text, 10.5 in text of the usual size, or 9.8, too little for all."""
    rows = {**ticks(count, range=[count - 0.5, -0.5]), "tickfont": {"size": 11}}
    panel = {**PANEL, "layout": {**PANEL["layout"], "yaxis": rows}}
    layout = scripts.call("plot/panel/layout.js", "fitPanel", panel, 126, False, True)["layout"]
    assert (layout["yaxis"]["tickfont"]["size"], len(layout["yaxis"]["tickvals"])) == (size, labels)


def test_bars_are_as_they_came(scripts):
    bars = {"type": "bar", "x": [1, 2]}
    assert fit(scripts, {**PANEL, "data": [bars]})["data"] == [bars]


@pytest.mark.parametrize(("width", "has_numbers"), [(190, True), (188, False)])
def test_numbers_without_room_in_their_cells_are_left_out(scripts, width, has_numbers):
    """Margins of 70 pixels leave four cells of 30, or a little less."""
    trace = {"type": "heatmap", "z": [[0.5, -0.25, 1, 0]] * 4, "texttemplate": "%{z:.2f}"}
    panel = matrix_panel(trace["z"], ROWS, COLUMNS, data=[trace])
    (fitted,) = scripts.call("plot/panel/layout.js", "fitPanel", panel, width, False)["data"]
    assert ("texttemplate" in fitted) == has_numbers
