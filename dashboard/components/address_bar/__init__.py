"""The component that writes the URL into the address bar after each run, and makes the browser keep the answers."""

from pathlib import Path

from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.components.static_files import register_component
from dashboard.state.kept_answers import news_for_browser, restore_answers
from dashboard.state.session import session
from dashboard.state.widgets import component_value

_COMPONENT = register_component("address", Path(__file__).parent)
_KEY = "address"


def write_address() -> None:
    """Write the session's query string to the URL; called at the end of every run of a page or its fragment."""
    current = session()
    context = get_script_run_ctx()
    _COMPONENT(
        data={
            "session": current.id,
            "read": current.link,
            "query": current.query(),
            "step": current.history_steps,
            "fragment": bool(context and context.fragment_ids_this_run),
            **news_for_browser(),
        },
        key=_KEY,
        on_restore_change=_read_url,
        on_answers_change=_restore_answers,
    )


def _read_url() -> None:
    """Read the browser's URL, which differs from the link of this session.

    After a lost connection, Streamlit can give a new session the query string with which the page was first opened.
    """
    query = component_value(_KEY, "restore")
    if isinstance(query, str):
        session().read_link(query)


def _restore_answers() -> None:
    """Add the answers that this browser gave in other sessions."""
    restore_answers(component_value(_KEY, "answers"))
