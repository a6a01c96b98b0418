"""Two runs of one session at once: the newer one begins before the older one has ended."""

import sys
import threading

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState

from dashboard.serving.patches.state_lock import share_state_lock


@pytest.fixture
def shared_lock():
    """Runs share a lock, as in the app."""
    begin = SafeSessionState.__init__
    share_state_lock()
    share_state_lock()  # each run of the app asks for it
    yield
    SafeSessionState.__init__ = begin


@pytest.fixture
def quick_switches():
    """Python changes between threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_one_run_reads_all_values_while_another_adds_some(shared_lock, quick_switches):
    state = SessionState()
    older, newer = (SafeSessionState(state, lambda: None) for _ in range(2))
    for number in range(200):
        older[f"value {number}"] = number
    ended, errors = threading.Event(), []

    def read() -> None:
        try:
            while not ended.is_set():
                assert dict(older.filtered_state)["value 0"] == 0
        except Exception as error:
            errors.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(2_000):
        newer[f"added {number}"] = number
    ended.set()
    reader.join()
    assert errors == []


def test_sessions_do_not_wait_for_each_other(shared_lock):
    first, second = (SafeSessionState(SessionState(), lambda: None) for _ in range(2))
    other = threading.Thread(target=second.__setitem__, args=("key", 1), daemon=True)
    with first.query_params():
        other.start()
        other.join(10)
        assert not other.is_alive()


def test_a_run_may_use_the_state_while_it_has_the_lock(shared_lock):
    """Streamlit calls what a widget calls on a change while it has the lock."""
    run = SafeSessionState(SessionState(), lambda: None)
    with run.query_params():
        run["key"] = 1
    assert run["key"] == 1
