"""Figures arrive on a websocket of their own; whatever happens to it, the page shows the right ones."""

import json

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import WIDE
from tests.browser.engine import scaled_scores, trace_of
from tests.browser.screen import new_tab

CHANNEL = "**/early_figures/*"
_NOTE_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
    constructor(...values) {
        super(...values);
        window.sockets.push(this);
    }
};
"""
_IS_OPEN = "() => window.sockets.some(({ url, readyState }) => url.includes('/early_figures/') && readyState === 1)"


@pytest.fixture(scope="module")
def context(browser):
    """One for all tabs of this file: in another one, a tab would load and compile all scripts again."""
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    yield context
    context.close()


@pytest.fixture
def tab_of_its_own(context, server):
    """A tab, of which nothing is on screen yet."""
    with new_tab(context, server) as screen:
        screen.page.add_init_script(_NOTE_SOCKETS)
        yield screen


def shows_each_step(screen, *sizes):
    """Press the slider d_model; after each step, the page shows the scores at its size."""
    for size in sizes:
        assert screen.press("d_model", "ArrowRight") == size
        screen.shows(*scaled_scores(trace_of(d_model=size), 1, 1))


def figures_in(messages):
    """The figures of some messages of the websocket."""
    return [figure for message in messages for figure in json.loads(message)["figures"]]


def test_a_figure_arrives_once_on_its_own_websocket_and_not_again_with_a_change_beside_it(tab_of_its_own):
    screen, arrived = tab_of_its_own, []

    def listen(socket):
        kind = "figure" if "/early_figures/" in socket.url else "streamlit"
        socket.on("framereceived", lambda payload: arrived.append((kind, payload)))

    screen.page.on("websocket", listen)
    screen.open("scaled_scores", d_model=32)
    screen.page.wait_for_function(_IS_OPEN)  # until then, figures arrive with the page
    arrived.clear()
    shows_each_step(screen, 36)
    (figure,) = figures_in(payload for kind, payload in arrived if kind == "figure")
    assert figure["key"] == "scores_plot"
    plots = [
        json.loads(delta.new_element.bidi_component.json)
        for kind, payload in arrived
        if kind == "streamlit" and (delta := ForwardMsg.FromString(payload).delta)
        and delta.new_element.bidi_component.component_name.endswith(".plot")
    ]  # fmt: skip
    assert [(plot["figure"], plot["revision"]) for plot in plots] == [(None, figure["revision"])]
    arrived.clear()
    with screen.rerun():
        screen.page.get_by_role("tab", name="Code").click()
    assert [kind for kind, _ in arrived if kind == "figure"] == []
    screen.shows(*scaled_scores(trace_of(d_model=36), 1, 1))


def test_where_the_websocket_does_not_open_figures_arrive_with_the_page(tab_of_its_own):
    screen = tab_of_its_own
    screen.page.route_web_socket(CHANNEL, lambda socket: socket.close(code=1008))
    screen.open("scaled_scores", d_model=32)
    shows_each_step(screen, 36, 40, 44, 48, 52)


def test_a_websocket_that_closes_is_opened_again(tab_of_its_own):
    screen, opened = tab_of_its_own, []

    def pass_one_figure(socket):
        server, seen = socket.connect_to_server(), []
        opened.append(socket)

        def arrive(message):
            seen.append(message)
            socket.send(message)
            if len(seen) == 1:
                socket.close()

        server.on_message(arrive)

    screen.page.route_web_socket(CHANNEL, pass_one_figure)
    screen.open("scaled_scores", d_model=32)
    shows_each_step(screen, 36, 40, 44, 48)
    assert len(opened) > 1


def test_a_figure_that_never_arrives_is_asked_for(tab_of_its_own):
    screen, lost = tab_of_its_own, []

    def lose_all(socket):
        socket.connect_to_server().on_message(lambda message: lost.append(message))

    screen.page.route_web_socket(CHANNEL, lose_all)
    screen.open("scaled_scores", d_model=32)
    screen.page.wait_for_function(_IS_OPEN)
    screen.slider("d_model").press("ArrowRight")
    screen.shows(*scaled_scores(trace_of(d_model=36), 1, 1))
    assert len(figures_in(lost)) == 1


def test_figures_of_two_tabs_do_not_mix(tab_of_its_own, screen):
    for other, size in ((tab_of_its_own, 32), (screen, 64)):
        other.open("scaled_scores", d_model=size)
    shows_each_step(screen, 68)
    shows_each_step(tab_of_its_own, 36)
    screen.shows(*scaled_scores(trace_of(d_model=68), 1, 1))


def test_a_figure_is_there_when_its_page_is_opened_again(screen):
    screen.open("scaled_scores", d_model=32)
    shows_each_step(screen, 36)
    screen.go("softmax")
    screen.go("scaled_scores")
    screen.shows(*scaled_scores(trace_of(d_model=36), 1, 1))
    shows_each_step(screen, 40)
