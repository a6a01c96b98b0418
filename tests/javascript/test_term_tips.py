"""Links to terms become buttons; the box with the definition: mouse, tap, keyboard, and its place."""

import pytest

DEFINITIONS = {"#term-term": "A <b>definition</b>.", "#term-layer%20norm": "Another one."}
_MOUNT = """async data => {
    document.body.innerHTML = "<p>a <a href='#term-term'>term</a></p><button>b</button>";
    (await import("/term_tips/term_tips.js")).default({ data });
}"""
_SET_LINK = "(link, href) => link.setAttribute('href', href)"  # as React does where the text changes
_ATTRIBUTES = "link => Object.fromEntries([...link.attributes].map(({ name, value }) => [name, value]))"


def button(definition):
    """The attributes of a link to a term."""
    return {"class": "ew-defined", "role": "button", "tabindex": "0", "aria-description": definition}


@pytest.fixture
def page(scripts):
    scripts.page.evaluate(_MOUNT, DEFINITIONS)
    return scripts.page


@pytest.fixture
def term(page):
    """The link to a term, as an element."""
    return page.query_selector("a")


def shown_definition(page):
    """The text of the box, or None if it is hidden."""
    box = page.locator(".ew-definition")
    return box.text_content() if box.count() and box.is_visible() else None


def test_a_link_to_a_term_is_a_button_without_an_address(term):
    assert term.evaluate(_ATTRIBUTES) == button("A <b>definition</b>.")


def test_a_link_that_appears_later_is_a_button(page):
    page.evaluate("""document.querySelector("p").insertAdjacentHTML(
        "beforeend", "<b><a href='#term-layer%20norm'>norm</a></b>")""")
    assert page.query_selector("b a").evaluate(_ATTRIBUTES) == button("Another one.")


def test_an_element_that_becomes_another_link_is_what_it_then_links_to(term):
    term.evaluate(_SET_LINK, "#term-layer%20norm")
    assert term.evaluate(_ATTRIBUTES) == button("Another one.")
    term.evaluate(_SET_LINK, "https://example.org/")
    assert term.evaluate(_ATTRIBUTES) == {"class": "", "href": "https://example.org/"}
    term.evaluate(_SET_LINK, "#term-term")
    assert term.evaluate(_ATTRIBUTES) == button("A <b>definition</b>.")


def test_other_links_stay(page):
    for link in ("#term-unknown", "#part", "https://example.org/#term-term"):
        page.evaluate("link => document.body.append(Object.assign(document.createElement('a'), { href: link }))", link)
        assert page.query_selector("body > a:last-child").evaluate(_ATTRIBUTES) == {"href": link}


def test_box_follows_the_mouse(page):
    page.hover(".ew-defined")
    page.wait_for_selector(".ew-definition", state="visible")
    assert shown_definition(page) == "A <b>definition</b>."  # as text
    page.hover("button")
    page.wait_for_selector(".ew-definition", state="hidden")


def test_box_follows_the_focus_and_escape_hides_it(page):
    page.keyboard.press("Tab")
    assert shown_definition(page) == "A <b>definition</b>."
    page.keyboard.press("Escape")
    assert shown_definition(page) is None
    page.keyboard.press("Enter")
    assert shown_definition(page)
    page.keyboard.press("Tab")
    assert shown_definition(page) is None


def test_a_tap_shows_the_box_until_the_next_one(page):
    page.evaluate("document.querySelector('.ew-defined').click()")
    assert shown_definition(page)
    page.evaluate("document.querySelector('button').click()")
    assert shown_definition(page) is None


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
    box = scripts.call("term_tips/term_tips.js", "placeTip", {"left": left, "top": top, "bottom": bottom},
                         {"width": 200, "height": 100}, {"width": 400, "height": 600})  # fmt: skip
    assert (box["left"], box["top"]) == place
