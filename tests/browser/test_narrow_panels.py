"""Panels of a line side by side: titles, colour bars, labels and the menu that saves a figure, each with room."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, TABLET

LONG = "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis supercalifragilisticexpialidocious"
LEAST = {"heads": 16, "d_model": 16}
_BARS = """() => [...document.querySelectorAll(".ew-bar")].filter(bar => bar.childNodes.length)
    .map(bar => bar.offsetWidth > 0)"""
_BARS_IN_SIGHT = """() => [...document.querySelectorAll(".ew-panel")].filter(panel => panel.offsetWidth)
    .map(panel => panel.querySelector(".ew-bar")).filter(bar => bar.childNodes.length)
    .map(bar => bar.offsetWidth > 0)"""
_AREAS = """() => [...document.querySelectorAll(".ew-panel .nsewdrag")]
    .map(area => Math.round(area.getBoundingClientRect().width))"""
_COVERED = """() => [...document.querySelectorAll(".ew-panel")].filter(panel => panel.offsetWidth).flatMap(panel => {
    const menu = panel.querySelector(".ew-save summary").getBoundingClientRect();
    const texts = panel.querySelectorAll(".ew-axes span, .ew-chart text, .ew-title, .ew-bar");
    return [...texts].filter(text => {
        const box = text.getBoundingClientRect();
        return text.textContent.trim() && box.left < menu.right - 1 && menu.left < box.right - 1
            && box.top < menu.bottom - 1 && menu.top < box.bottom - 1;
    }).map(text => text.textContent);
})"""
# The texts of buttons, options and badges that pass the edge of a box that clips them, or of the page.
_CUT = """() => [...document.querySelectorAll(".stMain button p, .stMain .stMarkdownBadge")].filter(text => {
    const range = document.createRange(), page = document.querySelector(".stMainBlockContainer");
    range.selectNodeContents(text);
    const { right, width } = range.getBoundingClientRect();
    const end = page.getBoundingClientRect().right - parseFloat(getComputedStyle(page).paddingRight);
    let isCut = right > end + 1;
    for (let box = text; box !== page && !isCut; box = box.parentElement)
        isCut = getComputedStyle(box).overflowX !== "visible" && right > box.getBoundingClientRect().right + 1;
    return width && isCut;
}).map(text => text.textContent)"""


@pytest.mark.parametrize("page", ["embedding", "qkv", "scaled_scores", "multi_head"])
@pytest.mark.parametrize("link", [{}, {"text": LONG}, LEAST, LEAST | {"text": LONG}], ids=["", "long", "least", "both"])
def test_every_panel_has_its_colour_bar_and_a_menu_that_covers_no_text(screen, page, link):
    screen.open(page, **link)
    assert all(screen.page.evaluate(_BARS))
    assert screen.page.evaluate(_COVERED) == []
    assert screen.clipped_titles() == []
    if page in ("qkv", "scaled_scores"):
        assert min(screen.page.evaluate(_AREAS)) >= 48
    if (page, link) == ("embedding", {"text": LONG}):
        assert screen.page.evaluate(_AREAS)[0] > 6 * 10, "the one-hot matrix of long words is legible: six columns"


@pytest.mark.parametrize("link", [{}, {"encoder": "minilm"}], ids=["", "minilm"])
@pytest.mark.parametrize(
    ("page", "choice"),
    [
        ("add_and_norm", {}),
        ("feed_forward", {}),
        ("full_stack", {}),
        ("full_stack", {"view": "Hidden states"}),
    ],
)
def test_no_button_option_or_badge_is_cut_on_a_tablet(screen, page, choice, link):
    screen.page.set_viewport_size(TABLET)
    screen.open(page, **choice, **link)
    assert screen.page.evaluate(_CUT) == []
    assert screen.clipped_titles() == []


@pytest.mark.parametrize("page", ["embedding", "qkv", "multi_head", "add_and_norm"])
def test_menu_of_a_panel_on_a_phone_covers_no_text(phone, page):
    """It is always visible there, and larger."""
    phone.open(page, **LEAST)
    assert phone.page.evaluate(_COVERED) == []
    assert phone.clipped_titles() == []


def test_menu_above_the_colour_bar_opens_and_saves(screen):
    screen.open("scaled_scores")
    panel = screen.page.locator(".ew-panel").nth(3)
    panel.hover()
    panel.locator(".ew-save summary").click()
    with screen.page.expect_download() as download:
        panel.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename.endswith(".csv")


def test_shapes_in_the_heading_follow_the_switch_of_all_heads(screen):
    """The heading is outside the fragment that the switch runs."""
    screen.open("qkv")
    badge = screen.page.get_by_text("W_Q, W_K, W_V")
    expect(badge).to_contain_text("64 × 16")
    for shape in ("64 × 64", "64 × 16"):
        with screen.rerun():
            screen.page.get_by_text("All heads side by side").click()
        expect(badge).to_contain_text(shape)


@pytest.mark.parametrize(
    ("page", "width", "figures"),
    [("qkv", 1280, 7), ("qkv", 1024, 1), ("softmax", 1024, 1), ("scaled_scores", 1100, 5), ("scaled_scores", 1024, 1)],
)
def test_a_line_of_many_figures_shows_one_where_they_have_no_room_side_by_side(screen, page, width, figures):
    screen.page.set_viewport_size(TABLET | {"width": width})
    screen.open(page)
    areas = [width for width in screen.page.evaluate(_AREAS) if width]
    assert len(areas) == figures
    assert figures > 1 or areas[0] > 500
    assert all(screen.page.evaluate(_BARS_IN_SIGHT))


def test_numbers_of_the_marked_cell_are_beside_the_buttons_where_one_figure_is_shown(screen):
    """They show what the line of figures would: how much smaller a scaled score is."""
    numbers = screen.page.locator(".ew-switcher .ew-marked:visible")
    screen.page.set_viewport_size(TABLET)
    screen.open("scaled_scores")
    dot_product, score, masked = map(float, numbers.all_text_contents())
    assert dot_product / score == pytest.approx(16**0.5, rel=1e-2)
    assert masked == score
    screen.resize(PHONE)
    expect(numbers).to_have_count(0)
