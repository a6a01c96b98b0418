"""The pages as Streamlit knows them, and the way from any page to the frame around it."""

import streamlit as st

from dashboard.stages import STAGES


def navigate() -> tuple[st.Page, dict[str, st.Page]]:
    """Register all pages in the top bar. Returns the one to run, and all of them by name."""
    pages = {
        stage.name: st.Page(
            stage.path,
            title=f"{stage.number} {stage.title}",
            url_path=stage.name,
            # No help text: it would wrap each link of the rail in a tooltip, to be drawn anew at every move.
            default=stage.number == 0,
        )
        for stage in STAGES
    }
    return st.navigation({"Walkthrough": list(pages.values())}, position="top"), pages


def ensure_entrypoint() -> None:
    """Start over from the entrypoint if it did not run.

    A deep link to a server that has served nobody yet runs the page's script alone, because a folder named `pages`
    makes Streamlit assume its older kind of app until `st.navigation` was called once.
    """
    if "framed" not in st.session_state and st.context.url:
        navigate()
        st.rerun()
