"""On a page that is no stage, the top bar marks the menu that the page is in."""

import pytest

_MARKED = """() => [...document.querySelectorAll("[data-testid=stTopNavSection]")]
    .filter(menu => getComputedStyle(menu).backgroundColor !== "rgba(0, 0, 0, 0)").map(menu => menu.innerText.trim())"""


@pytest.mark.parametrize(
    ("name", "marked"), [("training", ["Lab"]), ("recipes", ["Lab"]), ("results", ["Workshop"]), ("softmax", [])]
)
def test_the_menu_of_the_page_is_marked(screen, name, marked):
    screen.open(name)
    screen.page.mouse.move(700, 700)
    assert screen.page.evaluate(_MARKED) == marked
