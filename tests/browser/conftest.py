"""The real app in a real browser: one tab for all tests."""

import pytest
from playwright.sync_api import expect

from benchmarks.visit import PLOT
from tests.browser.screen import TIMEOUT, Screen, visitor

expect.set_options(timeout=TIMEOUT)
WIDE = {"width": 1440, "height": 900}
TABLET = {"width": 1024, "height": 768}
PROJECTOR = {"width": 1280, "height": 720}  # 1920 x 1080 at 150%
PHONE = {"width": 390, "height": 844}
_AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"


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


@pytest.fixture(scope="session")
def _other_tab(browser, server):
    with visitor(browser, server, viewport=WIDE, color_scheme="light") as screen:
        yield screen


@pytest.fixture
def stranger(_other_tab):
    """The tab of another browser, which knows nothing of the first one but what a link says."""
    _other_tab.page.goto("about:blank")
    yield _other_tab
    assert _other_tab.new_faults() == []


@pytest.fixture(scope="session")
def _phone_tab(browser, server, tab):
    """(`tab` has warmed up.)"""
    with visitor(browser, server, viewport=PHONE, has_touch=True, is_mobile=True, user_agent=_AGENT) as screen:
        yield screen


@pytest.fixture
def phone(_phone_tab):
    """The tab of a phone that is touched. The test fails where the browser complains."""
    yield _phone_tab
    assert _phone_tab.new_faults() == []


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
