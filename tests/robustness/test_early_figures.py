"""Figures leave before Streamlit's messages of the same run, and with them where there is no channel."""

import asyncio
import json
import time
from itertools import count

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.client import ClientSession
from benchmarks.client.connection import Connection, ConnectionLost
from benchmarks.client.session import TIMEOUT
from dashboard.server import MIDDLEWARE
from dashboard.serving.early_figures import channel as channels
from dashboard.serving.early_figures.channel import Channel
from dashboard.serving.early_figures.channels import CHANNELS, Channels, current_channel
from dashboard.serving.early_figures.held_messages import HeldMessages
from dashboard.serving.early_figures.middleware import EarlyFigures
from dashboard.serving.limits.gate import Gate
from tests.robustness.coroutines import run

FIGURE, OTHER = {"panels": ["a"]}, {"panels": ["b"]}


def message(key, revision, figure):
    """A figure as the browser gets it."""
    return {"key": key, "revision": revision, "figure": figure}


def test_without_a_connection_a_figure_is_part_of_streamlits_message():
    channel = Channel()
    assert [channel.send("plot", FIGURE) for _ in range(2)] == [(channel.token, n, FIGURE) for n in (1, 2)]


def test_with_a_connection_it_is_sent_once_and_streamlits_message_names_its_revision():
    async def send():
        channel = Channel()
        connection = channel.connect()
        assert channel.send("plot", FIGURE) == (channel.token, 1, None)
        assert channel.send("plot", FIGURE) == (channel.token, 1, None)  # nothing has changed
        assert channel.send("below", FIGURE) == (channel.token, 2, None)
        await asyncio.sleep(0)
        batch = await connection.next_batch()
        assert [json.loads(text) for text in batch.figures] == [
            message("plot", 1, FIGURE),
            message("below", 2, FIGURE),
        ]
        assert not batch.is_last
        assert channel.send("plot", OTHER).revision == 3
        assert channel.send("plot", FIGURE).revision == 4  # the one before has not been sent and never will be
        channel.end_run()
        await asyncio.sleep(0)
        batch = await connection.next_batch()
        assert ([json.loads(text) for text in batch.figures], batch.is_last) == ([message("plot", 4, FIGURE)], True)

    run(send())


def test_a_new_connection_takes_the_place_of_the_one_before_and_gets_all_figures():
    async def reconnect():
        channel = Channel()
        first = channel.connect()
        channel.send("plot", FIGURE)
        second = channel.connect()
        assert channel.send("plot", FIGURE) == (channel.token, 2, None)
        channel.disconnect(first)  # too late: it is not the present one any more
        await asyncio.sleep(0)
        assert await first.next_batch() is None
        assert len((await second.next_batch()).figures) == 1
        channel.disconnect()
        assert channel.send("plot", FIGURE).figure == FIGURE
        await asyncio.sleep(0)
        assert await second.next_batch() is None

    run(reconnect())


def test_a_script_may_end_after_the_server():
    async def connect(channel):
        channel.connect()

    channel = Channel()
    run(connect(channel))
    assert channel.send("plot", FIGURE).figure is None
    channel.end_run()
    channel.disconnect()


def test_a_script_goes_on_when_its_figures_have_gone(monkeypatch):
    monkeypatch.setattr(channels, "HAND_OVER", 10.0)

    async def send():
        channel, events = Channel(), []
        connection = channel.connect()

        def script():
            channel.send("plot", FIGURE)
            channel.end_run()
            events.append("goes on")
            channel.end_run()  # without another figure, nothing is waited for
            channel.send("plot", FIGURE)  # the tab has it
            channel.end_run()

        running = asyncio.create_task(asyncio.to_thread(script))
        while not (await connection.next_batch()).is_last:
            pass
        await asyncio.sleep(0.01)
        events.append("gone")
        channel.release()
        await asyncio.wait_for(running, 5)
        assert events == ["gone", "goes on"]

    run(send())


def test_a_script_does_not_wait_long_for_a_tab_that_takes_nothing(monkeypatch):
    assert channels.HAND_OVER <= 0.2  # seconds of each run
    monkeypatch.setattr(channels, "HAND_OVER", 0.01)

    async def send():
        channel = Channel()
        channel.connect()
        channel.send("plot", FIGURE)
        await asyncio.wait_for(asyncio.to_thread(channel.end_run), 5)

    run(send())


def test_channels_are_found_by_session_and_by_token():
    known = Channels()
    channel = known.of_session("a")
    assert known.of_session("a") is channel
    assert known.of_session("b").token != channel.token
    assert known.with_token(channel.token) is channel
    assert known.with_token("") is known.with_token(channel.token + "x") is None


def test_without_a_server_that_serves_them_there_are_no_channels(monkeypatch):
    monkeypatch.setattr(CHANNELS, "is_served", True)
    assert current_channel() is None  # no script runs


def asks_for(page):
    """A message of the browser that asks for a run of a page."""
    asked = BackMsg()
    asked.rerun_script.page_script_hash = page
    return {"type": "websocket.receive", "bytes": asked.SerializeToString()}


HEARTBEAT = {"type": "websocket.receive", "bytes": BackMsg(app_heartbeat=True).SerializeToString()}
NEITHER = {"type": "websocket.receive", "bytes": b"\xff\xfe"}


class Tab:
    """Both websockets of a session: what is sent to its browser, in this order."""

    def __init__(self, session):
        self.sent = []
        self.session = session
        self._asked = asyncio.Queue()
        self._texts = asyncio.Queue()
        self._app = EarlyFigures(HeldMessages(self._streamlit))
        self.channel = CHANNELS.of_session(session)
        self.tasks = [asyncio.create_task(self._app({"type": "websocket", "path": "/_stcore/stream"},
                                                    self._asked.get, self._heard))]  # fmt: skip

    async def open_channel(self, token=None):
        """Open the second websocket."""
        scope = {"type": "websocket", "path": f"/early_figures/{token or self.channel.token}"}
        self.browser = asyncio.Queue()  # what the browser says there
        await self.browser.put({"type": "websocket.connect"})
        self.tasks.append(asyncio.create_task(self._app(scope, self.browser.get, self._drawn)))
        await self.pause()

    async def ask(self, message):
        """The browser sends Streamlit a message."""
        await self._asked.put(message)
        await self.pause()

    async def answer(self, text):
        """Streamlit sends a message."""
        await self._texts.put(text)
        await self.pause()

    async def close_channel(self):
        """The browser closes the second websocket."""
        await self.browser.put({"type": "websocket.disconnect", "code": 1000})
        await self.pause()

    async def pause(self):
        """Let everything happen that can."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def _streamlit(self, scope, receive, send):
        hello = ForwardMsg()
        hello.new_session.initialize.session_id = self.session
        await send({"type": "websocket.send", "bytes": hello.SerializeToString()})
        reading = asyncio.create_task(self._read(receive))
        try:
            while True:
                text = await self._texts.get()
                await send({"type": "websocket.send", "bytes": ForwardMsg(ref_hash=text).SerializeToString()})
        finally:
            reading.cancel()

    async def _read(self, receive):
        while True:
            await receive()

    async def _heard(self, message):
        sent = ForwardMsg.FromString(message["bytes"])
        self.sent.append(sent.ref_hash or "hello")

    async def _drawn(self, message):
        kind = message["type"].removeprefix("websocket.")
        if kind != "send":
            self.sent.append(kind)
            return
        batch = json.loads(message["text"])
        self.sent += [f"figure {figure['revision']}" for figure in batch["figures"]] + ["end"] * batch["isLast"]


_number = count()


@pytest.fixture(autouse=True)
def held_long(monkeypatch):
    """However long the machine stands still, messages wait for their figures."""
    monkeypatch.setattr(channels, "HOLD", 3_600.0)


def in_a_tab(act):
    """What the browser of a new tab is sent while `act` happens, after the first two messages."""

    async def visit():
        tab = Tab(f"tab {next(_number)}")
        await tab.pause()
        await tab.open_channel()
        await tab.ask(asks_for("scores"))
        assert tab.sent == ["hello", "accept"]
        await act(tab)
        sent = tab.sent[2:]
        for task in tab.tasks:
            task.cancel()
        await asyncio.gather(*tab.tasks, return_exceptions=True)
        return sent

    return run(visit())


def test_messages_of_a_run_wait_until_its_figures_have_gone():
    async def act(tab):
        await tab.ask(asks_for("scores"))
        await tab.answer("heading")
        tab.channel.send("plot", FIGURE)
        await tab.pause()
        await tab.answer("caption")
        assert tab.sent[2:] == ["figure 1"]
        tab.channel.send("below", FIGURE)
        tab.channel.end_run()
        await tab.pause()
        await tab.answer("arithmetic")

    assert in_a_tab(act) == ["figure 1", "figure 2", "end", "heading", "caption", "arithmetic"]


def test_the_end_of_a_run_is_sent_once_and_only_after_figures():
    async def act(tab):
        tab.channel.end_run()
        await tab.pause()
        tab.channel.send("plot", FIGURE)
        await tab.pause()
        for _ in range(2):  # a page ends its figures, and then its run does
            tab.channel.end_run()
            await tab.pause()

    assert in_a_tab(act) == ["figure 1", "end"]


def test_a_run_without_a_new_figure_waits_for_its_end_only():
    async def act(tab):
        await tab.ask(asks_for("scores"))
        await tab.answer("heading")
        tab.channel.end_run()
        await tab.pause()

    assert in_a_tab(act) == ["heading"]


def test_nothing_waits_longer_than_the_limit(monkeypatch):
    async def act(tab):
        monkeypatch.setattr(channels, "HOLD", 1e-9)
        await tab.ask(asks_for("scores"))
        while tab.sent[2:] != ["heading"]:
            await tab.answer("heading") if not tab.sent[2:] else await asyncio.sleep(0)
        await tab.answer("caption")

    assert in_a_tab(act) == ["heading", "caption"]


@pytest.mark.parametrize("asked", [asks_for("softmax"), HEARTBEAT, NEITHER], ids=["other page", "no run", "no message"])
def test_messages_that_follow_no_change_of_this_page_do_not_wait(asked):
    async def act(tab):
        await tab.ask(asked)
        await tab.answer("heading")

    assert in_a_tab(act) == ["heading"]


def test_without_its_websocket_nothing_waits():
    async def act(tab):
        await tab.close_channel()
        assert tab.channel.send("plot", FIGURE).figure == FIGURE
        await tab.ask(asks_for("scores"))
        await tab.answer("heading")

    assert in_a_tab(act)[-1] == "heading"


def test_a_message_ends_the_websocket_of_figures_and_another_one_replaces_it():
    async def act(tab):
        await tab.open_channel()
        await tab.browser.put({"type": "websocket.receive", "text": "hello"})
        await tab.pause()
        assert tab.channel.send("plot", FIGURE).figure == FIGURE

    assert in_a_tab(act) == ["accept", "close", "close"]


def test_the_gate_limits_what_the_others_read():
    order = [middleware.cls for middleware in MIDDLEWARE]
    assert order.index(EarlyFigures) < order.index(Gate) < order.index(HeldMessages)


def test_an_unknown_token_gets_nothing():
    async def act(tab):
        await tab.open_channel("of somebody else")

    assert in_a_tab(act) == ["accept", "close"]


def figures_of_a_run(connection):
    """What the tab is sent until it hears that there are no more: in one message, or the end in one of its own."""
    figures = []
    while True:
        batch = json.loads(connection.receive(time.monotonic() + TIMEOUT))
        figures += batch["figures"]
        if batch["isLast"]:
            return figures


def test_a_tab_gets_its_figures_on_its_websocket(guarded_server):
    with ClientSession(guarded_server, "/scaled_scores") as visitor:
        (plot,) = visitor.components("plot")
        assert len(plot["figure"]["panels"]) == 5
        figures = Connection(guarded_server, None, path=f"/early_figures/{plot['channel']}")
        try:
            visitor.set("layers", "3")
            (after,) = visitor.components("plot")
            assert (after["figure"], after["channel"]) == (None, plot["channel"])
            assert after["revision"] > plot["revision"]
            (arrived,) = figures_of_a_run(figures)
            assert (arrived["key"], arrived["revision"]) == (after["key"], after["revision"])
            assert len(arrived["figure"]["panels"]) == 5
            visitor.trigger(after["key"], "missing", after["revision"])
            (again,) = visitor.components("plot")
            assert again["figure"] == arrived["figure"]
            with pytest.raises(ConnectionLost):
                figures.receive(time.monotonic() + TIMEOUT)
        finally:
            figures.close()
