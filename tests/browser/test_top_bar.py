"""On a page that is no stage, the top bar marks the menu that the page is in; on a stage, the rail marks the stage."""

import pytest
from playwright.sync_api import expect

_MARKED = """() => [...document.querySelectorAll("[data-testid=stTopNavSection]")]
    .filter(menu => getComputedStyle(menu).backgroundColor !== "rgba(0, 0, 0, 0)").map(menu => menu.innerText.trim())"""


@pytest.mark.parametrize(
    ("name", "marked"), [("training", ["Lab"]), ("recipes", ["Lab"]), ("results", ["Workshop"]), ("softmax", [])]
)
def test_the_menu_of_the_page_is_marked(screen, name, marked):
    screen.open(name)
    screen.page.mouse.move(700, 700)
    assert screen.page.evaluate(_MARKED) == marked
    expect(screen.page.locator(".st-key-rail [aria-current=page]")).to_have_text(
        ["5\u2002Softmax"] if name == "softmax" else []
    )
