"""The links to the pages before and after a page stand below its figures, or at the bottom of the window.

They are there when the page is: before, they would stand in its place, and jump below it.
"""

from tests.browser.conftest import WIDE

# While the next page is on its way, only its title stands above them.
_WITHOUT_BODY = """() => {
    const line = document.querySelector(".st-key-back-and-on");
    const body = document.querySelector(".ew-plot").closest(".stMainBlockContainer > * > *");
    body.style.display = "none";
    const { top, bottom } = line.getBoundingClientRect();
    body.style.display = "";
    return [top, bottom];
}"""


def test_without_the_body_of_a_page_they_stay_at_the_bottom_of_the_window(screen):
    screen.open("softmax")
    top, bottom = screen.page.evaluate(_WITHOUT_BODY)
    assert top > 0.85 * WIDE["height"]
    assert bottom <= WIDE["height"]


# The heights of the end of the page whenever the page is not complete: its last element writes the address.
_WATCH_END = """() => {
    window.early = [];
    const look = () => {
        const end = document.querySelector(".st-key-ending");
        if (end && !document.querySelector(".st-key-address")) window.early.push(end.offsetHeight);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""


def test_they_appear_after_the_last_element_of_the_page(screen):
    screen.open("softmax")
    screen.page.evaluate(_WATCH_END)
    for name in ("weighted_values", "scaled_scores"):
        screen.go(name)
        assert screen.page.locator(".st-key-ending").bounding_box()["height"] > 80
    assert screen.page.evaluate("window.early") == []
