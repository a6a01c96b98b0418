"""Messages that no browser sends, to the real server: they change nothing, and the server still serves.

FUZZ_EXAMPLES sets the number of forged messages of each page.
"""

import os
import random
import socket

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX as _INTERNAL

from benchmarks.client.connection import ConnectionLost
from benchmarks.load import Visitor
from tests.robustness.forged import EVENTS, FORGERIES, HUGE, VALUES, forge, send_forged, widgets_of

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "15"))
OPEN_A_PAGE = {"open_recipe", "open_trained"}  # any state of a button presses it; on Recipes these open the map
PAGES = ("/softmax?edits=head.0.0%3D0&cell=output.0.1.2", "/recipes?recipe=nanolm&recipe_view=By+hand")


def rerun(visitor):
    """Ask for a run and wait for it. The key "r" does nothing where the client has not read that the last run ended."""
    visitor.app.widget_states.send_all()
    visitor.wait()


def title(visitor):
    return visitor.texts("title")


@pytest.fixture
def still_serves(guarded_server):
    """After the test, another tab gets an answer, and the server has logged no traceback."""
    yield
    with Visitor(guarded_server, "/scaled_scores", timeout=60) as visitor:
        assert title(visitor) == ["Scaled scores"]


@pytest.mark.parametrize("page", PAGES)
def test_forged_states_change_nothing(guarded_server, guarded_log, still_serves, page):
    chance = random.Random(page)
    with Visitor(guarded_server, page, timeout=60) as visitor:
        shown = title(visitor)
        for _ in range(EXAMPLES):
            widgets = [(kind, mounted) for kind, mounted in widgets_of(visitor) if mounted.key not in OPEN_A_PAGE]
            kind, mounted = chance.choice(widgets)
            state = visitor.app.widget_states.get(mounted.id)
            own = state and state.WhichOneof("value")
            if kind in EVENTS and chance.random() < 0.7:
                event, values = EVENTS[kind]
                action, value = f"{kind} {event}", chance.choice(values)
                visitor.trigger(mounted.key, event, value)
            elif own in VALUES and chance.random() < 0.8:
                action, value = f"{kind} {own}", chance.choice(VALUES[own])
                send_forged(visitor, mounted, forge(own, value))
            else:
                action, value = chance.choice(FORGERIES)
                send_forged(visitor, mounted, forge(action, value))
            place = f"{mounted.key}: {action} = {str(value)[:200]}"
            assert visitor.exceptions == [], place
            assert title(visitor) == shown, place
            assert "Traceback" not in guarded_log.read_text(errors="replace"), place


_ENDS = ("", "_SCRIPT_RUN_WITHOUT_ERRORS", "_x__events")
STATES = {
    "unknown widgets": {"widgets": [{"id": "$$ID-0-x", "string_value": "x"}, {"id": HUGE, "bool_value": True}]},
    "internal keys": {"widgets": [{"id": f"{_INTERNAL}{end}", "bool_value": False} for end in _ENDS]},
    "no states": {},
    "an unknown fragment": {"fragment": HUGE},
    "an unknown page": {"page": "f" * 32},
    "a page name": {"name": "../../etc/passwd"},
    "an unknown message hash": {"hashes": ["0" * 64, HUGE]},
    "a huge query": {"query": "text=" + "%41" * 30_000},
    "history": {"query": "edits=" + "~" * 9_000, "history": True},
}


def client_state(query="", page="", name="", fragment="", hashes=(), history=False, widgets=()):
    state = ClientState(
        query_string=query, page_script_hash=page, page_name=name, fragment_id=fragment, cached_message_hashes=hashes,
        is_history_navigation=history,
    )  # fmt: skip
    for widget in widgets:
        state.widget_states.widgets.add(**widget)
    return state


@pytest.mark.parametrize("page", ["/", "/scaled_scores"])
def test_requests_that_refer_to_nothing_are_answered(guarded_server, still_serves, page):
    for name, fields in STATES.items():
        with Visitor(guarded_server, page, timeout=60) as visitor:
            visitor._connection.send([BackMsg(rerun_script=client_state(**fields))])
            visitor.wait()  # otherwise, the server can make one run of this request and the next
            rerun(visitor)
            assert visitor.exceptions == [], name
            assert len(title(visitor)) == 1, name


def test_a_broken_message_closes_the_connection(guarded_server, still_serves):
    class Broken:
        def SerializeToString(self):
            return b"\xff\xfe\xfd"

    with Visitor(guarded_server, "/scaled_scores", timeout=60) as visitor:
        visitor._connection.send([Broken()])
        with pytest.raises(ConnectionLost):
            rerun(visitor)


def test_no_visitor_can_clear_the_caches_or_upload(guarded_server, still_serves):
    with Visitor(guarded_server, "/scaled_scores", timeout=60) as visitor:
        visitor.set(next(key for key in visitor.widgets() if key.startswith("layers")), "3")
        visitor._connection.send([BackMsg(clear_cache=True)])  # it would also forget the session's choices
        rerun(visitor)
        assert "layers=3" in visitor.url
        host, port = guarded_server.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), 10) as connection:
            path = f"/_stcore/upload_file/{visitor.session_id}/a"
            connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 0\r\n\r\n".encode())
            assert b" 404 " in connection.recv(1_000).splitlines()[0]
