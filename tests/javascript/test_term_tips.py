"""The box with the definition of a term: mouse, tap, keyboard, and its place."""

import pytest

_MOUNT = """async definition => {
    document.body.innerHTML =
        "<p>a <span class='ew-defined' role='button' tabindex='0'>term</span></p><button>b</button>";
    document.querySelector(".ew-defined").setAttribute("aria-description", definition);
    (await import("/term_tips/term_tips.js")).default({});
}"""


@pytest.fixture
def page(scripts):
    scripts.page.evaluate(_MOUNT, "A <b>definition</b>.")
    return scripts.page


def shown(page):
    """The text of the box, or None if it is hidden."""
    box = page.locator(".ew-definition")
    return box.text_content() if box.count() and box.is_visible() else None


def test_box_follows_the_mouse(page):
    page.hover(".ew-defined")
    page.wait_for_selector(".ew-definition", state="visible")
    assert shown(page) == "A <b>definition</b>."  # as text
    page.hover("button")
    page.wait_for_selector(".ew-definition", state="hidden")


def test_box_follows_the_focus_and_escape_hides_it(page):
    page.keyboard.press("Tab")
    assert shown(page) == "A <b>definition</b>."
    page.keyboard.press("Escape")
    assert shown(page) is None
    page.keyboard.press("Enter")
    assert shown(page)
    page.keyboard.press("Tab")
    assert shown(page) is None


def test_a_tap_shows_the_box_until_the_next_one(page):
    page.evaluate("document.querySelector('.ew-defined').click()")
    assert shown(page)
    page.evaluate("document.querySelector('button').click()")
    assert shown(page) is None


@pytest.mark.parametrize(
    ("term", "place"),
    [
        ((100, 50, 70), (100, 76)),  # below
        ((350, 50, 70), (192, 76)),  # not beyond the right edge: 400 - 200 - 8
        ((-20, 50, 70), (8, 76)),
        ((100, 560, 580), (100, 454)),  # above: 560 - 6 - 100
    ],
)
def test_box_stays_in_the_window(scripts, term, place):
    left, top, bottom = term
    found = scripts.call("term_tips/term_tips.js", "placeTip", {"left": left, "top": top, "bottom": bottom},
                         {"width": 200, "height": 100}, {"width": 400, "height": 600})  # fmt: skip
    assert (found["left"], found["top"]) == place
