"""A page whose style sheets arrive after its scripts, or not at all."""

import pytest

from tests.browser.conftest import WIDE
from tests.browser.screen import Screen

_FITS = """() => [...document.querySelectorAll(".ew-chart")].map(
    plot => plot.clientWidth > 0 && plot._fullLayout?.width === plot.clientWidth)"""


@pytest.fixture
def visitor(browser, server):
    """A tab of a new visitor, who has nothing of the app."""
    context = browser.new_context(viewport=WIDE)
    yield Screen(context, server)
    context.close()


def test_figures_wait_for_their_style_and_fit_their_panels(visitor):
    held = []
    visitor.page.route("**/app/static/*.css", lambda route: held.append(route))
    visitor.follow("/softmax")
    visitor.page.wait_for_selector(".ew-plot", state="attached")
    visitor.page.wait_for_timeout(3000)  # scripts and figures have arrived
    assert held
    for route in held:
        route.continue_()
    visitor.page.unroute("**/app/static/*.css")
    visitor.arrived("softmax")
    assert visitor.page.evaluate(_FITS) == [True] * 6
    assert visitor.faults == []


def test_figures_are_drawn_without_a_style_that_does_not_load(visitor):
    visitor.page.route("**/app/static/plot-*.css", lambda route: route.abort())
    visitor.follow("/softmax")
    visitor.arrived("softmax")
    assert visitor.page.locator(".ew-chart .main-svg").count() >= 6
