"""The pages as Streamlit knows them, and the way from any page to the frame around it."""

from urllib.parse import parse_qsl

import streamlit as st

from dashboard.page_list import LABS, PAGES, STAGES, Lab, Stage, page_named
from dashboard.state.session import session


def navigate() -> tuple[st.Page, dict[str, st.Page], Stage | Lab]:
    """Register all pages in the top bar. Returns the one to run, all of them by name, and what the first one is."""
    walkthrough = {stage.name: _page(stage, f"{stage.number} {stage.title}") for stage in STAGES}
    lab = {page.name: _page(page, page.title) for page in LABS}
    first = STAGES[0]
    # The first page is served at "/". Its name is a valid address, too, as that of every other page.
    alias = st.Page(first.path, title=first.title, url_path=first.name, visibility="hidden")
    groups = {"Walkthrough": [*walkthrough.values(), alias], "Lab": list(lab.values())}
    page, pages = st.navigation(groups, position="top"), walkthrough | lab
    return page, pages, next((entry for entry in PAGES if pages[entry.name] == page), first)


def open_page(name: str) -> None:
    """Open another page with the same state; call it from a callback."""
    entry = page_named(name)
    st.switch_page(_page(entry, entry.title), query_params=parse_qsl(session().query(), keep_blank_values=True))


def _page(entry: Stage | Lab, title: str) -> st.Page:
    # No help text: it would wrap each link of the rail in a tooltip, to be drawn anew at every move.
    is_first = entry == STAGES[0]
    return st.Page(entry.path, title=title, url_path="start" if is_first else entry.name, default=is_first)


def ensure_entrypoint() -> None:
    """Start over from the entrypoint if it did not run.

    A deep link to a server that has served nobody yet runs the page's script alone, because a folder named `pages`
    makes Streamlit assume its older kind of app until `st.navigation` was called once.
    """
    if not session().framed and st.context.url:
        navigate()
        st.rerun()
