"""The real app in a real browser: one tab for all tests."""

import pytest
from playwright.sync_api import expect

from benchmarks.visit import PLOT
from tests.browser.screen import TIMEOUT, Screen

expect.set_options(timeout=TIMEOUT)
WIDE = {"width": 1440, "height": 900}
TABLET = {"width": 1024, "height": 768}
PROJECTOR = {"width": 1280, "height": 720}  # 1920 x 1080 at 150%
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def tab(browser, server):
    """One tab that all tests use one after another; every link opened in it is a new session of the app."""
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    screen = Screen(context, server)
    screen.appear("light")
    screen.page.set_default_timeout(120_000)  # the first visit of all compiles
    for link in ("?encoder=minilm", ""):
        screen.page.goto(f"{server}/map{link}")
        screen.page.wait_for_selector(PLOT)
    screen.page.set_default_timeout(TIMEOUT)
    yield screen
    context.close()


@pytest.fixture
def screen(tab, log):
    """The tab, wide and light again. The test fails where the browser complains, or the server raises."""
    tab.page.set_viewport_size(WIDE)
    tab.appear("light")
    tab.faults.clear()
    before = log.stat().st_size
    yield tab
    assert tab.faults == []
    lines = log.read_bytes()[before:].decode()
    assert "Traceback" not in lines, lines
