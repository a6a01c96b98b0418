"""Text of users and error messages, escaped where markdown is rendered."""

import string

from encoder_core.figures.base import shorten


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
