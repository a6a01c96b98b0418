"""Register the pages with Streamlit, and open a page from a callback."""

from urllib.parse import parse_qsl

import streamlit as st

from dashboard.page_list import LABS, PAGES, STAGES, START, WORKSHOP, Lab, Stage, page_named
from dashboard.state.session import session


def register_pages() -> tuple[st.Page, dict[str, st.Page], Stage | Lab]:
    """Register all pages in the top bar. Returns the page to run, all pages by name, and the entry of the former."""
    # Each session has its own, made once: Streamlit marks the one that may run.
    memo = session().memo
    if "pages" not in memo:
        memo["pages"] = _make_pages()
    pages, groups = memo["pages"]
    page = st.navigation(groups, position="top")
    return page, pages, next((entry for entry in PAGES if pages[entry.name] == page), START)


def _make_pages() -> tuple[dict[str, st.Page], dict[str, list[st.Page]]]:
    """All pages by name, and the groups of the menu."""
    walkthrough = {stage.name: _page(stage, f"{stage.number} {stage.title}") for stage in STAGES}
    lab, workshop = ({page.name: _page(page, page.title) for page in pages} for pages in (LABS, WORKSHOP))
    start = _page(START, "Start")
    # The start page is served at "/". The alias serves it at its name as well, like every other page.
    alias = st.Page(START.path, title="Start", url_path=START.name, visibility="hidden")
    groups = {
        "": [start, alias],
        "Walkthrough": list(walkthrough.values()),
        "Lab": list(lab.values()),
        "Workshop": list(workshop.values()),
    }
    return {START.name: start} | walkthrough | lab | workshop, groups


def open_page(name: str) -> None:
    """Open another page with the same state; call it from a callback."""
    entry = page_named(name)
    st.switch_page(_page(entry, entry.title), query_params=parse_qsl(session().query(), keep_blank_values=True))


def return_to_shared_view() -> None:
    """Open the view of the link that opened the tab; call it from a callback."""
    view = session().shared_view
    if view is not None:
        open_view(*view)


def open_view(page: str, query: str) -> None:
    """Open the view of a query string; call it from a callback."""
    current = session()
    current.read_link(query)
    current.page = page  # so that the parameters of this page are kept
    open_page(page)


def _page(entry: Stage | Lab, title: str) -> st.Page:
    # Without a help text: it would wrap each stage link in a tooltip, which the browser rebuilds in every run.
    is_first = entry == START
    return st.Page(entry.path, title=title, url_path="first" if is_first else entry.name, default=is_first)


def ensure_entrypoint() -> None:
    """Restart the run from the entrypoint if the entrypoint has not run in this session.

    Until `st.navigation` is called once in the server's process, Streamlit treats the folder `pages` as an app of its
    older kind: a deep link then runs the page's script alone.
    """
    if not session().entrypoint_ran and st.context.url:
        register_pages()
        st.rerun()
