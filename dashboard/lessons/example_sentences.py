"""Example sentences for what needs more than one, at a press of a button."""

from collections.abc import Sequence

import streamlit as st

from dashboard.models.model import Model
from dashboard.state.session import session
from dashboard.state.settings import SETTINGS


def offer(current: Model, needed: str, sentences: Sequence[str], *, key: str) -> None:
    """Say what is `needed`, and offer the sentences; a recipe has its own batch, and takes none."""
    if current.settings.recipe:
        st.info(f"{needed} This recipe's own batch has none: choose another encoder.", icon=":material/info:")
        return
    st.info(f"{needed} Type them in the sidebar, one a line.", icon=":material/info:")
    st.button(
        f"Use {len(sentences)} example sentences",
        key=key,
        icon=":material/edit_note:",
        help="\n\n".join(sentences),
        on_click=_type,
        args=("\n".join(sentences),),
    )


def _type(text: str) -> None:
    """As if the user had typed it."""
    session().set(SETTINGS["text"], text)
