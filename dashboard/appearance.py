"""The appearance in use, and how a token is written where markdown is rendered."""

import string

import streamlit as st

from encoder_core.figures import ThemeName
from encoder_core.figures.base import shorten


def theme() -> ThemeName:
    """The appearance in use."""
    return "dark" if st.context.theme.type == "dark" else "light"


def plain(token: str) -> str:
    """A token for markdown, escaped and cut to a label's length."""
    return literal(shorten(token))


def literal(text: str, signs: str = string.punctuation) -> str:
    """A text for markdown, with nothing in it that markdown, LaTeX or Streamlit would render.

    The word joiner, which has no width, keeps apart what is replaced after the escapes are gone: `:cat:`, `->`, links.
    """
    return "".join(f"\\{letter}\u2060" if letter in signs else letter for letter in text)


def sentence(message: str) -> str:
    """An error's message, or what a link says, for markdown: the same, without touching signs that stand in prose."""
    return literal(message, "\\`*_[]<>$#~|:!&")
