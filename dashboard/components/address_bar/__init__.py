"""The URL in the browser's address bar, written once at the end of each run."""

from pathlib import Path

from dashboard.components.static_files import component
from dashboard.state.session import session
from dashboard.state.widgets import component_value

_COMPONENT = component("address", Path(__file__).parent)
_KEY = "address"


def write_address() -> None:
    """Bring the URL up to date with the session. The last thing of every run of a page or of its fragment."""
    current = session()
    _COMPONENT(
        data={
            "session": current.identity,
            "read": current.link,
            "query": current.query(),
            "step": current.steps,
        },
        key=_KEY,
        on_restore_change=_restore,
    )


def _restore() -> None:
    """The browser's URL says something else than the link that this session began with.

    After a lost connection Streamlit may hand a new session the query string that the page was first opened with.
    """
    given = component_value(_KEY, "restore")
    if isinstance(given, str):
        session().read_link(given)
