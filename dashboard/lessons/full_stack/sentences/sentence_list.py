"""Lists of sentences with marked tokens, as HTML. Every token is escaped: the user's sentences are among them."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Literal, NamedTuple

import streamlit as st

from encoder_core.analysis.language import is_punctuation
from encoder_core.analysis.language.token_kinds import SPECIAL
from encoder_core.support.number_format import format_fixed

Mark = Literal["found", "query", "key"]
_INNER = "##"  # prefix of a WordPiece that continues a word


class ListedSentence(NamedTuple):
    """One row of the list.

    value  from -1 to 1: the length of the bar, and the number beside it
    title  what the row is about, as HTML; "" for none
    note   a few words after the sentence
    marks  the marked tokens
    """

    value: float
    tokens: Sequence[str]
    marks: Mapping[int, Mark]
    title: str = ""
    note: str = ""


def render_sentence_list(rows: Iterable[ListedSentence], heading: str) -> None:
    """Render a line for each sentence, with a bar, its value and its marked tokens.

    heading  of the values, for screen readers and above them
    """
    lines = "".join(_line(row) for row in rows)
    head = f"<div class='ew-list-head' aria-hidden='true'>{escape(heading)}</div>"
    st.html(f"{head}<div class='ew-list' role='list' aria-label='{escape(heading, quote=True)}'>{lines}</div>")


def marked_token(token: str, mark: Mark) -> str:
    """A token as it is marked in a sentence, as HTML."""
    return f"<b class='ew-mark ew-{mark}'><bdi>{escape(token.removeprefix(_INNER))}</bdi></b>"


def _line(row: ListedSentence) -> str:
    width = max(0.0, min(1.0, abs(row.value)))
    value = f"<span class='ew-value'><i style='width:{100 * width:.1f}%'></i>{format_fixed(row.value, 2)}</span>"
    title = f"<span class='ew-list-title'>{row.title}</span>" if row.title else ""
    note = f"<small>{escape(row.note)}</small>" if row.note else ""
    text = f"<span class='ew-list-text'>{_sentence(row.tokens, row.marks)} {note}</span>"
    return f"<div class='ew-list-row' role='listitem'>{value}{title}{text}</div>"


def _sentence(tokens: Sequence[str], marks: Mapping[int, Mark]) -> str:
    """The tokens as a sentence; [CLS] and [SEP] appear only if they are marked."""
    text = ""
    for place, token in enumerate(tokens):
        if token in SPECIAL and place not in marks:
            continue
        is_joined = place > 0 and (token.startswith(_INNER) or is_punctuation(token))
        space = "" if is_joined or not text else " "
        text += space + (marked_token(token, marks[place]) if place in marks else escape(token.removeprefix(_INNER)))
    return text
