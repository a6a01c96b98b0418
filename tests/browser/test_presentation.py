"""Presentation mode in a browser: large text, all row labels, the keys, and the way back."""

from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from dashboard.page_list import STAGES
from tests.browser.conftest import PROJECTOR

_SIZES = """() => [...document.querySelectorAll(".ew-plot text, .ew-axes span")].filter(text => text.textContent.trim()
    && text.getClientRects().length).map(text => parseFloat(getComputedStyle(text).fontSize))"""
_ROWS = "() => [...document.querySelectorAll('.ew-rows > .ew-name')].filter(t => t.getClientRects().length).length"
_BOX = """() => { const { bottom, right } = document.querySelector(".ew-shown .ew-chart").getBoundingClientRect();
    return [bottom, right]; }"""

# The titles of the figures that are completely in the window, and how many figures the page has.
_IN_WINDOW = """() => [...document.querySelectorAll(".ew-plot .ew-panel.ew-shown")].filter(figure => {
    const { top, bottom } = figure.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
}).map(figure => figure.querySelector(".ew-title").textContent)"""
_FIGURES = "() => [...document.querySelectorAll('.ew-plot .ew-title')].map(title => title.textContent)"


def expect_in_window(screen, title):
    """Wait until this figure alone is completely in the window."""
    with suppress(TimeoutError):
        screen.page.wait_for_function(f"title => String(({_IN_WINDOW})()) === title", arg=title)
    assert screen.page.evaluate(_IN_WINDOW) == [title]


def test_presentation_on_a_projector(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("scaled_scores", present="on", text="one two three four five six seven eight nine ten " * 2)
    page, sidebar = screen.page, screen.page.get_by_test_id("stSidebar")
    expect(sidebar).to_be_hidden()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    assert min(page.evaluate(_SIZES)) >= 16
    assert page.evaluate(_ROWS) == 20
    bottom, right = page.evaluate(_BOX)
    assert bottom <= 720
    assert right <= 1280
    chosen = page.locator(".ew-switcher button[aria-pressed=true]")
    for title in ("Q", "Kᵀ", "Q Kᵀ"):  # the first figure, although the inspected cell is in the third
        expect(chosen).to_have_text(title)
        expect(page.locator(".ew-panel:visible")).to_have_count(1)
        page.keyboard.press("PageDown")
    page.get_by_role("button", name="masked").click()
    expect(page.locator(".ew-panel:visible")).to_have_count(1)
    page.keyboard.press("PageDown")
    screen.arrived("softmax")
    page.locator("body").press("ArrowLeft")
    screen.arrived("scaled_scores")
    assert "present=on" in page.url
    with screen.rerun():
        page.keyboard.press("Escape")
    expect(sidebar).to_be_visible()
    expect(page.locator(".st-key-rail a").first).to_be_visible()
    assert "present" not in page.url


def test_the_presenters_buttons_cover_no_button_of_the_edits(screen):
    screen.open("add_and_norm", present="on", edits="residual.0.attention=0")
    screen.page.get_by_role("button", name="Reset").click(trial=True, timeout=3_000)


def test_keys_reach_all_figures_of_a_page(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("positions", present="on")
    figures = screen.page.evaluate(_FIGURES)
    assert len(figures) == 9
    for number, title in enumerate(figures):
        if number:
            screen.page.keyboard.press("PageDown")
        expect_in_window(screen, title)
    screen.page.keyboard.press("PageDown")
    screen.arrived("qkv")
    expect_in_window(screen, "x")


def test_the_page_before_opens_at_its_last_figure(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("softmax", present="on")
    screen.page.keyboard.press("PageUp")
    screen.arrived("scaled_scores")
    chosen = screen.page.locator(".ew-switcher button[aria-pressed=true]")
    expect(chosen).to_have_text("masked")
    screen.page.get_by_role("button", name="Previous page").click()
    screen.arrived("qkv")
    expect(chosen).to_have_text("x")


def test_a_key_pressed_twice_leaves_out_no_page(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("softmax", present="on")
    second = screen.page.evaluate(_FIGURES)[1]
    chosen = screen.page.locator(".ew-switcher button[aria-pressed=true]")
    for keys, name, title in ((["PageUp"] * 2, "scaled_scores", "Q Kᵀ / √16"), (["PageDown"] * 3, "softmax", second)):
        for key in keys:
            screen.page.keyboard.press(key)
        screen.arrived(name)
        expect(chosen).to_have_text(title)


def test_the_key_scrolls_to_a_figure_below_the_window(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("map", present="on")
    assert screen.page.evaluate(_IN_WINDOW) == []
    screen.page.keyboard.press("PageDown")
    expect_in_window(screen, "parameters by part")


def test_the_switch_of_softmax_is_read_on_a_phone(screen):
    screen.page.set_viewport_size({"width": 360, "height": 740})
    screen.open("softmax", present="on")
    label = screen.page.locator(".st-key-softmax_controls label", has_text="Mask every key")
    assert label.bounding_box()["height"] < 70


@pytest.mark.parametrize("name", [stage.name for stage in STAGES[1:]])
def test_first_figure_fits_into_the_window(screen, name):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open(name, present="on")
    bottom, _ = screen.page.evaluate(_BOX)
    assert bottom <= 720


def test_present_begins_with_the_first_figure(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("softmax")  # whose inspected cell is in the fifth figure
    figures = screen.page.evaluate(_FIGURES)
    screen.page.get_by_role("button", name="Share").click()
    with screen.rerun():
        screen.page.get_by_role("button", name="Present").click()
    expect(screen.page.get_by_test_id("stSidebar")).to_be_hidden()
    screen.page.wait_for_selector(".ew-presenter button")  # its script, which hears the keys, can load last
    chosen = screen.page.locator(".ew-switcher button[aria-pressed=true]")
    for title in figures[:2]:
        expect(chosen).to_have_text(title)
        screen.page.keyboard.press("PageDown")


def test_a_key_shows_the_figure_that_a_question_hides(screen):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open("qkv", present="on", predict="first")
    plot = screen.page.locator(".js-plotly-plot").first
    expect(plot).to_be_hidden()
    with screen.rerun():
        screen.page.keyboard.press("PageDown")
    expect(plot).to_be_visible()
    expect(screen.page.get_by_text("The answer is")).to_be_in_viewport()
