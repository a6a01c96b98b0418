"""The explained terms of a sentence, in a browser."""

import re
from pathlib import Path

import streamlit
from playwright.sync_api import expect

from benchmarks.chromium import NEXT_FRAMES
from dashboard.glossary import GLOSSARY, without_marks
from tests.browser.accessibility import violations
from tests.browser.conftest import WIDE
from tests.browser.screen import visitor

QUERY = without_marks(GLOSSARY["query"].definition)
PARSER = "rehype-raw"  # of HTML in markdown
_SCROLLED = """() => [document.scrollingElement, ...document.querySelectorAll("[data-testid=stMain]")]
    .map(part => part.scrollTop)"""


def test_parser_has_its_name_in_this_version_of_streamlit():
    assert list(Path(streamlit.__file__).parent.glob(f"static/static/js/{PARSER}*.js"))


def test_a_first_visit_loads_no_parser_of_html(browser, server):
    files = []
    with visitor(browser, server, viewport=WIDE) as screen:
        screen.page.on("request", lambda request: files.append(request.url.rpartition("/")[2]))
        for name in ("start", "scaled_scores"):
            screen.open(name)
            expect(screen.page.locator(".ew-defined").first).to_be_visible()
            assert [file for file in files if file.startswith("StreamlitMarkdown")]
            assert [file for file in files if file.startswith(PARSER)] == [], name


def test_terms_are_explained_and_lead_nowhere(screen):
    page = screen.open("scaled_scores").page
    term, box = page.get_by_role("button", name="query", exact=True), page.locator(".ew-definition")
    expect(term).to_have_attribute("aria-description", QUERY)
    before = page.url, page.evaluate("history.length"), page.evaluate(_SCROLLED)
    assert "#" not in page.url

    def check_shown():
        expect(box).to_be_visible()
        expect(box).to_have_text(QUERY)
        page.keyboard.press("Escape")
        expect(box).to_be_hidden()
        assert (page.url, page.evaluate("history.length"), page.evaluate(_SCROLLED)) == before
        assert len(page.context.pages) == 1

    term.hover()
    check_shown()
    for clicked in ({}, {"modifiers": ["Control"]}, {"modifiers": ["Shift"]}):
        term.click(**clicked)
        check_shown()
    term.blur()  # the clicks have left the focus there
    term.focus()
    check_shown()
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
        check_shown()
    term.click(button="middle")
    page.wait_for_function(NEXT_FRAMES)
    assert (page.url, len(page.context.pages)) == (before[0], 1)
    assert violations(page) == []


def test_terms_look_like_the_text_around_them(screen):
    page = screen.open("scaled_scores").page
    terms = page.locator(".ew-defined")
    expect(terms).not_to_have_count(0)
    for term in terms.all():
        look = """link => [link, link.parentElement].map(element => getComputedStyle(element).color)"""
        colour, colour_around = term.evaluate(look)
        assert colour == colour_around
        expect(term).to_have_css("text-decoration-style", "dotted")
        term.hover()
        expect(term).to_have_css("text-decoration-style", "solid")


def test_another_term_at_the_place_of_a_term_has_its_own_definition(screen):
    """React keeps the element of the first link and changes its target."""
    page = screen.open("multi_head", heads=2).page
    first = page.locator(".st-key-heading .ew-defined").first
    expect(first).to_have_text("heads")
    first.evaluate("link => { window.firstTerm = link; }")
    assert screen.press("heads", "ArrowLeft") == 1
    expect(first).to_have_text("residual stream")
    expect(first).to_have_attribute("aria-description", without_marks(GLOSSARY["residual stream"].definition))
    assert first.evaluate("link => link === window.firstTerm")
    assert page.locator("a[href*='#term-']").count() == 0


def test_a_caption_that_a_fragment_renders_has_its_terms(screen):
    page = screen.open("full_stack", view="Rollout").page
    expect(page.get_by_role("button", name="Rollout", exact=True)).to_have_class("ew-defined")
    with screen.rerun():
        screen.picker("view").get_by_text("Ablation", exact=True).click()
    term = page.get_by_role("button", name="ablation", exact=True)
    expect(term).to_have_attribute("aria-description", without_marks(GLOSSARY["ablation"].definition))
    assert page.locator("a[href*='#term-']").count() == 0


def test_signs_of_html_are_shown_as_text(screen):
    screen.open("softmax", text="<b>x</b> & y &lt; [[head]] [head](#term-head)", token=1, key_token=9)
    caption = screen.page.locator("[data-testid=stCaptionContainer]", has_text="Selected cell")
    expect(caption).to_have_text(re.compile("^Selected cell, “<\u2060” → “&\u2060”: exp"))
    assert caption.locator("b").count() == 0
    expect(caption.locator(".ew-defined")).to_have_text(["entropy"])
