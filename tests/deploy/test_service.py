"""Two processes behind nginx, in Chromium: what a visit costs, a process that is killed, a flood."""

import time
from pathlib import Path

import pytest

from benchmarks.client import ClientSession
from benchmarks.client.connection import Connection
from tests.browser.conftest import WIDE
from tests.browser.visit_size import bytes_of_visit
from tests.deploy.lost_server import visitor
from tests.deploy.stubs import Proxy

PROCESSES = 2
FIRST_VISIT, SECOND_VISIT = 2_500_000, 20_000  # bytes
LOST_AT_MOST = 10.0  # seconds


@pytest.fixture(scope="module")
def contexts(browser, running):
    """Two browsers, each with cookies of its own."""
    opened = [browser.new_context(viewport=WIDE, color_scheme="light") for _ in range(2)]
    yield opened
    for context in opened:
        context.close()


def test_a_first_visit_is_small_and_a_second_one_tiny(contexts, running):
    def received():
        with contexts[0].new_page() as page:
            return bytes_of_visit(page, f"{running.url}/map")

    assert 500_000 < received() <= FIRST_VISIT
    assert received() <= SECOND_VISIT


def test_no_connection_can_have_the_port_of_a_process_that_starts_again(running):
    """The system gives connections ports from the first of this range on."""
    first_of_connections = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert max(running.apps()) < first_of_connections


def test_xla_computes_in_one_thread_of_each_process(running):
    def threads(pid):
        names = [name.read_text() for name in Path(f"/proc/{pid}/task").glob("*/comm")]
        return sum(name.startswith("tf_XLAEigen") for name in names)

    apps = running.apps().values()
    deadline = time.monotonic() + 60
    while not all(map(threads, apps)) and time.monotonic() < deadline:  # the warm-up has not computed yet
        time.sleep(0.1)
    assert [threads(pid) for pid in apps] == [1, 1]


def test_visitors_of_a_killed_process_return_to_what_they_had(contexts, running):
    one, other = sorted(running.apps())
    lost = [
        visitor(contexts[0], running, one, "scaled_scores", edit=True),
        visitor(contexts[0], running, one, "softmax", edit=False),
    ]
    kept = visitor(contexts[1], running, other, "scaled_scores", edit=True)
    running.kill(one)
    start = time.monotonic()
    for each in lost:
        each.wait_until_lost()
    for each in lost:
        each.check_return(start, LOST_AT_MOST)
    assert kept.is_connected()
    for each in (*lost, kept):
        each.check_next_move()


def test_a_flood_of_websockets_from_one_address_leaves_a_page_to_another(running):
    port = int(running.url.rpartition(":")[2])
    flood, refused = [], 0
    for _ in range(300):
        try:
            flood.append(Connection(running.url, None))
        except Exception:  # status 429, of which the class belongs to the library
            refused += 1
    try:
        assert refused >= 50
        assert len(flood) >= 150  # of the hundred people who share that address
        begin = time.monotonic()
        assert Proxy(port).get(source="127.0.0.2").status == 200
        with ClientSession(running.url, "/softmax", source="127.0.0.2") as session:
            assert session.page == "softmax"
        assert time.monotonic() - begin < 20  # less than 2 s on a machine that does nothing else
    finally:
        for connection in flood:
            connection.close()
