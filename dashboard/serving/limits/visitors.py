"""Limits the number of sessions that are open at once in one process of the server.

ENCODER_MAX_SESSIONS   the largest number of sessions
"""

import os
import threading
from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.serving.environment import read_whole_number

_MAX_SESSIONS = 300
_SECONDS = 10  # between two attempts of a session that waits


def parse_max_sessions(environment: Mapping[str, str]) -> int:
    """The largest number of sessions."""
    return read_whole_number(environment, "ENCODER_MAX_SESSIONS", _MAX_SESSIONS, range(1, 1_000_000))


MAX_SESSIONS = parse_max_sessions(os.environ)


class Visitors:
    """The sessions that may use the app: the first `most` that are open."""

    def __init__(self, most: int, is_open: Callable[[str], bool]) -> None:
        self.most = most
        self._is_open = is_open
        self._admitted: set[str] = set()
        self._lock = threading.Lock()

    def admit(self, session: str) -> bool:
        """Whether the session may use the app, now and until it is closed."""
        with self._lock:
            if session not in self._admitted and len(self._admitted) >= self.most:
                self._admitted = set(filter(self._is_open, self._admitted))
            if session in self._admitted or len(self._admitted) < self.most:
                self._admitted.add(session)
                return True
            return False


def _is_open(session: str) -> bool:
    return Runtime.exists() and Runtime.instance().is_active_session(session)


_VISITORS = Visitors(MAX_SESSIONS, _is_open)


def stop_if_full() -> None:
    """Stop the run with a sentence if too many other sessions are open. The page tries again by itself."""
    context = get_script_run_ctx()
    if context is None or _VISITORS.admit(context.session_id):
        return
    st.warning(
        f"{MAX_SESSIONS} people use this server now, the most that it serves at once. This page tries again every "
        f"{_SECONDS} seconds and opens as soon as somebody leaves.",
        icon=":material/group:",
    )

    @st.fragment(run_every=_SECONDS)
    def try_again() -> None:
        if _VISITORS.admit(context.session_id):
            st.rerun()

    try_again()
    st.stop()
