"""The channels of all sessions."""

from threading import Lock

from cachetools import LRUCache
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.serving.early_figures.channel import Channel
from dashboard.serving.limits.visitors import MAX_SESSIONS


class Channels:
    """The channels by session and by token. Sessions that have ended are forgotten at last.

    is_served  whether the server lets tabs connect
    """

    def __init__(self) -> None:
        self.is_served = False
        self._lock = Lock()
        self._by_session: LRUCache[str, Channel] = LRUCache(4 * MAX_SESSIONS)

    def of_session(self, session: str) -> Channel:
        """The channel of a session, which is a new one at first."""
        with self._lock:
            if session not in self._by_session:
                self._by_session[session] = Channel()
            return self._by_session[session]

    def with_token(self, token: str) -> Channel | None:
        """The channel with this token, if there is one."""
        with self._lock:
            return next((channel for channel in self._by_session.values() if channel.token == token), None)


CHANNELS = Channels()


def current_channel() -> Channel | None:
    """The channel of the session whose script runs, if tabs can connect."""
    context = get_script_run_ctx()
    return CHANNELS.of_session(context.session_id) if context and CHANNELS.is_served else None
