"""The title line of a panel."""

import math

import pytest

from tests.javascript.panels import axis, matrix_panel

PANEL = matrix_panel([[1, 2], [math.nan, 4]], axis("query", "ab"), axis("key", "ab"))


@pytest.mark.parametrize(
    ("fields", "value"),
    [
        ({}, None),
        ({"marked": [[0, 1]]}, 2),
        ({"marked": [[None, 1], [1, 1], [0, 0]]}, 4),  # the first that is one cell
        ({"marked": [[1, None]]}, None),
        ({"marked": [[1, 0]]}, None),  # masked
        ({"marked": [[5, 5]]}, None),
        ({"marked": [[0, 1]], "tiles": {}}, None),
    ],
)
def test_number_of_the_marked_cell(scripts, fields, value):
    assert scripts.call("plot/panel/panel_elements.js", "markedValue", {**PANEL, **fields}) == value


_TITLE = """async ([panel, operator, least]) => {
    const { appendPanel, updatePanel } = await import("/plot/panel/panel_elements.js");
    const elements = appendPanel(document.body);
    updatePanel(elements, { operator, panel, json: "" }, { grow: 26, least });
    const { figure, title, colourBar, plot } = elements;
    return [elements.operator.textContent, title.textContent, colourBar.textContent, figure.style.flexGrow,
            figure.style.minWidth, plot.getAttribute("aria-label"),
            elements.saveMenu.querySelector("summary").getAttribute("aria-label")];
}"""
_BAR = """async panel => {
    const { appendPanel, updatePanel } = await import("/plot/panel/panel_elements.js");
    const elements = appendPanel(document.body);
    updatePanel(elements, { operator: "", panel, json: "" }, { grow: 1, margins: 0, least: 0 });
    return [elements.colourBar.textContent, elements.colourBar.title];
}"""
_SCALE = {"type": "heatmap", "colorscale": [[0, "#000000"], [1, "#ffffff"]]}


@pytest.mark.parametrize(("limits", "bar"), [({"zmin": -2, "zmax": 2}, "±2"), ({"zmin": 0, "zmax": 1}, "01")])
def test_title_line(scripts, limits, bar):
    panel = {**PANEL, "alt": "M in words", "weight": 20, "data": [{**_SCALE, **limits}]}
    texts = scripts.page.evaluate(_TITLE, [panel, "=", 118])
    assert texts == ["=", "M", bar, "26", "118px", "M in words", "Save “M” or its numbers"]
    unlimited = scripts.page.evaluate(_TITLE, [{**panel, "marked": [[1, 1]]}, "", 0])
    assert unlimited[:5] == ["", "M", f"4{bar}", "26", ""]


def test_dots_beyond_the_scale_are_explained_at_the_colour_bar(scripts):
    cells = {**_SCALE, "zmin": -2, "zmax": 2}
    for dots, text, tooltip in (
        ([{"name": "beyond the colour scale"}], "±2• beyond", "Cells with a dot are beyond the scale."),
        ([], "±2", ""),
    ):
        shown = scripts.page.evaluate(_BAR, {**PANEL, "data": [cells, *dots]})
        assert shown == [text, tooltip]


def test_escape_closes_the_menu_and_its_button_keeps_the_focus(scripts):
    scripts.page.evaluate("""async () => {
        document.body.replaceChildren();
        (await import("/plot/panel/panel_elements.js")).appendPanel(document.body);
    }""")
    scripts.page.locator("summary").press("Enter")
    scripts.page.keyboard.press("Tab")
    assert scripts.page.evaluate("document.activeElement.tagName") == "BUTTON"
    scripts.page.keyboard.press("Escape")
    assert scripts.page.evaluate("[document.activeElement.tagName, document.querySelector('details').open]") == [
        "SUMMARY", False]  # fmt: skip


def test_title_with_markup_stays_text(scripts):
    panel = {**PANEL, "title": "<b>M</b>", "weight": 20, "data": []}
    assert scripts.page.evaluate(_TITLE, [panel, "", 0])[1] == "<b>M</b>"
    assert scripts.page.locator("b").count() == 0
