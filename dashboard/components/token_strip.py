"""Tokens as a strip of chips, each with its id: what the text has become."""

from collections.abc import Sequence
from html import escape

import streamlit as st
from jaxtyping import Bool, Int
from numpy import ndarray

from encoder_core.figures.base import shorten

_NAMES = "<span class='ew-token ew-names'>token<small>id</small></span>"

_MOST_CHIPS = 72  # about four lines


def token_strip(
    tokens: Sequence[Sequence[str]],
    ids: Int[ndarray, "batch seq"],
    real: Bool[ndarray, "batch seq"],
    selected: tuple[int, int],
) -> None:
    """One line of chips a sentence, padding hatched; `selected` is the (sentence, token) that is looked at.

    Of a large batch only the sentence that is looked at is shown.
    """
    lines = []
    for sentence, (words, numbers, is_real) in enumerate(zip(tokens, ids, real, strict=True)):
        if ids.size > _MOST_CHIPS and sentence != selected[0]:
            continue
        chips = "".join(
            _chip(word, int(number), bool(at_real), (sentence, token) == selected)
            for token, (word, number, at_real) in enumerate(zip(words, numbers, is_real, strict=True))
        )
        marked = " ew-selected" if len(tokens) > 1 and sentence == selected[0] else ""
        lines.append(f"<div class='ew-sentence{marked}'>{_NAMES}{chips}</div>")
    st.html(f"<div class='ew-strip'>{''.join(lines)}</div>")


def _chip(word: str, number: int, real: bool, selected: bool) -> str:
    classes = "ew-token" + ("" if real else " ew-padding") + (" ew-selected" if selected else "")
    title = escape(word, quote=True)
    return f'<span class="{classes}" title="{title}"><bdi>{escape(shorten(word))}</bdi><small>{number}</small></span>'
