"""The links to the pages before and after a page stand below its figures, or at the bottom of the window."""

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
