"""What must be in reach where there is little room: on a phone, in a low window, and beside the sidebar of a laptop."""

import itertools

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, TABLET, WIDE

LAPTOP = {"width": 1280, "height": 800}
LOW = {"width": 640, "height": 400}  # a laptop at 200%

_IS_ON_TOP = """element => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""
_ALL_IN_SIGHT = """body => {
    const { top, bottom } = body.getBoundingClientRect();
    return body.scrollHeight === body.clientHeight && 0 <= top && bottom <= innerHeight;
}"""


def test_the_rail_stays_in_sight_with_all_its_links(screen):
    screen.page.set_viewport_size(LAPTOP)
    screen.open("softmax")
    links = screen.page.locator(".st-key-rail").get_by_role("link")
    for pixels in (0, 600):
        screen.page.get_by_test_id("stMain").evaluate("(main, top) => main.scrollTo({ top })", pixels)
        for link in links.all():
            assert link.evaluate(_IS_ON_TOP)


def test_the_focus_of_the_keyboard_is_seen_on_the_rail(screen):
    screen.page.set_viewport_size(LAPTOP)
    screen.open("softmax")
    for number in (4, 5):  # another stage, and the one on screen
        link = screen.page.locator(".st-key-rail").get_by_role("link").nth(number)
        link.focus()
        screen.page.keyboard.press("Shift+Tab")
        screen.page.keyboard.press("Tab")
        expect(link).to_be_focused()
        expect(link).to_have_css("outline-style", "solid")


@pytest.mark.parametrize("size", [WIDE, TABLET], ids=["wide", "1024 px"])
def test_layers_and_heads_are_on_one_line_with_a_gap_between_them(screen, size):
    """Without it, they read as one row of numbers: 4 5 6 1 2 3."""
    screen.page.set_viewport_size(size)
    screen.open("scaled_scores", layers=6, heads=12)
    sentence, layer, head = (screen.picker(name).get_by_role("radio") for name in ("sentence", "layer", "head"))
    for before, after in ((sentence, layer), (layer, head)):
        one, other = before.last.bounding_box(), after.first.bounding_box()
        assert other["y"] == one["y"]
        assert other["x"] - one["x"] - one["width"] >= 24
    assert head.last.bounding_box()["width"] >= 24


@pytest.mark.parametrize("size", [WIDE, LAPTOP], ids=["wide", "laptop"])
def test_options_between_two_lists_have_the_same_gap_on_both_sides(screen, size):
    screen.page.set_viewport_size(size)
    screen.open("add_and_norm", d_model=128)
    boxes = [screen.picker(name).bounding_box() for name in ("layer", "token", "which_norm", "dims")]
    gaps = [right["x"] - left["x"] - left["width"] for left, right in itertools.pairwise(boxes)]
    assert gaps == pytest.approx([18] * 3, abs=1)


def test_a_page_without_a_sidebar_has_none_after_a_stage(screen):
    screen.page.set_viewport_size(LAPTOP)
    screen.open("softmax")
    sidebar = screen.page.get_by_test_id("stSidebar")
    expect(sidebar).to_be_visible()
    screen.page.get_by_role("button", name="Lab").click()
    screen.page.get_by_text("Recipes: five tutorials").last.click()
    screen.arrived("recipes")
    expect(sidebar).to_be_hidden()
    screen.go("softmax")
    expect(sidebar).to_be_visible()


def test_the_last_option_of_a_list_is_reached_in_a_low_window(screen):
    screen.page.set_viewport_size(LOW)
    screen.open("full_stack")
    field = screen.picker("token").locator("input")
    field.scroll_into_view_if_needed()  # scrolling would close the list
    field.click()
    options = screen.page.get_by_role("option")
    options.first.wait_for()
    screen.page.get_by_role("listbox").evaluate("list => list.scrollTo({ top: 9999 })")
    expect(options.last).to_have_text("20 · [PAD]")
    assert options.last.evaluate(_IS_ON_TOP)
    screen.page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("name", "button"),
    [("softmax", "Why exp"), ("add_and_norm", "Why"), ("training", "More settings"), ("start", "Change the sentence")],
)
def test_what_a_button_of_a_phone_opens_is_all_in_sight(screen, name, button):
    screen.page.set_viewport_size(PHONE)
    screen.open(name)
    screen.page.locator(".stMain").get_by_role("button", name=button).first.click()
    popover = screen.page.get_by_test_id("stPopoverBody")
    popover.wait_for()
    screen.page.wait_for_function(_ALL_IN_SIGHT, arg=popover.element_handle())
    assert popover.get_by_role("button", name="Apply").count() == (name == "start")  # a phone has no Ctrl+Enter
    assert not popover.get_by_text("Ctrl+Enter").is_visible()


def test_the_list_of_claims_has_the_width_of_a_phone(screen):
    screen.page.set_viewport_size(PHONE)
    screen.open("experiments", prediction=0)
    claims = screen.page.get_by_label("Claim").locator("xpath=ancestor::*[@data-testid='stSelectbox']")
    assert claims.bounding_box()["width"] > 340


def test_a_tap_opens_the_menu_of_a_figure_and_a_tap_beside_it_closes_it(phone):
    page = phone.open("softmax").page
    menu = page.locator(".ew-shown .ew-save").first
    menu.locator("summary").tap()
    page.wait_for_timeout(300)  # a browser without a finger moves its mouse away after a tap
    expect(menu).to_have_attribute("open", "")
    page.locator("h1").tap()
    expect(menu).not_to_have_attribute("open", "")


def test_the_keyboard_stays_in_a_derivation(screen):
    screen.page.set_viewport_size(LAPTOP)
    screen.open("scaled_scores")
    operand = screen.page.locator("button.ew-operand").first
    operand.focus()
    with screen.rerun():
        screen.page.keyboard.press("Enter")
    expect(screen.page.locator(".ew-derivation .ew-result")).to_be_focused()
