"""A page whose style sheets arrive after its scripts, or not at all."""

import pytest

from benchmarks.chromium import CALM
from tests.browser.screen import new_tab

_FITS = """() => [...document.querySelectorAll(".ew-chart")].map(
    plot => plot.clientWidth > 0 && plot._fullLayout?.width === plot.clientWidth)"""


@pytest.fixture
def screen(tab):
    """A tab that asks for the style sheets again: what a test holds back comes from no cache."""
    with new_tab(tab.page.context, tab.url) as screen:
        yield screen


def test_figures_wait_for_their_style_and_fit_their_panels(screen):
    held = []
    screen.page.route("**/app/static/*.css", lambda route: held.append(route))
    screen.follow("/softmax")
    screen.page.wait_for_selector(".ew-plot", state="attached")
    screen.page.wait_for_function(CALM)
    screen.page.wait_for_timeout(500)  # scripts and figures have arrived
    assert held
    for route in held:
        route.continue_()
    screen.page.unroute("**/app/static/*.css")
    screen.arrived("softmax")
    assert screen.page.evaluate(_FITS) == [True] * 6


def test_figures_are_drawn_without_a_style_that_does_not_load(screen):
    screen.page.route("**/app/static/plot-*.css", lambda route: route.abort())
    screen.follow("/softmax")
    screen.arrived("softmax")
    assert screen.page.locator(".ew-chart .main-svg").count() >= 6
    assert screen.faults
    assert all("ERR_FAILED" in fault for fault in screen.faults), screen.faults
    screen.faults.clear()
