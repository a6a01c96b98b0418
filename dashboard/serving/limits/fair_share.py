"""Shares the processor between sessions.

Python computes in one thread at a time, so a session that asks for the largest model again and again would slow all
others. Each session may use a share of one processor. One that has used more waits before its next run, but only while
others are active: a person alone on a server is never delayed.

Only one run of a session computes at a time, or two where the first takes longer than `MAX_PAUSE`. Streamlit stops a
run when the next one is asked for, but only when it renders something: without the limit, twenty requests per second
would compute twenty models at once.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.serving.limits.turns import Turns
from encoder_core.engine.executables import seconds_waited

SHARE = 0.15  # seconds of processor time that a session earns per second at least; a move of a slider uses 0.05
SHARED = 0.5  # seconds per second that a session shares with the other active ones: a few earn more than SHARE each
SAVINGS = 3.0  # seconds of processor time that a session can save up, and has when it begins
ACTIVE = 5.0  # seconds after its last run for which a session counts as active
MAX_PAUSE = 20.0  # seconds before one run
_STEP = 0.05  # seconds between two looks at the clock
_OVERHEAD = 0.02  # seconds of processor time of Streamlit around every run, which is not measured


@dataclass
class _Account:
    """What one session has saved up.

    updated    when `savings` were computed
    savings    seconds of processor time
    active     when its last run began or ended
    latest     number of its latest run
    computing  number of its runs that compute now: a second one begins where the first takes longer than MAX_PAUSE
    """

    updated: float
    active: float
    savings: float = SAVINGS
    latest: int = 0
    computing: int = 0


class FairShare:
    """The accounts of all sessions."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._changed = threading.Condition()

    def begin(self, session: str) -> bool:
        """Begin a run: wait while another run of the session computes, and while the session must leave the processor
        to others.

        Returns False if a newer run of the session began in the meantime; this one is then superfluous.
        """
        with self._changed:
            account = self._account(session)
            account.latest += 1
            run, deadline = account.latest, self.now() + MAX_PAUSE
            self._changed.notify_all()
            while self.now() < deadline and (account.computing or self._must_pause(session, account)):
                self.wait(_STEP)
                if account.latest != run:
                    return False
            account.computing, account.active = account.computing + 1, self.now()
            return True

    def end(self, session: str, used: float) -> None:
        """End a run that has used so many seconds of processor time."""
        with self._changed:
            account = self._account(session)
            account.computing, account.active = max(0, account.computing - 1), self.now()
            account.savings -= used + _OVERHEAD
            self._changed.notify_all()

    def anyone_computes(self) -> bool:
        """Whether a run of any session computes now."""
        with self._changed:
            return any(account.computing > 0 for account in self._accounts.values())

    def wait_until_nobody_computes(self, seconds: float) -> None:
        """Wait until no run of any session computes, at most so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self.anyone_computes(), seconds)

    def now(self) -> float:
        """The time in seconds."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait until something changes, at most so long."""
        self._changed.wait(seconds)

    def _must_pause(self, session: str, account: _Account) -> bool:
        now = self.now()
        others = sum(
            other.computing > 0 or now - other.active < ACTIVE
            for name, other in self._accounts.items()
            if name != session
        )
        share = max(SHARE, SHARED / max(1, others))
        account.savings = min(SAVINGS, account.savings + share * (now - account.updated))
        account.updated = now
        return account.savings < 0 and others > 0

    def _account(self, session: str) -> _Account:
        now = self.now()
        if session not in self._accounts:
            # An account that has been unused for so long is the same as a new one: forget it.
            self._accounts = {
                name: account
                for name, account in self._accounts.items()
                if account.computing
                or now - account.active < ACTIVE
                or account.savings + SHARE * (now - account.updated) < SAVINGS
            }
            self._accounts[session] = _Account(now, now)
        return self._accounts[session]


_FAIR_SHARE = FairShare()
_TURNS = Turns()
_thread = threading.local()


@contextmanager
def fair_run() -> Iterator[None]:
    """Context of a script run. A run within a run is a part of it. A run that a newer one has replaced is stopped."""
    context = get_script_run_ctx()
    if context is None or getattr(_thread, "is_running", False):
        yield
        return
    if not _FAIR_SHARE.begin(context.session_id):
        st.stop()
    start, _thread.is_running = _seconds_used(), True
    try:
        with _TURNS.take():
            yield
    finally:
        _thread.is_running = False
        _FAIR_SHARE.end(context.session_id, _seconds_used() - start)


def _seconds_used() -> float:
    """Processor time of this thread, and of XLA on its behalf."""
    return time.thread_time() + seconds_waited()


def anyone_computes() -> bool:
    """Whether a run of any session computes now, for work in the background."""
    return _FAIR_SHARE.anyone_computes()


def wait_until_nobody_computes(seconds: float) -> None:
    """Wait until no run of any session computes, at most so many seconds."""
    _FAIR_SHARE.wait_until_nobody_computes(seconds)
