"""On a phone with a touch screen: figures, the sidebar and the sizes of what a finger taps."""

import pytest
from playwright.sync_api import expect

from dashboard.page_list import PAGES
from tests.browser.conftest import PHONE

_TOO_SMALL = """() => [...document.querySelectorAll(`button, summary, [data-testid=stPageLink-NavLink],
        [data-testid=stSelectbox] [role=group], [data-testid=stRadio] [role=radiogroup] label`)]
    .filter(part => part.checkVisibility({ visibilityProperty: true }) && !part.closest(SKIPPED))
    .map(part => [part.getBoundingClientRect(), part])
    .filter(([box]) => box.height > 1 && box.height < 39.5)
    .map(([box, part]) => `${box.height}: ${part.outerHTML.slice(0, 150)}`)"""
# Buttons inside other controls, which are tapped as well: the steps of a number, and the help of a label.
_SKIPPED = "[data-testid=stNumberInput], [data-testid=stTooltipIcon], [data-testid=stSelectbox] button"


def slow_tap(phone, target) -> None:
    """Put a finger down and lift it as late as a person does."""
    box, session = target.bounding_box(), phone.page.context.new_cdp_session(phone.page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    phone.page.wait_for_timeout(150)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def swipe(phone, x: float, y: float, by: float) -> None:
    """Move a finger up."""
    session = phone.page.context.new_cdp_session(phone.page)
    for kind, share in (("touchStart", 0), ("touchMove", 0.3), ("touchMove", 0.7), ("touchMove", 1)):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y - share * by}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_one_figure_at_a_time_and_a_swipe_selects_nothing(phone):
    phone.open("scaled_scores")
    assert [plot["title"] for plot in phone.plots()] == ["Q Kᵀ"], "the others are not drawn before they are shown"
    masked = phone.page.get_by_role("button", name="masked", exact=True)
    masked.tap()
    expect(masked).to_have_attribute("aria-pressed", "true")  # the click of a tap comes later than the tap
    phone.settle()
    shown = phone.page.locator(".ew-plot .js-plotly-plot:visible")
    expect(shown).to_have_count(1)
    assert [plot["title"] for plot in phone.plots()] == ["Q Kᵀ", "masked"]
    for by in (200, 30):
        shown.scroll_into_view_if_needed()
        swipe(phone, *phone.place(1, 9, 9), by)
        phone.come_to_rest()
        assert phone.parameters == {}
    shown.scroll_into_view_if_needed()
    with phone.rerun():
        phone.page.touchscreen.tap(*phone.place(1, 9, 9))
    assert (phone.parameters["token"], phone.parameters["key_token"]) == (["10"], ["10"])


def test_all_pickers_are_in_sight_above_the_figure(phone):
    """They were one line that scrolled sideways, with three of five beyond its end."""
    phone.open("softmax", layers=6, heads=12, head=11)
    page = phone.page
    for name in ("sentence", "layer", "head", "token", "key_token", "temperature", "hide_row"):
        expect(phone.picker(name).last).to_be_in_viewport(ratio=0.95)
    expect(page.get_by_role("radio", name="11", exact=True)).to_be_in_viewport(ratio=1)
    text = page.locator(".st-key-softmax_controls .stMarkdownEllipsis")
    assert text.evaluate("text => text.scrollWidth <= text.clientWidth"), "the text of the switch is not cut"
    plot = page.locator(".ew-plot .js-plotly-plot:visible").first.bounding_box()
    assert plot["y"] < PHONE["height"] - 50, "the figure begins on the first screen"


def test_no_tooltip_is_left_of_a_tap(phone):
    """The figure may have moved by the time it is repainted. On a busy phone, the mouse event that the browser makes of
    a tap comes later than that.
    """
    phone.open("softmax")
    plot = phone.page.locator(".ew-plot .js-plotly-plot:visible").first
    plot.scroll_into_view_if_needed()
    with phone.rerun():
        phone.page.touchscreen.tap(*phone.place(0, 2, 2))
    phone.come_to_rest()
    assert (phone.parameters["token"], phone.parameters["key_token"]) == (["3"], ["3"])
    tip = phone.page.locator(".ew-tip").first
    expect(tip).to_be_hidden()
    phone.page.mouse.move(*phone.place(0, 3, 4))
    phone.come_to_rest()
    expect(tip).to_be_hidden()


def test_a_tapped_tile_is_shown_enlarged(phone):
    phone.open("full_stack")
    tiles = phone.page.locator(".ew-plot .js-plotly-plot:visible")
    expect(tiles).to_have_count(1)
    tiles.scroll_into_view_if_needed()
    phone.page.get_by_role("button", name="every head of every layer", exact=True).tap()
    phone.come_to_rest()
    tiles.scroll_into_view_if_needed()
    box = tiles.bounding_box()
    with phone.rerun():
        phone.page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.9)
    phone.come_to_rest()
    pressed = phone.page.get_by_role("group", name="Figure to show").get_by_role("button", pressed=True)
    expect(pressed).to_have_text("layer 4, head 4")


def test_the_rail_shows_the_stage_after_the_phone_is_turned(phone):
    phone.open("full_stack")
    stage = phone.page.locator(".st-key-rail a").last
    for width, height in (reversed(PHONE.values()), PHONE.values()):
        expect(stage).to_be_in_viewport(ratio=1)
        phone.page.set_viewport_size({"width": width, "height": height})
    expect(stage).to_be_in_viewport(ratio=1)
    phone.open("full_stack", view="One word", figure="Lines")  # a page without a plot
    expect(stage).to_be_in_viewport(ratio=1)


def test_text_comes_before_the_pages_and_is_applied_by_the_button_and_by_a_page(phone):
    phone.open("scaled_scores")
    phone.page.get_by_test_id("stExpandSidebarButton").tap()
    sidebar = phone.page.get_by_test_id("stSidebar")
    field, menu = sidebar.get_by_role("textbox", name="Text"), sidebar.get_by_test_id("stSidebarNav")
    expect(field).to_be_in_viewport()
    assert field.bounding_box()["y"] < menu.bounding_box()["y"]
    field.fill("the cat")
    with phone.rerun():
        sidebar.get_by_role("button", name="Apply").tap()
    phone.come_to_rest()
    assert phone.parameters["text"] == ["the cat"]
    expect(sidebar).to_have_attribute("data-collapsed", "true")  # the figure with the new text can be seen
    phone.page.get_by_test_id("stExpandSidebarButton").tap()
    field.fill("the dog")
    link = sidebar.get_by_role("link", name="Softmax weights")
    link.scroll_into_view_if_needed()
    slow_tap(phone, link)
    phone.arrived("softmax").come_to_rest()
    assert phone.parameters["text"] == ["the dog"]
    expect(sidebar).to_have_attribute("data-collapsed", "true")


def test_the_menu_has_all_pages_and_closes_when_one_is_chosen(phone):
    phone.open("scaled_scores")
    top = phone.title.bounding_box()["y"]
    phone.page.get_by_test_id("stExpandSidebarButton").tap()
    sidebar = phone.page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    expect(phone.page.get_by_test_id("stExpandSidebarButton")).to_be_hidden()
    assert phone.title.bounding_box()["y"] == top, "the page stays where it is behind the menu"
    links = sidebar.get_by_test_id("stSidebarNavLink")
    expect(links).to_have_count(len(PAGES))
    last = sidebar.get_by_role("link", name="Results")
    last.scroll_into_view_if_needed()
    last.tap()
    phone.arrived("results")
    expect(sidebar).to_have_attribute("data-collapsed", "true")


def test_a_page_begins_at_its_top_and_back_returns_to_where_it_was_left(phone):
    phone.open("map")
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    card = phone.page.locator(".ew-diagram a[href*='/full_stack']").last
    card.scroll_into_view_if_needed()
    left = phone.page.evaluate(top)
    assert left > 1000
    card.tap()
    phone.arrived("full_stack").come_to_rest()
    assert phone.page.evaluate(top) == 0
    phone.page.go_back()
    phone.arrived("map", has_plots=False)
    phone.page.wait_for_function(f"left => Math.abs({top} - left) < 2", arg=left)
    phone.page.go_forward()
    phone.arrived("full_stack").come_to_rest()
    assert phone.page.evaluate(top) == 0


def test_back_after_a_jump_to_a_heading_returns_to_where_the_page_was_left(phone):
    phone.open("guide").come_to_rest()
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    last = phone.page.locator(".stMarkdown td a[href^='#step-']").last
    last.scroll_into_view_if_needed()
    left = phone.page.evaluate(top)
    last.tap()
    phone.page.wait_for_function(f"left => {top} > left + 1000", arg=left)
    there = phone.page.evaluate(top)
    for move, place in ((phone.page.go_back, left), (phone.page.go_forward, there), (phone.page.go_back, left)):
        move()
        phone.page.wait_for_function(f"place => Math.abs({top} - place) < 2", arg=place)


@pytest.mark.parametrize("name", ["scaled_scores", "start"])
def test_what_a_finger_taps_is_at_least_40_pixels_high(phone, name):
    phone.open(name)
    assert phone.page.evaluate(_TOO_SMALL.replace("SKIPPED", f"'{_SKIPPED}'")) == []


@pytest.mark.parametrize(
    ("name", "label", "value", "choice"),
    [
        ("feed_forward", "Neuron", "9", "neuron=9"),
        ("scaled_scores", "Set the score of this pair to", "5", "edits=score"),
    ],
)
def test_a_number_counts_that_is_typed_before_a_tap_on_a_link(phone, name, label, value, choice):
    phone.open(name)
    field = phone.page.get_by_role("spinbutton", name=label).first
    field.tap()
    field.fill(value)
    link = phone.page.locator(".st-key-onwards a")
    link.scroll_into_view_if_needed()
    slow_tap(phone, link)
    phone.page.wait_for_url(lambda url: f"/{name}" not in url and choice in url)  # a run for each of them
    expect(phone.page.locator("h1")).to_be_visible()
    phone.settle()
    assert choice in phone.page.url


# Whether a tap 16 pixels above and below the middle of an element still reaches it, or one beside it.
_IS_REACHED = """part => {
    part.scrollIntoView({ block: "center" });
    const { left, top, width, height } = part.getBoundingClientRect();
    const reached = [-16, 16].map(by => document.elementFromPoint(left + width / 2, top + height / 2 + by));
    return reached.includes(part) && reached.every(other => other.tagName === part.tagName);
}"""


@pytest.mark.parametrize(
    ("name", "target"), [("softmax", ".stMarkdown a.ew-defined"), ("guide", ".stMarkdown td a"),
                         ("training", ":has(> [data-testid=stSliderThumbValue])")]
)  # fmt: skip
def test_a_finger_reaches_what_is_lower_than_it(phone, name, target):
    phone.open(name)
    assert phone.page.locator(target).first.evaluate(_IS_REACHED)


def test_lists_and_switchers_are_44_pixels_high(phone):
    phone.open("softmax")
    targets = phone.page.locator(".stMain .react-aria-ComboBox > [role=group], .ew-switcher button")
    heights = targets.evaluate_all("parts => parts.map(part => part.offsetHeight).filter(Boolean)")
    assert len(heights) > 4
    assert min(heights) >= 44
