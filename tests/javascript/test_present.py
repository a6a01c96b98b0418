"""Presentation mode: the text and the height of a large panel."""

import pytest

from tests.javascript.panels import axis, matrix_panel

WORDS = [f"t{number}" for number in range(20)]
PANEL = matrix_panel([[0.0] * 2] * 20, axis("query", WORDS), axis("key", "ab"))
PANEL["layout"] |= {
    "font": {"size": 11},
    "xaxis": {"title": {"text": "key", "font": {"size": 11}}, "tickfont": {"size": 11}},
    "yaxis": {"ticktext": WORDS, "tickvals": list(range(20)), "tickfont": {"size": 18}},
    "annotations": [{"text": "max", "font": {"size": 9}, "width": 3}],
}


def enlarge(scripts, panel, available):
    return scripts.call("plot/present.js", "enlarge", panel, available)


def test_fonts_are_at_least_16_pixels(scripts):
    layout = enlarge(scripts, PANEL, 500)["layout"]
    assert layout["font"]["size"] == layout["xaxis"]["tickfont"]["size"] == 16
    assert layout["xaxis"]["title"]["font"]["size"] == layout["annotations"][0]["font"]["size"] == 16
    assert layout["yaxis"]["tickfont"]["size"] == 18
    assert layout["annotations"][0]["width"] == 3  # no font
    assert layout["margin"] == {"l": 87, "r": 15, "t": 50, "b": 44}  # 60, 10 and 30 times 16 / 11


@pytest.mark.parametrize(
    ("rows", "available", "height"),
    [
        (2, 500, 500),
        (2, 900, 575),  # 2.5 times the 230 pixels of the figure
        (2, 300, 440),  # the page scrolls
        (33, 300, 440),  # too many rows to label all
        (32, 300, 628),  # 32 labels of 17 pixels, margins of 10 (50 less the title's 40) and 44, 30 for the title
    ],
)
def test_height_of_the_figure(scripts, rows, available, height):
    panel = PANEL | {"layout": PANEL["layout"] | {"yaxis": {"ticktext": (2 * WORDS)[:rows]}}}
    assert enlarge(scripts, panel, available)["layout"]["height"] == height


def test_mosaic_has_all_row_labels(scripts):
    tiles = {"rows": axis("", [""]), "columns": axis("head", "12"), "tall": 3, "wide": 2, "gap": 1}
    mosaic = PANEL | {"kind": "mosaic", "tiles": tiles, "rows": axis("token", ["a", "<b>", "x" * 20])}
    mosaic["layout"] = PANEL["layout"] | {"yaxis": {"ticktext": ["a"], "tickvals": [0]}}
    yaxis = enlarge(scripts, mosaic, 500)["layout"]["yaxis"]
    assert (yaxis["tickvals"], yaxis["ticktext"]) == ([0, 1, 2], ["a", "&lt;b&gt;", "x" * 11 + "…"])


_ACTION = """async ([key, html, options]) => {
    const { actionOf } = await import("/presenter/presenter.js");
    document.body.innerHTML = html;
    const event = new KeyboardEvent("keydown", { key, ...options });
    Object.defineProperty(event, "target", { value: document.querySelector("#target") ?? document.body });
    return actionOf(event) ?? null;
}"""


@pytest.mark.parametrize(
    ("key", "html", "options", "action"),
    [
        ("PageDown", "", {}, "next"),
        ("ArrowRight", "<button id=target></button>", {}, "next"),
        ("PageUp", "", {}, "previous"),
        ("ArrowLeft", "", {}, "previous"),
        ("Escape", "", {}, "leave"),
        ("a", "", {}, None),
        ("ArrowRight", "<input id=target>", {}, None),
        ("PageDown", "<input id=target>", {}, "next"),
        ("PageDown", "<textarea id=target></textarea>", {}, None),
        ("ArrowLeft", "<div role=slider id=target></div>", {}, None),
        ("Escape", "<input id=target>", {}, "leave"),
        ("Escape", "<div role=dialog></div>", {}, None),  # it closes the dialog
        ("ArrowRight", "", {"altKey": True}, None),  # the browser's own
    ],
)
def test_action_of_a_key(scripts, key, html, options, action):
    assert scripts.page.evaluate(_ACTION, [key, html, options]) == action
