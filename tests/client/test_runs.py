"""Sequences of messages as the server sends them."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.client.runs import ConnectionRuns
from tests.client.chromium import EndedRuns


class Server:
    """Sends messages to the runs it is told of, and answers their markers."""

    def __init__(self, runs):
        self.runs = runs
        self.markers = []
        self.running = False
        self.run_on_save = False

    def request(self, fragment=""):
        self.markers.append(self.runs.marker())
        self.runs.requested(fragment)

    def answer_marker(self):
        self.run_on_save = self.markers.pop(0).set_run_on_save
        self.status(self.running)

    def status(self, running):
        self.running = running
        message = ForwardMsg()
        message.session_status_changed.run_on_save = self.run_on_save
        message.session_status_changed.script_is_running = running
        self.runs.observe(message)

    def start(self, *fragments):
        message = ForwardMsg()
        message.new_session.name = "app"
        message.metadata.run.fragment_ids.extend(fragments)
        self.runs.observe(message)
        if not self.running:
            self.status(True)

    def finish(self, status=ForwardMsg.FINISHED_SUCCESSFULLY):
        self.runs.observe(ForwardMsg(script_finished=status))
        self.status(False)


@pytest.fixture
def server():
    return Server(ConnectionRuns())


def test_one_request_is_answered_when_its_run_has_ended(server):
    server.request()
    for step in (server.answer_marker, server.start, server.finish):
        assert not server.runs.idle
        step()
    assert server.runs.idle
    assert server.runs.certain


def test_a_run_from_before_the_request_is_no_answer(server):
    server.request()
    server.answer_marker()
    server.start()
    server.request()
    server.finish()
    server.answer_marker()
    assert not server.runs.idle
    server.start()
    server.finish()
    assert server.runs.idle


def test_a_run_that_is_interrupted_is_no_answer(server):
    server.request()
    server.answer_marker()
    server.start()
    server.finish(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    assert not server.runs.idle
    server.start()
    server.finish()
    assert server.runs.idle


def test_a_run_that_the_next_request_replaces_never_ends(server):
    server.request()
    server.answer_marker()
    server.start()
    server.request()
    server.answer_marker()
    server.start()
    assert not server.runs.idle
    server.finish()
    assert server.runs.idle


def test_a_run_of_a_fragment_does_not_answer_for_the_app(server):
    server.request()
    server.answer_marker()
    server.start("f")
    server.finish(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    assert not server.runs.idle


def test_a_request_for_a_fragment_is_certain_when_the_fragment_has_run(server):
    server.request("f")
    assert not server.runs.idle
    server.answer_marker()
    assert server.runs.idle  # the server may have dropped it
    assert not server.runs.certain
    server.start("g")
    server.finish(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    assert not server.runs.certain
    server.start("g", "f")
    assert not server.runs.idle
    server.finish(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    assert server.runs.idle
    assert server.runs.certain


def test_two_requests_for_a_fragment_are_never_certain(server):
    server.request("f")
    server.request("f")
    server.answer_marker()
    server.answer_marker()
    server.start("f")
    server.finish(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    assert server.runs.idle
    assert not server.runs.certain  # this run may have begun before the second request came


def test_a_run_of_the_app_answers_for_fragments_requested_before(server):
    server.request("f")
    server.request()
    server.answer_marker()
    server.answer_marker()
    server.start()
    server.finish()
    assert server.runs.idle
    assert server.runs.certain


def test_a_compile_error_is_an_answer(server):
    server.request()
    server.answer_marker()
    server.start()
    server.finish(ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
    assert server.runs.idle


def test_what_is_settled_is_forgotten(server):
    server.request("gone")
    server.answer_marker()
    server.runs.settle()
    assert server.runs.certain
    assert server.runs.idle


BEGIN = ForwardMsg(new_session={"name": "app"})
END = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
AGAIN = ForwardMsg(script_finished=ForwardMsg.FINISHED_EARLY_FOR_RERUN)


@pytest.mark.parametrize(
    ("messages", "ended"),
    [
        pytest.param([BEGIN, END, BEGIN, END], 2, id="one after the other"),
        pytest.param([BEGIN, BEGIN, END], 2, id="the first is interrupted by a request"),
        pytest.param([BEGIN, AGAIN, BEGIN, END], 1, id="st.rerun"),
        pytest.param([BEGIN, END, BEGIN], 1, id="one is under way"),
    ],
)
def test_runs_that_have_ended(messages, ended):
    runs = EndedRuns()
    for message in messages:
        runs.observe(message)
    assert runs.count == ended
