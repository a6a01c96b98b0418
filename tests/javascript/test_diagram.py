"""The map: colours of its thumbnails, cards and bridges."""

import base64

import pytest

STOPS = [[0, "#000000"], [0.5, "#ff8000"], [1, "#ffffff"]]
_DRAW = """async thumbnail => {
    const { colourLevels, drawThumbnail } = await import("/diagram/diagram.js");
    const canvas = document.createElement("canvas");
    drawThumbnail(canvas, thumbnail, colourLevels([[0, "#000000"], [1, "#ffffff"]]), [1, 2, 3]);
    return [canvas.width, canvas.height, [...canvas.getContext("2d").getImageData(0, 0, 2, 2).data]];
}"""
_RENDER = """async data => {
    document.body.innerHTML = "<div class='ew-diagram'></div>";
    const { default: render } = await import("/diagram/diagram.js");
    const sent = window.sent = [];
    render({ data, parentElement: document.body, setTriggerValue: (...values) => sent.push(values) });
}"""


def card(stage, **fields):
    return {"stage": stage, "number": 4, "title": stage, "shape": "(2, 3)", "colour": None, "kind": "signed",
            "words": [], **fields}  # fmt: skip


def bridge_between(start, end, label="residual", removed=False):
    return {"from": start, "to": end, "label": label, "removed": removed}


@pytest.fixture
def render(scripts):
    def render(*groups, **more):
        data = {"groups": groups, **more, "scales": {"signed": STOPS, "weights": STOPS}, "masked": "#808080"}
        scripts.page.evaluate(_RENDER, data)
        return scripts.page

    return render


def test_colour(scripts):
    assert scripts.call("shared/colours.js", "parseColour", "#ff8001") == [255, 128, 1]


def test_levels_between_the_stops(scripts):
    levels = scripts.call("diagram/diagram.js", "colourLevels", STOPS)
    assert len(levels) == 255
    assert [levels[i] for i in (0, 127, 254)] == [[0, 0, 0], [255, 128, 0], [255, 255, 255]]
    assert levels[64] == [129, 65, 0]  # 64 / 127 of the way to the second stop: 128.5, 64.5


def test_thumbnail_has_a_pixel_for_each_cell(scripts):
    levels = base64.b64encode(bytes([0, 254, 255, 127])).decode()
    width, height, pixels = scripts.page.evaluate(_DRAW, {"rows": 2, "columns": 2, "levels": levels})
    assert (width, height) == (2, 2)
    assert [pixels[i : i + 4] for i in (0, 4, 8, 12)] == [
        [0, 0, 0, 255], [255, 255, 255, 255], [1, 2, 3, 255], [128, 128, 128, 255],
    ]  # fmt: skip


def test_cards(render):
    thumbnail = {"rows": 1, "columns": 1, "levels": "AA=="}
    cards = [card("scores", thumbnail=thumbnail), card("tokens", words=["a", "<b>"]), card("none")]
    page = render({"label": "Layer 1", "cards": cards, "bridges": [bridge_between(0, 1)]})
    links = page.locator(".ew-card")
    assert [link.get_attribute("title") for link in links.all()] == ["Open stage 4"] * 3
    assert links.first.evaluate("link => link.pathname") == "/scores"
    assert page.locator("canvas").get_attribute("aria-label") == "scores, (2, 3): a small heatmap of its values"
    assert page.locator(".ew-words span").all_text_contents() == ["a", "<b>"]
    assert page.locator(".ew-empty").all_text_contents() == ["none"]
    assert page.locator(".ew-label").all_text_contents() == ["Layer 1"]
    bridge = page.locator(".ew-bridge").evaluate("bridge => [bridge.style.gridColumn, bridge.style.marginLeft]")
    assert bridge == ["1 / 3", "25%"]


def test_a_bridge_says_what_an_edit_makes_of_it(render):
    bridges = [bridge_between(0, 0, "residual × 0.5"), bridge_between(1, 1, "residual removed", removed=True)]
    page = render({"label": "", "cards": [card("a"), card("b")], "bridges": bridges})
    assert page.locator(".ew-bridge span").all_text_contents() == ["residual × 0.5", "residual removed"]
    classes = page.locator(".ew-bridge").evaluate_all("bridges => bridges.map(bridge => bridge.className)")
    assert classes == ["ew-bridge", "ew-bridge ew-removed"]


def test_links_have_the_query_of_the_page(scripts, render, origin):
    scripts.page.goto(f"{origin}/?seq=5#part")
    page = render({"label": "", "cards": [card("scores")], "bridges": []})
    assert page.locator(".ew-card").evaluate("link => link.href") == f"{origin}/scores?seq=5"


def test_links_can_have_a_query_of_their_own_and_a_row_can_be_marked(scripts, render, origin):
    scripts.page.goto(f"{origin}/?seq=5")
    thumbnail = {"rows": 4, "columns": 1, "levels": "AAAAAA=="}
    page = render(
        {"label": "", "cards": [card("scores", thumbnail=thumbnail, markedRow=3)], "bridges": []}, query="a=b"
    )
    link = page.locator(".ew-card")
    assert link.evaluate("link => link.search") == "?a=b"
    assert link.get_attribute("data-own-query") == ""
    mark = page.locator(".ew-thumbnail i").evaluate("mark => [mark.style.top, mark.style.height]")
    assert mark == ["75%", "25%"]


def test_click_opens_the_stage_without_loading_it(render, origin):
    page = render({"label": "", "cards": [card("scores")], "bridges": []})
    page.locator(".ew-card").click()
    assert page.evaluate("sent") == [["open", "scores"]]
    assert page.url == f"{origin}/"


@pytest.mark.parametrize(("width", "is_narrow"), [(1000, False), (700, True)])
def test_narrow_map_is_one_column(render, width, is_narrow):
    page = render({"label": "", "cards": [card("a"), card("b")], "bridges": []})
    page.set_viewport_size({"width": width + 16, "height": 800})  # the body has a margin of 8 pixels
    page.wait_for_function(
        "isNarrow => document.querySelector('.ew-diagram').classList.contains('ew-narrow') === isNarrow", arg=is_narrow
    )
    columns = page.locator(".ew-card").evaluate_all("cards => cards.map(card => card.style.gridColumn)")
    assert columns == (["", ""] if is_narrow else ["1", "2"])


_VISIBLE = "spans => spans.filter(span => !span.hidden).map(span => span.textContent)"


@pytest.mark.parametrize(("count", "last"), [(6, "word 5"), (60, "+ 52 more")])
def test_words_without_room_are_counted(render, count, last):
    style = render({"label": "", "cards": [], "bridges": []}).add_style_tag(
        content=".ew-words { width: 100px; height: 100px; overflow: hidden; display: flex; flex-wrap: wrap; }"
        ".ew-words span { width: 33px; height: 33px; white-space: nowrap; overflow: hidden; }"
    )
    words = [f"word {number}" for number in range(count)]
    page = render({"label": "", "cards": [card("map", words=words)], "bridges": []})
    shown = page.locator(".ew-words span").evaluate_all(_VISIBLE)
    style.evaluate("element => element.remove()")
    assert shown == ([*words[:8], last] if count > 9 else words)
