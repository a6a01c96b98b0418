"""In the first run, messages after the first component wait until it is on the page, but not for ever."""

import pytest

from tests.javascript.conftest import still_page
from tests.servers import ROOT

_SCRIPT = (ROOT / "dashboard/components/shared/first_component.js").read_text(encoding="utf-8")

# A websocket that gets what a test sends, and a listener and a handler as an application adds them.
_CONNECT = """([script, url]) => {
    window.WebSocket = window.Native = class extends EventTarget { constructor(url) { super(); this.url = url; } };
    const element = document.createElement("script");
    element.textContent = script;
    document.head.append(element);
    const socket = window.socket = new WebSocket(url);
    window.received = [];
    socket.addEventListener("message", ({ data }) => window.received.push(new TextDecoder().decode(data)));
}"""
_SEND = """texts => texts.forEach(text =>
    window.socket.dispatchEvent(new MessageEvent("message", { data: new TextEncoder().encode(text).buffer })))"""
_MOUNT = """() => {
    const component = document.createElement("div");
    component.dataset.testid = "stBidiComponentRegular";
    document.body.append(component);
}"""
FIRST = "an element of the kind encoder_walkthrough.term_tips"
STREAM = "ws://app.example/below/a/path/_stcore/stream"


@pytest.fixture
def page(browser, origin):
    """A tab whose clock stands still, and which has connected to Streamlit."""
    with still_page(browser, origin) as page:
        page.evaluate(_CONNECT, [_SCRIPT, STREAM])
        yield page


def received(page, *texts):
    """What arrives when these messages are sent."""
    page.evaluate(_SEND, texts)
    return page.evaluate("window.received.splice(0)")


def test_what_follows_the_first_component_waits_until_it_is_on_the_page(page):
    assert received(page, "navigation", FIRST, "a figure", "a table") == ["navigation", FIRST]
    page.evaluate(_MOUNT)
    assert page.evaluate("window.received.splice(0)") == ["a figure", "a table"]
    assert received(page, FIRST, "another figure") == [FIRST, "another figure"], "only once"


def test_it_waits_a_quarter_of_a_second_at_most(page):
    received(page, FIRST, "a figure")
    page.clock.run_for(249)
    assert received(page, "a table") == []
    page.clock.run_for(1)
    assert received(page, "the end") == ["a figure", "a table", "the end"]
    page.evaluate(_MOUNT)
    assert received(page, "the next run") == ["the next run"]


def test_without_a_component_nothing_waits(page):
    assert received(page, "an element", "another") == ["an element", "another"]


def test_other_websockets_are_left_alone(page):
    assert page.evaluate("window.WebSocket === window.Native"), "there is one connection to Streamlit at first"
    page.evaluate(_CONNECT, [_SCRIPT, "ws://app.example/early_figures/a-token"])
    assert received(page, FIRST, "a figure") == [FIRST, "a figure"]
    assert not page.evaluate("window.WebSocket === window.Native")
