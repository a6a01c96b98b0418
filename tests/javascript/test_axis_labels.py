"""The names of rows and columns, and the titles of their axes, which HTML shows in place of Plotly."""

import pytest

AREA = {"left": 60, "top": 40, "width": 100, "height": 200}
FONT = {"tickfont": {"size": 10, "color": "rgb(1, 2, 3)"}}
ROWS = {"ticktext": ["&lt;b&gt;", "cat"], "tickvals": [0, 1], "range": [1.5, -0.5], "ticklabelstandoff": 5, **FONT}
COLUMNS = {"ticktext": ["1", "2", "3", "4"], "tickvals": [0, 1, 2, 3], "range": [-0.5, 3.5], "tickangle": 0, **FONT}
NUMBERS = {"title": {"text": "weight"}, "range": [0, 1]}  # an axis whose labels are Plotly's

_RENDER = """async ([xaxis, yaxis, area, zoom]) => {
    const { renderAxisLabels } = await import("/plot/labels/axis_labels.js");
    if (!document.querySelector(".ew-chart")) {
        const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/plot/plot.css" });
        document.body.innerHTML = '<div class="ew-chart" style="width: 170px; height: 300px"></div>';
        document.body.style.margin = 0;
        document.head.append(style);
        await new Promise(done => { style.onload = done; });
    }
    const plot = document.querySelector(".ew-chart");
    plot._fullLayout = zoom ?? { xaxis, yaxis };
    renderAxisLabels(plot, { xaxis, yaxis, height: 300, font: { family: "monospace" } }, area);
    const parts = selector => [...plot.querySelectorAll(selector)].map(element => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return { text: element.textContent, left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2,
                 color: getComputedStyle(element).color };
    });
    return Object.fromEntries(["rows", "columns"].map(axis => [axis, Object.fromEntries(
        ["name", "leader", "axis-title"].map(part => [part, parts(`.ew-${axis} > .ew-${part}`)]))]));
}"""


def render(scripts, xaxis: dict, yaxis: dict, zoom: dict | None = None) -> dict:
    """What is on screen at both axes, with its place in pixels."""
    return scripts.page.evaluate(_RENDER, [xaxis, yaxis, AREA, zoom])


def texts(parts: list[dict]) -> list[str]:
    return [part["text"] for part in parts]


def test_names_stand_at_their_cells(scripts):
    """Two rows of 100 pixels from 40 on, four columns of 25 pixels from 60 on."""
    shown = render(scripts, COLUMNS, ROWS)
    rows, columns = shown["rows"]["name"], shown["columns"]["name"]
    assert texts(rows) == ["<b>", "cat"]  # as text
    assert [name["y"] for name in rows] == pytest.approx([90, 190])
    assert [name["right"] for name in rows] == pytest.approx([55, 55])  # 5 pixels before the cells
    assert texts(columns) == ["1", "2", "3", "4"]
    assert [name["x"] for name in columns] == pytest.approx([72.5, 97.5, 122.5, 147.5])
    assert all(240 < name["top"] < 244 for name in columns)  # below the cells
    assert {name["color"] for name in rows + columns} == {"rgb(1, 2, 3)"}


@pytest.mark.parametrize(("names", "moves"), [(["head 1", "2", "3", "4"], True), (["1", "2", "3", "4"], False)])
def test_the_first_name_of_narrow_tiles_does_not_run_into_the_next(scripts, names, moves):
    shown = render(scripts, COLUMNS | {"ticktext": names, "side": "top"}, ROWS)
    first, *others = shown["columns"]["name"]
    assert (first["x"] < 72) == moves
    assert first["right"] <= 85  # where its tile ends
    assert [name["x"] for name in others] == pytest.approx([97.5, 122.5, 147.5])


def test_names_follow_a_zoom(scripts):
    render(scripts, COLUMNS, ROWS)
    shown = render(scripts, COLUMNS, ROWS, {"xaxis": {"range": [0.5, 2.5]}, "yaxis": {"range": [1.5, 0.5]}})
    assert texts(shown["columns"]["name"]) == ["2", "3"]
    assert [name["x"] for name in shown["columns"]["name"]] == pytest.approx([85, 135])
    assert texts(shown["rows"]["name"]) == ["cat"]
    assert shown["rows"]["name"][0]["y"] == pytest.approx(140)


def test_upright_names_end_at_the_cells_and_the_title_is_below_the_longest(scripts):
    title = {"text": "key &amp; more", "font": {"size": 8, "color": "rgb(4, 5, 6)"}}
    upright = {**COLUMNS, "ticktext": ["a", "abcd", "ab", "a"], "tickangle": -90, "title": title}
    shown = render(scripts, upright, ROWS)["columns"]
    names, (below,) = shown["name"], shown["axis-title"]
    assert len({round(name["top"], 2) for name in names}) == 1
    lengths = [name["bottom"] - name["top"] for name in names]
    assert lengths[1] == pytest.approx(4 * lengths[0], rel=0.05)  # of letters that are equally wide
    assert (below["text"], below["color"], below["x"]) == ("key & more", "rgb(4, 5, 6)", pytest.approx(110))
    assert below["top"] == pytest.approx(names[1]["bottom"] + 4, abs=0.5)


def test_the_title_of_rows_is_left_of_the_longest_name_and_never_outside(scripts):
    title = {"text": "query", "font": {"size": 8}}
    shown = render(scripts, COLUMNS, {**ROWS, "title": title})["rows"]
    (beside,), longest = shown["axis-title"], min(name["left"] for name in shown["name"])
    assert beside["right"] == pytest.approx(longest - 4, abs=0.5)
    assert beside["y"] == pytest.approx(140)
    long_names = {**ROWS, "ticktext": ["a" * 40, "b"], "title": title}
    (beside,) = render(scripts, COLUMNS, long_names)["rows"]["axis-title"]
    assert beside["left"] >= 0


def test_names_of_the_second_line_have_a_line_to_their_cell(scripts):
    minor = {"tickvals": [1, 3], "ticklen": 30, "tickcolor": "rgb(7, 8, 9)"}
    staggered = {**COLUMNS, "tickangle": -90, "ticklabelstandoff": 3, "minor": minor}
    leaders = render(scripts, staggered, ROWS)["columns"]["leader"]
    assert [leader["left"] for leader in leaders] == pytest.approx([97.5, 147.5])
    assert [(leader["top"], leader["bottom"]) for leader in leaders] == [(240, 270)] * 2
    assert render(scripts, COLUMNS, ROWS)["columns"]["leader"] == []


def test_titles_of_tiles_are_above_them(scripts):
    names = render(scripts, {**COLUMNS, "side": "top"}, ROWS)["columns"]["name"]
    assert all(36 < name["bottom"] <= 40 for name in names)


@pytest.mark.parametrize(
    ("axis", "is_bare"),
    [
        (COLUMNS, True),
        ({**COLUMNS, "showticklabels": False}, True),
        ({**NUMBERS, "showticklabels": False}, True),  # the sum below bars
        (NUMBERS, False),
    ],
)
def test_plotly_labels_only_axes_of_numbers(scripts, axis, is_bare):
    title = {"text": "weight"}
    layout = {"xaxis": {**axis, "title": title, "range": [0, 1]}, "height": 300}
    bare = scripts.call("plot/labels/axis_labels.js", "withoutAxisLabels", layout)
    assert bare["xaxis"]["title"] == (None if is_bare else title)
    assert bare["xaxis"].get("showticklabels") is (False if is_bare else None)
    assert (bare["xaxis"]["range"], bare["height"]) == ([0, 1], 300)
    assert "yaxis" not in bare


def test_names_that_are_left_out_are_not_shown(scripts):
    """The panel before has the same rows."""
    shown = render(scripts, NUMBERS, {**ROWS, "showticklabels": False})
    nothing = {"name": [], "leader": [], "axis-title": []}
    assert shown == {"rows": nothing, "columns": nothing}
    assert texts(render(scripts, NUMBERS, ROWS)["rows"]["name"]) == ["<b>", "cat"]


def test_a_legend_begins_below_its_line(scripts):
    axis = {**COLUMNS, "showticklabels": False, "range": [0, 1]}
    (title,) = render(scripts, {**axis, "title": {"text": "❘ m", "at": 0.5}}, ROWS)["columns"]["axis-title"]
    assert title["left"] < 60 + 50 < title["right"]
    assert title["left"] == pytest.approx(60 + 50, abs=6)
    (title,) = render(scripts, {**axis, "title": {"text": "sum", "endsAt": 0.5}}, ROWS)["columns"]["axis-title"]
    assert title["right"] == pytest.approx(60 + 50, abs=1)
    (title,) = render(scripts, {**axis, "title": {"text": "❘ most", "at": 0.9}}, ROWS)["columns"]["axis-title"]
    assert title["x"] == pytest.approx(60 + 50, abs=1)  # no room: in the middle


@pytest.mark.parametrize(
    ("text", "shown"), [("dim, 0–2 of 7", "dim, 0–2 of 7"), ("dimension, 0–63 of 384", "dimension")]
)
def test_a_title_longer_than_its_axis_says_only_what_its_axis_is(scripts, text, shown):
    (title,) = render(scripts, {**COLUMNS, "title": {"text": text}}, ROWS)["columns"]["axis-title"]
    assert title["text"] == shown
