"""The map: every card is a real tensor and leads to its page."""

import itertools
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from benchmarks.chromium import CALM
from dashboard.page_list import STAGES
from tests.browser.conftest import WIDE
from tests.browser.engine import scaled_scores, trace_of
from tests.browser.screen import visitor

_COLOURS = """canvas => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add(data.slice(i, i + 4).join());
    return colours.size;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_thumbnails_are_not_blank(screen, scheme):
    screen.appear(scheme)
    screen.open("map")
    canvases = screen.page.locator(".ew-card canvas")
    assert canvases.count() > 10
    for index in range(canvases.count()):
        assert canvases.nth(index).evaluate(_COLOURS) > 20, canvases.nth(index).get_attribute("aria-label")


def test_thumbnails_follow_a_slider(screen):
    screen.open("map")
    looks = "[...document.querySelectorAll('.ew-card canvas')].map(canvas => canvas.toDataURL())"
    before = screen.page.evaluate(looks)
    with screen.rerun():
        screen.page.get_by_text("More choices").click()
    screen.press("Seed", "ArrowRight")
    after = screen.page.evaluate(looks)
    same = [a == b for a, b in zip(before, after, strict=True)]
    assert same.count(True) == 1  # the sinusoids


def test_cards_lead_to_their_pages_and_keep_the_link(screen):
    """Each has the address of its page, and clicks are taken in the same way: four of them are clicked."""
    link = {"d_model": ["96"], "heads": ["3"], "layer": ["2"], "head": ["3"]}
    screen.open("map", **link)
    cards = screen.page.locator("a.ew-card")
    links = [urlsplit(cards.nth(index).get_attribute("href")) for index in range(cards.count())]
    assert all(parse_qs(address.query) == link for address in links)  # also for a tab of its own
    targets = [address.path.rsplit("/", 1)[1] for address in links]
    assert set(targets) == {stage.name for stage in STAGES[1:]}
    for name in ("embedding", "scaled_scores", "add_and_norm", "full_stack"):
        cards.nth(targets.index(name)).click()
        screen.arrived(name)
        assert screen.name == name
        assert {key: screen.parameters.get(key) for key in link} == link
        assert (screen.says("d_model"), screen.says("heads")) == (96, 3)
        if name == "scaled_scores":
            screen.shows(*scaled_scores(trace_of(d_model=96, heads=3), 2, 3))
        screen.page.go_back()
        screen.arrived("map")
        assert {key: screen.parameters.get(key) for key in link} == link


def test_a_card_opens_in_a_tab_of_its_own_too(screen):
    """With the control key, the link is the browser's."""
    screen.open("map")
    with screen.page.context.expect_page() as opened:
        screen.page.locator("a.ew-card[href$='/softmax']").click(modifiers=["Control"])
    opened.value.wait_for_selector("h1:has-text('Softmax weights')")
    opened.value.close()


def test_nothing_moves_when_the_script_of_the_diagram_arrives(browser, server):
    """At a first visit, with nothing in the browser's cache."""
    held = []
    with visitor(browser, server, viewport=WIDE) as screen:
        page = screen.page
        page.route(re.compile("diagram"), lambda route: held.append(route))
        with page.expect_request(re.compile("diagram")):
            page.goto(f"{server}/map")
        heading = page.get_by_role("heading", name="Parameters, memory and FLOPs")
        expect(heading).to_be_visible()
        page.wait_for_function(CALM)
        before = heading.bounding_box()["y"]
        for route in held:
            route.continue_()
        page.wait_for_selector(".ew-card")
        assert heading.bounding_box()["y"] == pytest.approx(before, abs=20)  # a title of two lines


@pytest.mark.parametrize(("width", "cards"), [(1440, [4, 8, 1]), (1024, [4, 4, 4, 1]), (390, [1] * 13)])
def test_cards_in_a_row(screen, width, cards):
    screen.page.set_viewport_size(WIDE | {"width": width})
    screen.open("map")
    tops = screen.page.locator(".ew-card").evaluate_all("cards => cards.map(card => card.getBoundingClientRect().top)")
    assert [len(list(row)) for _, row in itertools.groupby(tops, round)] == cards
