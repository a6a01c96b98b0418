"""Escape text that comes from users, links or errors before Streamlit renders it as markdown."""

import string

from encoder_core.figures.base import shorten


def escape_token(token: str) -> str:
    """Escape a token for markdown, shortened to the length of a label."""
    return escape_markdown(shorten(token))


def escape_markdown(text: str, characters: str = string.punctuation) -> str:
    """Escape these characters, so that markdown, LaTeX and Streamlit's extensions are shown as text.

    A word joiner (of zero width) follows each of them. It breaks what Streamlit replaces after it has removed the
    backslashes: `:cat:`, `->`, links.
    """
    return "".join(f"\\{letter}\u2060" if letter in characters else letter for letter in text)


def escape_message(message: str) -> str:
    """Escape an error message or a value from a link for markdown, except for punctuation that is usual in prose."""
    return escape_markdown(message, "\\`*_[]<>$#~|:!&")
