"""The button Share on every page, and its dialog: the link to the current view, and the way back to a shared one."""

from urllib.parse import parse_qs

import streamlit as st

from dashboard.components.share import render_share
from dashboard.navigation import return_to_shared_view
from dashboard.page_list import RESULTS, WAY, AppPage, page_named
from dashboard.state.link import is_local, shared_link_to
from dashboard.state.presentation import start_presenting
from dashboard.state.session import session


def render_share_button(active: AppPage) -> None:
    """Render the button, and the dialog when it is clicked."""
    if st.button("Share", icon=":material/qr_code_2:", type="tertiary", key="share"):
        _render_dialog(active)


@st.dialog("Share this view")
def _render_dialog(active: AppPage) -> None:
    link = shared_link_to(active.name)
    if link:
        render_share(link, active.title, key="share_link")
        st.caption(_contents(active))
        if is_local(link):
            st.caption(
                ":orange[This address works on this computer only. To share the view with others, open the app at the "
                "address that this computer has in the network.]"
            )
    else:
        st.info("The address of this app is not known. The address bar of your browser has the link.")
    pages = ", then the next or the previous page" if active in WAY else ""
    if st.button("Present", icon=":material/slideshow:", key="present_button", on_click=start_presenting,
                 help="For a projector: large figures, no sidebar, no navigation. PageDown and PageUp show the "
                 f"next and the previous figure{pages}. Escape returns."):  # fmt: skip
        st.rerun()  # the whole page, not only the dialog
    view = session().shared_view
    if view is not None and (view[0] != active.name or parse_qs(view[1]) != parse_qs(session().query())):
        st.markdown(f"You came with a link to **{page_named(view[0]).title}**. Your changes since then are not in it.")
        st.button("Return to that view", icon=":material/undo:", key="share_return", on_click=return_to_shared_view)


def _contents(active: AppPage) -> str:
    if active.has_sidebar:
        return "The link contains the encoder, the text, the edits and the selected cell. It opens this page."
    if active == RESULTS:
        return "The link opens this page. Your answers are not in it: each person has their own."
    return "The link opens this page, with what you have chosen on it. It asks everybody for their own predictions."
