"""Links to the app in the current state, with the address that the browser uses."""

from collections.abc import Collection
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from dashboard.page_list import PAGES, START
from dashboard.state.choices import PREDICTION, STORY_ANSWER, TRAINING_PREDICTION
from dashboard.state.parameter import Parameter
from dashboard.state.session import session

_FIRST_PAGE = "first"  # the URL path that Streamlit has for the page at "/"


def shared_link_to(page: str) -> str:
    """The link to a page in the current state, which asks its readers for their own predictions."""
    return link_to(page, (PREDICTION, TRAINING_PREDICTION, STORY_ANSWER))


def link_to(page: str, omitted: Collection[Parameter[Any]] = ()) -> str:
    """The link to a page in the current state; "" if the address of the app is not known, as without a browser."""
    return address_of(page, session().query(omitted))


def address_of(page: str, query: str) -> str:
    """The address of a page with a query string; "" if the address of the app is not known."""
    folder = app_address()
    if not folder:
        return ""
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
