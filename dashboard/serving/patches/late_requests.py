"""Ignores requests for a part of a page that the server has already replaced by another page.

Whoever goes to another page, and clicks on the old one before the new one is on screen, asks for a part of the old one.
All pages have their part at the same place, so Streamlit would run that of the new page under the name of the old one.
The browser cannot place it: it shows an error instead of the page, until it is loaded again.
"""

import logging
from threading import Lock

from cachetools import LRUCache
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.serving.limits.visitors import MAX_SESSIONS

_logger = logging.getLogger(__name__)
_request_rerun = AppSession.request_rerun

_lock = Lock()
# Session id -> hash of the page that was last asked for, or that runs. Sessions that have ended are forgotten at last.
_pages: LRUCache[str, str] = LRUCache(4 * MAX_SESSIONS)


def note_page() -> None:
    """Call it in each run of the entrypoint, when the page is known: a link names it, and a run may choose another."""
    if context := get_script_run_ctx():
        _note(context.session_id, context.page_script_hash)


def _note(session: str, page: str) -> None:
    with _lock:
        _pages[session] = page


def _request_in_time(session: AppSession, state: ClientState | None) -> None:
    """Request a run, unless it is one of a part of another page."""
    if state is not None and state.page_script_hash:
        with _lock:
            page = _pages.get(session.id)
        if not state.fragment_id:
            _note(session.id, state.page_script_hash)  # its run may begin after the next request
        elif page not in (None, state.page_script_hash):
            _logger.info("A request for a part of a page that has been left is ignored.")
            return
    _request_rerun(session, state)


def ignore_late_requests() -> None:
    """From now on, ignore such requests in all sessions. Further calls change nothing."""
    AppSession.request_rerun = _request_in_time  # type: ignore[assignment, method-assign]
