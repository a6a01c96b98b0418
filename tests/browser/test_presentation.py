"""Presentation mode in a browser: large text, all row labels, the keys, and the way back."""

import pytest
from playwright.sync_api import expect

from dashboard.page_list import STAGES

_SIZES = """() => [...document.querySelectorAll(".ew-plot text, .ew-axes span")].filter(text => text.textContent.trim()
    && text.getClientRects().length).map(text => parseFloat(getComputedStyle(text).fontSize))"""
_ROWS = "() => [...document.querySelectorAll('.ew-rows > .ew-name')].filter(t => t.getClientRects().length).length"
_BOX = """() => { const { bottom, right } = document.querySelector(".ew-shown .ew-chart").getBoundingClientRect();
    return [bottom, right]; }"""

PROJECTOR = {"width": 1280, "height": 720}  # 1920 x 1080 at 150%


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
    page.keyboard.press("Escape")
    expect(sidebar).to_be_visible()
    expect(page.locator(".st-key-rail a").first).to_be_visible()
    assert "present" not in page.url


def test_the_presenters_buttons_cover_no_button_of_the_edits(screen):
    screen.open("add_and_norm", present="on", edits="residual.0.attention=0")
    screen.page.get_by_role("button", name="Reset").click(trial=True, timeout=3_000)


@pytest.mark.parametrize("name", [stage.name for stage in STAGES[1:]])
def test_first_figure_fits_into_the_window(screen, name):
    screen.page.set_viewport_size(PROJECTOR)
    screen.open(name, present="on")
    bottom, _ = screen.page.evaluate(_BOX)
    assert bottom <= 720
