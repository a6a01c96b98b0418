"""The pages as Streamlit knows them, and the way from any page to the frame around it."""

import streamlit as st

from dashboard.stages import LABS, STAGES, Lab, Stage


def navigate() -> tuple[st.Page, dict[str, st.Page]]:
    """Register all pages in the top bar. Returns the one to run, and all of them by name."""
    walkthrough = {stage.name: _page(stage, f"{stage.number} {stage.title}") for stage in STAGES}
    lab = {page.name: _page(page, page.title) for page in LABS}
    groups = {"Walkthrough": list(walkthrough.values()), "Lab": list(lab.values())}
    return st.navigation(groups, position="top"), walkthrough | lab


def _page(entry: Stage | Lab, title: str) -> st.Page:
    # No help text: it would wrap each link of the rail in a tooltip, to be drawn anew at every move.
    return st.Page(entry.path, title=title, url_path=entry.name, default=entry == STAGES[0])


def ensure_entrypoint() -> None:
    """Start over from the entrypoint if it did not run.

    A deep link to a server that has served nobody yet runs the page's script alone, because a folder named `pages`
    makes Streamlit assume its older kind of app until `st.navigation` was called once.
    """
    if "framed" not in st.session_state and st.context.url:
        navigate()
        st.rerun()
