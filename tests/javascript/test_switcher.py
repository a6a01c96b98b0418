"""On a phone: which figure of a line is shown, and the buttons that choose another."""

import pytest

from tests.javascript.panels import axis, matrix_panel


def panels(*inspected: bool, height: int = 330) -> list[dict]:
    """A panel for each flag: whether it has the inspected cell. Its plot is 30 pixels lower than `height`."""
    panel = matrix_panel([[1.0]], axis("query", "a"), axis("key", "a"))
    layout = {**panel["layout"], "height": height}
    return [
        {**panel, "title": f"{i}", "titleColour": None, "isInspected": flag, "layout": layout}
        for i, flag in enumerate(inspected)
    ]


@pytest.mark.parametrize(
    ("count", "height", "switched"),
    [(2, 330, True), (2, 271, True), (2, 270, False), (1, 900, False)],  # 240 pixels each: 480 together
)
def test_high_figures_are_shown_one_at_a_time(scripts, count, height, switched):
    lines = panels(*[False] * count, height=height)
    assert scripts.call("plot/panel/switcher.js", "isSwitched", lines) is switched


YES, NO = True, False


@pytest.mark.parametrize(
    ("now", "before", "shown", "expected"),
    [
        ((NO, NO, YES), (), 0, 2),  # a page opens with the figure of the inspected cell
        ((NO, NO, NO), (), 0, 0),
        ((NO, NO, YES), (NO, NO, YES), 1, 1),  # the user has chosen another
        ((YES, NO, NO), (NO, NO, YES), 1, 0),  # an operand is opened
        ((NO, YES, YES), (YES, NO, NO), 2, 2),  # it is in the figure on screen, too
        ((NO, NO), (NO, NO, YES), 2, 0),  # the line has become shorter
    ],
)
def test_figure_to_show(scripts, now, before, shown, expected):
    figure = scripts.call("plot/panel/switcher.js", "figureToShow", panels(*now), panels(*before), shown)
    assert figure == expected


@pytest.mark.parametrize("before", [(), (NO, NO, NO), (NO, NO, YES)])
def test_a_presentation_opens_with_the_first_figure(scripts, before):
    now = panels(NO, NO, YES)
    assert scripts.call("plot/panel/switcher.js", "figureToShow", now, panels(*before), 2, True) == 0


_MOUNT = """async ([panels, shown]) => {
    const { appendSwitcher, updateSwitcher } = await import("/plot/panel/switcher.js");
    const items = panels.map((panel, i) => ({ operator: ["", "·", "="][i], panel }));
    const switcher = document.querySelector(".ew-switcher") ?? appendSwitcher(document.body);
    updateSwitcher(switcher, items, shown, index => { window.chosen = index; });
}"""


def test_switcher_reads_like_the_line(scripts):
    line = panels(NO, NO, YES)
    line[1]["title"] = "<b>K</b>"
    scripts.page.evaluate(_MOUNT, [line, 2])
    switcher = scripts.page.get_by_role("group", name="Figure to show")
    assert switcher.text_content() == "0·<b>K</b>=2"
    assert switcher.get_by_role("button", pressed=True).inner_text() == "2"
    switcher.get_by_role("button", name="<b>K</b>").click()
    assert scripts.page.evaluate("window.chosen") == 1
    scripts.page.evaluate(_MOUNT, [line, 1])
    assert switcher.get_by_role("button", pressed=True).inner_text() == "<b>K</b>"
    assert scripts.page.evaluate("document.activeElement.textContent") == "<b>K</b>", "the focus stays"


def test_number_of_the_marked_cell_is_beside_the_button(scripts):
    line = panels(NO, YES)
    line[1] |= {"values": [[-2.5]], "marked": [(0, 0)]}
    scripts.page.evaluate("document.body.replaceChildren()")
    for number in ("−2.5", "3"):
        scripts.page.evaluate(_MOUNT, [line, 1])
        assert scripts.page.locator(".ew-switcher .ew-marked").all_text_contents() == ["", number]
        assert scripts.page.get_by_role("button", name="1", exact=True).count() == 1, "it is not in the name"
        line[1]["values"] = [[3]]
