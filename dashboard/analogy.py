"""The analogy that a session asks for, as a text, which the URL carries."""

import streamlit as st

from encoder_core.pretrained.analogy import LONGEST

NAME = "analogy"  # in the session and in the URL
PRESETS = ("king - man + woman", "paris - france + germany")


def text() -> str:
    """The text in use; at first that of the link."""
    return _state()["text"]


def ask(text: str) -> None:
    """Another one, from the person; call it from a callback."""
    st.session_state[NAME] = {"text": text, "of_link": False, "problem": ""}


def refuse(problem: str) -> bool:
    """Put the first preset in the place of a text that a link asks for and that cannot be read; one that the person
    typed is left as it is. Returns whether it was the link's."""
    was_of_link = _state()["of_link"]
    if was_of_link:
        st.session_state[NAME] = {"text": PRESETS[0], "of_link": False, "problem": problem}
    return was_of_link


def problem() -> str:
    """What was wrong with the link, until the person asks for another one."""
    return _state()["problem"]


def in_address() -> str | None:
    """What the URL says of it."""
    return text() if text() != PRESETS[0] else None


def _state() -> dict:
    if NAME not in st.session_state:
        asked = st.query_params.get(NAME, "")[: LONGEST + 1]
        st.session_state[NAME] = {"text": asked or PRESETS[0], "of_link": bool(asked), "problem": ""}
    return st.session_state[NAME]
