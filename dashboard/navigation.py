"""Register the pages with Streamlit, and open a page from a callback."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from urllib.parse import parse_qsl

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.page_list import LABS, PAGES, STAGES, START, WORKSHOP, AppPage, page_named
from dashboard.state.session import session

_ALIAS = "alias of the start page"


def register_pages() -> tuple[st.Page, dict[str, st.Page], AppPage]:
    """Register all pages in the top bar. Returns the page to run, all pages by name, and the entry of the former."""
    # Streamlit marks the page that may run, and the next run may begin before this one ends: each has pages of its own.
    pages = session().memo.pop("pages", None) or _make_pages()
    page = st.navigation(_menu(pages), position="top", expanded=True)
    return page, pages, next((entry for entry in PAGES if pages[entry.name] == page), START)


def keep_pages(pages: dict[str, st.Page]) -> None:
    """Call it at the end of a run: the next one need not make its pages."""
    session().memo["pages"] = pages


@contextmanager
def part_of(page: st.Page) -> Iterator[None]:
    """Context in which the entrypoint renders a part of the page: the browser removes it when the page is left.

    What the entrypoint renders stays until the next run has rendered it again: below the page, it would stand in the
    place of the next one for a while, and then jump.
    """
    context = get_script_run_ctx()
    with context.run_with_active_hash(page._script_hash) if context else nullcontext():
        yield


def _make_pages() -> dict[str, st.Page]:
    """All pages by name."""
    # The start page is served at "/". The alias serves it at its name as well, like every other page.
    alias = st.Page(START.path, title="Start", url_path=START.name, visibility="hidden")
    walkthrough = {stage.name: _page(stage, f"{stage.number} {stage.title}") for stage in STAGES}
    others = {page.name: _page(page, page.title) for page in (*LABS, *WORKSHOP)}
    return {START.name: _page(START, "Start"), _ALIAS: alias} | walkthrough | others


def _menu(pages: dict[str, st.Page]) -> dict[str, list[st.Page]]:
    """The groups of the menu."""
    groups: dict[str, Sequence[AppPage]] = {"Walkthrough": STAGES, "Lab": LABS, "Workshop": WORKSHOP}
    menu = {title: [pages[entry.name] for entry in entries] for title, entries in groups.items()}
    return {"": [pages[START.name], pages[_ALIAS]]} | menu


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


def _page(entry: AppPage, title: str) -> st.Page:
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
