"""The client against real servers: widgets, messages, containers, quick successions."""

import re
import socket
import threading
import time
from queue import SimpleQueue

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.server import serve

from benchmarks.client import ClientSession
from benchmarks.client.connection import ConnectionLost, PolledConnection
from tests.client.scripts import caption
from tests.servers import running


def test_opening_a_page_shows_it(session):
    assert (session.url, session.page, session.history) == ("/?depth=2", "", ["/?depth=2"])
    assert session.texts("title") == ["First"]
    assert caption(session, "name='A'") == "name='A' value=0 depth=2 runs=1"
    box = session.widgets()["box"]
    assert (box.kind, box.label, box.value, box.options) == ("selectbox", "Box", "red", ("red", "green", "blue"))
    assert (box.disabled, box.fragment) == (False, "")
    assert session.widgets()["A"].fragment
    assert session.session_id
    assert [sent.query_string for sent in session.sent] == ["depth=2"]


def test_what_is_not_there_cannot_be_used(session):
    for use in (session.set, session.send.set):
        with pytest.raises(KeyError, match="missing"):
            use("missing", 1)
    with pytest.raises(ValueError, match="yellow"):
        session.set("box", "yellow")
    with pytest.raises(ValueError, match="no button"):
        session.click("box")
    with pytest.raises(KeyError, match="missing"):
        session.trigger("missing", "x", 1)
    with pytest.raises(KeyError, match="missing"):
        session.follow("missing")
    assert len(session.sent) == 1


def test_a_disabled_button_cannot_be_clicked(containers_app):
    with ClientSession(containers_app) as session:
        assert session.widgets()["Off"].disabled
        with pytest.raises(ValueError, match="Off"):
            session.click("Off")


def test_the_same_value_again_sends_nothing(session):
    session.set("box", "red")
    session.set("whole", 3)
    assert len(session.sent) == 1


def test_nothing_is_read_until_the_client_waits(session):
    session.send.set("box", "blue")
    session.send.set("A", 5)
    first, second = session.sent[1:]
    box, number = (session.widgets()[key].mounted.id for key in ("box", "A"))
    sent = {state.id: state for state in second.widget_states.widgets}
    assert (first.fragment_id, second.fragment_id) == ("", session.widgets()["A"].fragment)
    assert (sent[box].string_value, sent[number].int_value) == ("blue", 5)
    assert (session.widgets()["box"].value, session.widgets()["A"].value) == ("blue", 5)
    assert "box='red'" in caption(session, "box=")
    session.wait()
    assert "box='blue'" in caption(session, "box=")
    assert "value=5" in caption(session, "name='A'")


def test_messages_can_be_read_one_by_one(session):
    session.send.set("box", "blue")
    assert session.receive(0) == 0
    assert "box='red'" in caption(session, "box=")
    read = 0
    while "box='red'" in caption(session, "box="):
        assert session.receive(1) == 1
        read += 1
    assert read > 2  # status, new session, and what stands before
    assert session.receive(10_000) < 10_000
    assert session.receive(1) == 0


def test_a_batch_is_one_message(session):
    session.send.set("whole", 4)
    with session.batch(wait=False):
        session.set("box", "blue")
        session.set("A", 5)
        session.click("Click")
    assert len(session.sent) == 3
    assert "box='red'" in caption(session, "box=")
    assert "whole=3" in caption(session, "box=")
    session.wait()
    assert "box='blue'" in caption(session, "box=")
    assert "clicked=True" in caption(session, "clicked=")
    with session.batch():
        session.set("B", 1)
        session.set("box", "green")
    assert session.sent[-1].fragment_id == session.widgets()["B"].fragment
    assert "box='blue'" in caption(session, "box=")  # only the fragment has run


def test_long_messages_are_sent_once(session):
    long = session.texts("markdown")
    session.click("Click")
    assert len(session.sent[0].cached_message_hashes) == 0
    assert len(session.sent[1].cached_message_hashes) == 1
    assert session.texts("markdown") == long
    session.reload()
    assert len(session.sent[-1].cached_message_hashes) == 0


def test_widgets_in_a_closed_popover_are_not_mounted(session):
    hidden = next(x for x in session.app.mounts.all.values() if x.node.kind == "popover").path
    assert "hidden" not in session.widgets()
    with pytest.raises(KeyError):
        session.set("hidden", True)
    session.set("Hidden", True)
    assert session.app.mounts.open == {hidden: True}
    session.set("hidden", True)
    session.set("Hidden", False)
    assert "hidden" not in session.widgets()
    session.click("Click")
    assert "hidden=True" in session.texts("caption")


def test_containers_report_their_state(containers_app):
    with ClientSession(containers_app, "/?tab=Two") as session:
        assert session.widgets()["tab"].value == "Two"
        session.set("more", True)
        session.set("tab", "One")
        session.set("menu", True)
        assert session.url == "/?more=true"
        assert "tab=One more=True menu=True" in session.texts("caption")
        with pytest.raises(ValueError, match="Three"):
            session.set("tab", "Three")


def test_exceptions_and_alerts_are_seen(containers_app):
    with ClientSession(containers_app) as session:
        assert session.exceptions == []
        session.set("Note before the fields", True)
        assert session.texts("info") == ["A note"]
        session.set("Fail", True)
        assert session.exceptions == ["RuntimeError: as asked"]
        assert "ticks" not in "".join(session.texts("caption"))
        with pytest.raises(KeyError):
            session.texts("poem")


def test_fragments_run_by_themselves_when_their_interval_has_passed(containers_app):
    with ClientSession(containers_app) as session:
        session.auto_rerun()
        assert session.sent[-1].is_auto_rerun
        assert "ticks=2" in session.texts("caption")
        session.set("Without the clock", True)
        messages = len(session.sent)
        session.auto_rerun()
        assert len(session.sent) == messages


def runs_of_fragments(session):
    return [int(count) for count in re.findall(r"runs=(\d+)", " ".join(session.texts("caption")))]


def assert_complete(session):
    """The page shows what the widgets hold, and no request is still waiting."""
    values = {key: widget.value for key, widget in session.widgets().items()}
    assert f"box={values['box']!r}" in caption(session, "box=")
    assert f"whole={values['whole']} " in caption(session, "whole=")
    for name in ("A", "B"):
        assert f"value={values[name]} depth={values['depth']} " in caption(session, f"name='{name}'")
    before = runs_of_fragments(session)
    session.rerun()
    assert runs_of_fragments(session) == [count + 1 for count in before]


def change_quickly(url, changes):
    """Send changes with a few messages read in between each two, then wait."""
    with ClientSession(url) as session:
        for (key, value), messages in changes:
            session.send.set(key, value)
            session.receive(messages)
        session.wait()
        assert_complete(session)


def lists(*changes):
    return st.lists(st.tuples(st.one_of(*changes), st.integers(0, 5)), min_size=2, max_size=6)


WHOLE = st.tuples(st.just("whole"), st.integers(0, 9))
DEPTH = st.tuples(st.just("depth"), st.integers(1, 4))
BOX = st.tuples(st.just("box"), st.sampled_from(["red", "green", "blue"]))
ONE_FRAGMENT = st.sampled_from(["A", "B"]).flatmap(lambda name: lists(st.tuples(st.just(name), st.integers(0, 9))))


# The app and the fragments are not mixed: when a run has ended and a fragment is asked for before the event loop has
# taken the messages of that run, Streamlit drops them (`AppSession`: "Ignoring event from non-current ScriptRunner").
# Then the page lacks them, unless the next run is of the same fragment, or of the whole app. A run of a fragment that
# follows one of the app loses elements in another way, too, see test_frontend.py.
@given(changes=lists(WHOLE, DEPTH, BOX))
def test_after_quick_changes_of_the_app_the_page_is_complete(widgets_app, changes):
    change_quickly(widgets_app, changes)


@given(changes=ONE_FRAGMENT)
def test_after_quick_changes_of_a_fragment_the_page_is_complete(widgets_app, changes):
    change_quickly(widgets_app, changes)


def test_no_answer_in_time_is_an_error(widgets_app):
    with pytest.raises(TimeoutError, match="markers open"):
        ClientSession(widgets_app, timeout=1e-9)


def test_a_server_that_is_gone_is_an_error(tmp_path):
    script = tmp_path / "app.py"
    script.write_text("import streamlit as st\nst.button('Run')")
    with running(script, tmp_path / "log.txt") as url:
        session = ClientSession(url)
    with session, pytest.raises(ConnectionLost):  # where it writes, or where it reads
        session.click("Run")
    assert issubclass(ConnectionLost, OSError)


def test_a_client_without_a_thread_reads_while_it_sends():
    """Otherwise, two that send more than the system keeps would wait for each other for ever."""
    large = BackMsg()
    large.rerun_script.query_string = "x" * 20_000_000
    received = SimpleQueue()

    def answer(websocket):
        for _ in range(20):
            websocket.send(bytes(1_000_000))
        received.put(websocket.recv())

    def talk():
        connection.send([large])
        for _ in range(20):  # what the server has not sent by then
            connection.receive(time.monotonic() + 15)

    with serve(answer, "127.0.0.1", 0, subprotocols=["streamlit"], max_size=None, close_timeout=1) as server:
        port = server.socket.getsockname()[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        connection = PolledConnection(f"http://127.0.0.1:{port}", None)
        threading.Thread(target=talk, daemon=True).start()
        try:
            assert received.get(timeout=15) == large.SerializeToString()
        finally:
            connection._socket.shutdown(socket.SHUT_RDWR)  # a thread that waits for the other end waits no more
            connection._socket.close()
