"""Ignores requests for a part of a page that the server has already replaced by another page.

Whoever goes to another page, and clicks on the old one before the new one is on screen, asks for a part of the old one.
All pages have their part at the same place, so Streamlit would run that of the new page under the name of the old one.
The browser cannot place it: it shows an error instead of the page, until it is loaded again.
"""

import logging

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession

_logger = logging.getLogger(__name__)
_request_rerun = AppSession.request_rerun


def _request_in_time(session: AppSession, state: ClientState | None) -> None:
    """Request a run, unless it is one of a part of another page than the one that was last asked for or opened."""
    if state is not None and state.page_script_hash:
        if not state.fragment_id:
            # Streamlit does so when the run begins, which may be after the next request.
            session._client_state.page_script_hash = state.page_script_hash
        elif state.page_script_hash != session.page_script_hash:
            _logger.info("A request for a part of a page that has been left is ignored.")
            return
    _request_rerun(session, state)


def ignore_late_requests() -> None:
    """From now on, ignore such requests in all sessions. Further calls change nothing."""
    # Streamlit has no hook for it.
    AppSession.request_rerun = _request_in_time  # type: ignore[assignment, method-assign]
