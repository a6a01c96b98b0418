"""Lines that are wider than the screen of a phone are scrolled to what is chosen in them."""

from playwright.sync_api import expect

_LINE = """() => {
    document.body.innerHTML = '<div class="st-key-focus" style="width: 350px"></div><p style="height: 3000px"></p>';
}"""
# As Streamlit's twelve options, the last one of them chosen.
_OPTIONS = """() => {
    const option = number => `<button role="radio" style="flex: none; width: 30px"
        ${number == 11 ? "data-selected" : ""}>${number}</button>`;
    document.querySelector(".st-key-focus").innerHTML = `<div role="radiogroup" style="display: flex; overflow-x: auto">
        ${[...Array(12).keys()].map(option).join("")}</div>`;
}"""


def test_a_picker_that_becomes_narrow_shows_the_chosen_option(scripts):
    """On a phone, the pickers of a page can come one after another: of 12 heads, the chosen one was out of sight."""
    page = scripts.page
    page.evaluate(_LINE)
    scripts.call("shared/scrolled_lines.js", "scrollPickersToChosen")
    page.evaluate(_OPTIONS)  # when their script has loaded
    chosen = page.get_by_role("radio", name="11", exact=True)
    expect(chosen).to_be_in_viewport(ratio=1)
    for width in (110, 200, 50):
        page.locator(".st-key-focus").evaluate("(focus, width) => focus.style.width = `${width}px`", width)
        expect(chosen).to_be_in_viewport(ratio=1)
    assert page.evaluate("window.scrollY") == 0


def test_a_picker_that_was_scrolled_by_hand_stays_as_it_is(scripts):
    page = scripts.page
    page.evaluate(_LINE)
    page.evaluate(_OPTIONS)
    page.locator(".st-key-focus").evaluate("focus => focus.style.width = '110px'")
    scripts.call("shared/scrolled_lines.js", "scrollPickersToChosen")
    picker = page.get_by_role("radiogroup")
    page.wait_for_function("() => document.querySelector('[role=radiogroup]').scrollLeft > 0")
    picker.evaluate("picker => picker.scrollLeft = 0")
    scripts.call("shared/scrolled_lines.js", "scrollPickersToChosen")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
    assert picker.evaluate("picker => picker.scrollLeft") == 0
