"""One visitor does not stop the others: a flood of requests, many idle connections, more sessions than allowed.

IDLE_CONNECTIONS sets the number of idle connections (200 by hand).
"""

import os
import time
from threading import Event, Thread

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.client.connection import Connection
from benchmarks.load import Visitor
from benchmarks.soak import flood
from dashboard.serving.limits import visitors
from dashboard.serving.limits.visitors import Visitors
from tests.pages.app import opened
from tests.pages.conftest import as_in_the_app, framed  # noqa: F401 - fixtures

IDLE = int(os.environ.get("IDLE_CONNECTIONS", "40"))
MOVES = 5


@pytest.fixture
def flooded(guarded_server):
    """A client that asks for the largest model as fast as the server takes it."""
    stop = Event()
    thread = Thread(target=flood, args=(guarded_server, stop), daemon=True)
    thread.start()
    time.sleep(1.5)
    yield
    stop.set()  # it stops as soon as the server takes what it is sending


def test_moves_are_answered_next_to_a_flood(guarded_server, flooded):
    with Visitor(guarded_server, "/scaled_scores", timeout=30) as visitor:
        for layers in range(2, 2 + MOVES):
            visitor.set(next(key for key in visitor.widgets() if key.startswith("layers")), str(layers + 4))
            assert f"layers={layers + 4}" in visitor.url
            time.sleep(0.5)


def test_moves_are_answered_next_to_idle_connections(guarded_server):
    idle = [Connection(guarded_server, None) for _ in range(IDLE)]
    try:
        with Visitor(guarded_server, "/scaled_scores", timeout=30) as visitor:
            visitor.set(next(key for key in visitor.widgets() if key.startswith("layers")), "2")
            assert "layers=2" in visitor.url
    finally:
        for connection in idle:
            connection.send([BackMsg(app_heartbeat=True)])  # still open
            connection.close()


def test_a_session_above_the_limit_gets_a_sentence(framed, monkeypatch, as_in_the_app):  # noqa: F811
    from dashboard.page_list import stage_named

    monkeypatch.setattr(visitors, "_VISITORS", Visitors(0, lambda session: True))
    page = opened(stage_named("softmax"))
    assert [warning.value for warning in page.warning] == [
        "300 people use this server now, the most that it serves at once. This page tries again every 10 seconds and "
        "opens as soon as somebody leaves."
    ]
    assert not page.title
    monkeypatch.setattr(visitors, "_VISITORS", Visitors(1, lambda session: True))
    assert [title.value for title in page.run().title] == ["Softmax weights"]
