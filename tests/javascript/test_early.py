"""Figures from a websocket of their own are shown together, or without the others if those take long."""

import pytest

from tests.javascript.conftest import still_page

_FOLLOW = """async keys => {
    const { followFigure } = await import("/plot/drawing/early.js");
    window.shown = [];
    window.sockets = [];
    window.followFigure = followFigure;
    window.WebSocket = class { constructor() { window.sockets.push(this); } close() {} };
    const show = figure => window.shown.push(figure);
    for (const key of keys) followFigure({ key, channel: "a-token", revision: 1, figure: `${key} 1` }, show, () => {});
}"""
_ARRIVE = "batch => window.sockets[0].onmessage({ data: JSON.stringify(batch) })"


@pytest.fixture
def page(browser, origin):
    """A tab with two plots, whose clock stands still."""
    with still_page(browser, origin) as page:
        page.evaluate(_FOLLOW, ["upper", "lower"])
        assert page.evaluate("window.shown.splice(0)") == ["upper 1", "lower 1"]  # with Streamlit's message
        yield page


def shown_after(page, figures, is_last, milliseconds=0):
    """The figures that are shown when a batch arrives, and within a time."""
    batch = [{"key": key, "revision": revision, "figure": f"{key} {revision}"} for key, revision in figures]
    page.evaluate(_ARRIVE, {"figures": batch, "isLast": is_last})
    page.clock.run_for(milliseconds)
    return page.evaluate("window.shown.splice(0)")


def test_figures_of_a_run_are_shown_together_when_it_has_no_more(page):
    assert shown_after(page, [("upper", 2)], is_last=False) == []
    assert shown_after(page, [("lower", 3)], is_last=False) == []
    assert shown_after(page, [], is_last=True) == ["upper 2", "lower 3"]
    assert shown_after(page, [("lower", 4)], is_last=True) == ["lower 4"]
    page.clock.run_for(1000)
    assert page.evaluate("window.shown") == []  # not once more


def test_a_figure_does_not_wait_long_for_the_others(page):
    assert shown_after(page, [("upper", 2)], is_last=False, milliseconds=40) == []
    assert shown_after(page, [], is_last=False, milliseconds=20) == ["upper 2"]
    assert shown_after(page, [("lower", 3)], is_last=True) == ["lower 3"]


def test_only_the_newest_figure_of_a_plot_is_shown(page):
    assert shown_after(page, [("upper", 2), ("upper", 4), ("upper", 3), ("absent", 5)], is_last=True) == ["upper 4"]


def test_a_figure_of_the_session_before_is_not_shown(page):
    """The server has another session for this tab: the figures that it had are not those of this session."""
    assert shown_after(page, [("upper", 2)], is_last=False) == []
    following = {"key": "lower", "channel": "another-token", "revision": 1, "figure": "lower of another session"}
    page.evaluate("numbered => followFigure(numbered, figure => window.shown.push(figure), () => {})", following)
    page.clock.run_for(1000)
    assert page.evaluate("window.shown") == ["lower of another session"]
