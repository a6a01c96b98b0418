"""A leap to another page from code: `st.switch_page` refuses to, where widgets are bound to the URL."""

from pathlib import Path

import streamlit as st

from dashboard.assets import component
from dashboard.stages import stage_named

_COMPONENT = component("leap", Path(__file__).parent)


def to(stage: str) -> None:
    """Go to this stage of the walkthrough, once the page and the sidebar are drawn; call it from a callback."""
    st.session_state["leap"] = stage


def take() -> None:
    """Go where a callback asked to: the last thing of a run, because it ends with it."""
    stage = st.session_state.pop("leap", None)
    if stage:
        _COMPONENT(data={"number": stage_named(stage).number}, key="leap")
