"""Links to the app in the current state, with the address that the browser uses."""

from urllib.parse import urlsplit

import streamlit as st

from dashboard.page_list import PAGES, START
from dashboard.state.session import session

_FIRST_PAGE = "first"  # the URL path that Streamlit has for the page at "/"


def link_to(page: str) -> str:
    """The link to a page in the current state; "" if the address of the app is not known, as without a browser."""
    folder = app_address()
    if not folder:
        return ""
    query = session().query()
    path = "" if page == START.name else page
    return f"{folder}/{path}{f'?{query}' if query else ''}"


def is_local(link: str) -> bool:
    """Whether a link works only on this computer."""
    host = urlsplit(link).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def app_address() -> str:
    """The address of the app as the browser writes it, without the page and the final slash."""
    url = urlsplit(st.context.url or "")
    if url.scheme not in ("http", "https"):
        return ""
    folder = url.path.rstrip("/")
    last = folder.rpartition("/")[2]
    if last in (_FIRST_PAGE, *(page.name for page in PAGES)):
        folder = folder.removesuffix(f"/{last}")
    return f"{url.scheme}://{url.netloc}{folder}"
