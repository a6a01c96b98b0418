"""Answers that the browser keeps."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE
from tests.browser.screen import Screen


@pytest.fixture
def open_tab(browser, server):
    """A function that opens a tab of a new browser, which keeps answers. Nothing may go wrong in one of them."""
    context, tabs = browser.new_context(viewport=WIDE, color_scheme="light"), []

    def open_tab():
        tabs.append(Screen(context, server, keeps_answers=True))
        return tabs[-1]

    yield open_tab
    context.close()
    assert [tab.faults for tab in tabs if tab.faults] == []


def test_an_answer_is_there_after_a_reload_and_in_another_tab_until_it_is_cleared(open_tab):
    screen = open_tab().open("qkv")
    options = screen.page.get_by_role("radiogroup", name="Your answer").get_by_role("radio")
    with screen.rerun():
        options.nth(1).check(force=True)
    screen.page.reload()
    screen.arrived("qkv")
    expect(options.nth(1)).to_be_checked()

    results = open_tab().open("results")
    expect(results.page.get_by_text("You answered")).to_be_visible()
    with results.rerun():
        results.page.get_by_role("button", name="Clear all answers").click()
    expect(results.page.get_by_text("There are no answers yet")).to_be_visible()
    screen.page.reload()
    screen.arrived("qkv").come_to_rest()
    expect(options).not_to_have_count(0)
    assert not any(option.is_checked() for option in options.all())
