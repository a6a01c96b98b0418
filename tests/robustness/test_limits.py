"""The limits without a server: messages of a connection, shares of the processor, number of sessions."""

import asyncio
import time
from contextlib import nullcontext, suppress
from types import SimpleNamespace

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from dashboard.serving.limits import fair_share, gate
from dashboard.serving.limits.fair_share import ACTIVE, MAX_PAUSE, SAVINGS, SHARE, SHARED, FairShare
from dashboard.serving.limits.gate import BURST, MAX_BYTES, RATE, Gate, LimitedConnection
from dashboard.serving.limits.visitors import Visitors, parse_max_sessions
from dashboard.state.offered_encoders import parse_max_download_bytes
from encoder_core.engine.executables import wait_for
from tests.robustness.coroutines import run

HEARTBEAT = BackMsg(app_heartbeat=True).SerializeToString()


def received(monkeypatch, *payloads):
    """What passes of these payloads, the codes with which the connection is closed, and the seconds of pauses."""
    passed, closed, pauses = [], [], []
    messages = iter(
        [{"type": "websocket.receive", **payload} for payload in payloads] + [{"type": "websocket.disconnect"}]
    )

    async def pause(seconds):
        pauses.append(seconds)

    async def receive():
        return next(messages)

    async def send(message):
        closed.append(message["code"])

    async def read():
        connection = LimitedConnection(receive, send, clock=lambda: sum(pauses))
        while (message := await connection.receive())["type"] == "websocket.receive":
            passed.append(message["bytes"])

    monkeypatch.setattr(gate.asyncio, "sleep", pause)
    run(read())
    return passed, closed, sum(pauses)


def test_a_burst_passes_and_more_messages_wait(monkeypatch):
    passed, closed, seconds = received(monkeypatch, *[{"bytes": HEARTBEAT}] * int(BURST))
    assert (len(passed), closed, seconds) == (BURST, [], 0)
    passed, closed, seconds = received(monkeypatch, *[{"bytes": HEARTBEAT}] * int(BURST + 5 * RATE))
    assert (len(passed), closed) == (BURST + 5 * RATE, [])
    assert seconds == pytest.approx(5)


def test_messages_that_the_app_does_not_need_are_ignored(monkeypatch):
    clear, files, skills = BackMsg(clear_cache=True), BackMsg(), BackMsg()
    files.file_urls_request.request_id = "1"
    skills.backend_operation_request.install_skills.SetInParent()
    download = BackMsg()
    download.backend_operation_request.deferred_file.SetInParent()
    payloads = [message.SerializeToString() for message in (clear, files, skills, BackMsg(), download)]
    passed, closed, _ = received(monkeypatch, *[{"bytes": payload} for payload in payloads])
    assert (passed, closed) == (payloads[-1:], [])


@pytest.mark.parametrize(
    ("payload", "code"),
    [({"text": "hello"}, 1003), ({"bytes": b"x" * (MAX_BYTES + 1)}, 1009), ({"bytes": b"\xff\xfe"}, 1002)],
)
def test_what_no_browser_sends_closes_the_connection(monkeypatch, payload, code):
    assert received(monkeypatch, payload, {"bytes": HEARTBEAT}) == ([], [code], 0)


def test_too_many_connections_and_uploads_are_refused():
    sent = []

    async def send(message):
        sent.append(message)

    async def wait_forever(scope, receive, send):
        await asyncio.Event().wait()

    async def connect():
        guard = Gate(wait_forever, most=2)
        tasks = [asyncio.create_task(guard({"type": "websocket"}, None, send)) for _ in range(3)]
        await asyncio.sleep(0)
        assert (guard.count, sent) == (2, [{"type": "websocket.close"}])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert guard.count == 0
        await guard({"type": "http", "path": "/_stcore/upload_file/a/b"}, None, send)
        assert sent[1]["status"] == 404

    run(connect())


@pytest.mark.parametrize("is_lost", [True, False])
def test_only_a_lost_connection_explains_an_error(is_lost):
    async def send(message):
        if is_lost:
            raise OSError

    async def app(scope, receive, send):
        with suppress(OSError):
            await send({"type": "websocket.send"})
        raise RuntimeError("closed twice")

    connection = Gate(app, most=1)({"type": "websocket"}, None, send)
    with nullcontext() if is_lost else pytest.raises(RuntimeError, match="closed twice"):
        run(connection)


class Timed(FairShare):
    """Time passes only while a session waits."""

    time = 0.0

    def now(self):
        return self.time

    def wait(self, seconds):
        self.time += seconds


def use(shares, session, seconds):
    """One run. Returns the seconds that it waited."""
    start = shares.time
    assert shares.begin(session)
    waited = shares.time - start
    shares.time += seconds
    shares.end(session, seconds)
    return waited


def test_a_session_alone_never_waits():
    shares = Timed()
    assert [use(shares, "one", SAVINGS) for _ in range(4)] == [0] * 4


@pytest.mark.parametrize(("others", "share"), [(1, SHARED), (2, SHARED / 2), (20, SHARE)])
def test_a_greedy_session_gets_its_share_and_others_never_wait(others, share):
    shares, used = Timed(), 0.0

    def wait(seconds):  # the other sessions act all the time
        shares.time += 1
        assert [use(shares, f"other {number}", 0.0) for number in range(others)] == [0] * others

    shares.wait = wait
    while shares.time < 300:
        for number in range(others):
            use(shares, f"other {number}", 0.0)
        use(shares, "greedy", 1.0)
        used += 1.0
    assert used <= SAVINGS + 1 + share * shares.time
    assert used > share * shares.time * 0.9
    use(shares, "greedy", 50.0)
    use(shares, "other 0", 0.0)
    assert MAX_PAUSE <= use(shares, "greedy", 0.0) <= MAX_PAUSE + 1  # no pause is longer
    del shares.wait
    assert use(shares, "greedy", 0.0) == pytest.approx(ACTIVE, abs=0.2)  # nobody else is active any more


class Slow:
    """What a program of XLA returns after a while, in `seconds`."""

    def block_until_ready(self):
        start = time.perf_counter()
        time.sleep(0.1)
        self.seconds = time.perf_counter() - start


def test_a_session_pays_for_its_own_thread_and_for_what_xla_computes(monkeypatch):
    shares = FairShare()
    monkeypatch.setattr(fair_share, "_FAIR_SHARE", shares)
    monkeypatch.setattr(fair_share, "get_script_run_ctx", lambda: SimpleNamespace(session_id="one"))
    with fair_share.fair_run():
        start = time.thread_time()
        while time.thread_time() < start + 0.1:
            pass
        wait_for(slow := Slow())
        time.sleep(1)  # whoever waits for something else pays nothing
    assert 0.2 <= SAVINGS - shares._accounts["one"].savings < 0.9 + slow.seconds


def test_whether_anyone_computes():
    shares = Timed()
    assert not shares.anyone_computes()
    assert shares.begin("one")
    assert shares.anyone_computes()
    shares.end("one", 0.0)
    assert not shares.anyone_computes()


def test_a_run_beside_a_very_long_one_does_not_end_its_computing():
    shares = Timed()
    assert [shares.begin("one") for _ in range(2)] == [True, True]
    assert shares.time == pytest.approx(MAX_PAUSE, abs=0.1)
    shares.end("one", 0.0)
    assert shares.anyone_computes()
    shares.end("one", 0.0)
    assert not shares.anyone_computes()


def test_only_the_newest_run_of_a_session_computes():
    shares = Timed()
    assert shares.begin("one")
    newer = []

    def wait(seconds):  # a newer run begins while this one waits
        shares.wait = lambda seconds: shares.end("one", 0.0)
        newer.append(shares.begin("one"))

    shares.wait = wait
    assert not shares.begin("one")
    assert newer == [True]


def test_accounts_that_equal_a_new_one_are_forgotten():
    shares = Timed()
    for number in range(100):
        use(shares, str(number), 0.01)
        shares.time += 10
    assert len(shares._accounts) < 5


def test_an_account_whose_run_computes_is_kept():
    shares = Timed()
    assert shares.begin("one")
    shares.time += 1_000
    use(shares, "two", 0.0)
    assert shares.anyone_computes()
    shares.end("one", 0.0)
    assert not shares.anyone_computes()


def test_a_run_costs_what_streamlit_computes_around_it():
    shares = Timed()
    for _ in range(10):
        use(shares, "one", 0.0)
    assert shares._accounts["one"].savings == pytest.approx(SAVINGS - 10 * 0.02)


def test_sessions_above_the_limit_are_admitted_when_others_leave():
    is_open = {"a", "b", "c"}
    visitors = Visitors(2, is_open.__contains__)
    assert [visitors.admit(session) for session in "abcab"] == [True, True, False, True, True]
    is_open.remove("a")
    assert [visitors.admit(session) for session in "cbd"] == [True, True, False]


@pytest.mark.parametrize(("setting", "count"), [("7", 7), ("0", 300), ("-1", 300), ("many", 300), ("9" * 9, 300)])
def test_the_limit_of_sessions_is_a_setting(setting, count):
    assert parse_max_sessions({"ENCODER_MAX_SESSIONS": setting}) == count
    assert parse_max_sessions({}) == 300


@pytest.mark.parametrize("setting", ["9" * 5_000, "-1", "", "1e3", "1000000"])
def test_a_setting_of_the_largest_download_that_is_no_such_number_is_the_default(setting, caplog):
    assert parse_max_download_bytes({"ENCODER_MAX_MB": setting}) == parse_max_download_bytes({}) == 150_000_000
    (message,) = caplog.messages
    assert message.endswith(" is not a whole number from 0 to 999999; 150 is used.")
    assert parse_max_download_bytes({"ENCODER_MAX_MB": "0"}) == 0
