"""Escape text that comes from users, links or errors before Streamlit renders it as markdown."""

import re
import string
import unicodedata
from collections.abc import Iterable, Sequence

from encoder_core.support.wording import shorten

_ESCAPED = re.compile(r"\\(.)\u2060", re.DOTALL)
_COLOURED = re.compile(r":(?:blue|red|green|violet|orange|gray)(?:-badge)?\[([^\]]*)\]")
_ISOLATE, _END = "\u2068", "\u2069"  # first strong isolate, pop directional isolate
_RIGHT_TO_LEFT = {"R", "AL", "AN", "RLE", "RLO", "RLI"}  # Unicode's bidirectional classes


def escape_token(token: str) -> str:
    """Escape a token for markdown, shortened to the length of a label."""
    return escape_markdown(isolate(shorten(token)))


def escape_tokens(tokens: Iterable[str]) -> str:
    """Escape the tokens of a sentence for markdown, each shortened to the length of a label. They are one unit, so that
    a browser displays them in the direction of their script."""
    return escape_markdown(isolate(" ".join(map(shorten, tokens))))


def isolate(text: str) -> str:
    """The text as one unit for the order in which a browser displays the words of a line, if it has letters that are
    written from right to left. Without it, two such tokens with only signs and digits between them change places."""
    is_right_to_left = not text.isascii() and not _RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, text))
    return f"{_ISOLATE}{text}{_END}" if is_right_to_left else text


def names_of_two(labels: Sequence[str], first: int, second: int) -> tuple[str, str]:
    """Two tokens in quotation marks, escaped, with their numbers where they are the same word at two places."""
    numbered = first != second and shorten(labels[first]) == shorten(labels[second])
    return _quoted(labels, first, numbered=numbered), _quoted(labels, second, numbered=numbered)


def name_in_sentence(labels: Sequence[str], place: int) -> str:
    """A token in quotation marks, escaped, with its number where the sentence has the same word at another place."""
    is_repeated = [shorten(label) for label in labels].count(shorten(labels[place])) > 1
    return _quoted(labels, place, numbered=is_repeated)


def _quoted(labels: Sequence[str], place: int, *, numbered: bool) -> str:
    name = f"“{escape_token(labels[place])}”"
    return f"token {place + 1} {name}" if numbered else name


def escape_markdown(text: str, characters: str = string.punctuation) -> str:
    """Escape these characters, so that markdown, LaTeX and Streamlit's extensions are shown as text.

    A word joiner (of zero width) follows each of them. It breaks what Streamlit replaces after it has removed the
    backslashes: `:cat:`, `->`, links.
    """
    return "".join(f"\\{letter}\u2060" if letter in characters else letter for letter in text)


def escape_message(message: str) -> str:
    """Escape an error message or a value from a link for markdown, except for punctuation that is usual in prose."""
    return escape_markdown(message, "\\`*_[]<>$#~|:!&")


def capitalize(sentence: str) -> str:
    """The text with a capital first letter; the others stay as they are."""
    return sentence[:1].upper() + sentence[1:]


def plain_text(markdown: str) -> str:
    """The text without what this module adds, and without bold, code, formulas' signs and colours."""
    # The escaped signs are set aside meanwhile, as characters of Unicode's private use area.
    set_aside = _ESCAPED.sub(lambda match: chr(0xE000 + ord(match[1])) if match[1].isascii() else match[1], markdown)
    text = _COLOURED.sub(r"\1", set_aside)
    text = re.sub(rf"\*\*|`|\$|{_ISOLATE}|{_END}", "", text)
    return "".join(chr(ord(sign) - 0xE000) if 0xE000 <= ord(sign) < 0xE080 else sign for sign in text)
