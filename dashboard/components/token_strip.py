"""The tokens of the text as a strip of chips, each with its id."""

from collections.abc import Sequence
from html import escape

import streamlit as st
from jaxtyping import Bool, Int
from numpy import ndarray

from encoder_core.support.wording import shorten

_NAMES = "<span class='ew-token ew-names'>token<small>id</small></span>"

_MOST_CHIPS = 72  # about four lines


def render_token_strip(
    tokens: Sequence[Sequence[str]],
    ids: Int[ndarray, "batch seq"],
    real: Bool[ndarray, "batch seq"],
    selected: tuple[int, int],
) -> None:
    """Render one line of chips per sentence, with padding hatched.

    selected  (sentence, token); of a large batch, only the selected sentence is rendered
    """
    lines = []
    for sentence, (words, row, is_real) in enumerate(zip(tokens, ids, real, strict=True)):
        if ids.size > _MOST_CHIPS and sentence != selected[0]:
            continue
        chips = "".join(
            _chip(word, int(token_id), bool(token_real), (sentence, token) == selected)
            for token, (word, token_id, token_real) in enumerate(zip(words, row, is_real, strict=True))
        )
        highlight = " ew-selected" if len(tokens) > 1 and sentence == selected[0] else ""
        lines.append(f"<div class='ew-sentence{highlight}'>{_NAMES}{chips}</div>")
    render_strip(lines)


def render_strip(lines: Sequence[str]) -> None:
    """Render lines of chips, which are HTML. With many lines the strip scrolls, also by the keys of a keyboard."""
    st.html(f"<div class='ew-strip' tabindex='0' role='group' aria-label='Tokens'>{''.join(lines)}</div>")


def _chip(word: str, token_id: int, real: bool, selected: bool) -> str:
    classes = "ew-token" + ("" if real else " ew-padding") + (" ew-selected" if selected else "")
    title = escape(word, quote=True)
    return f'<span class="{classes}" title="{title}"><bdi>{escape(shorten(word))}</bdi><small>{token_id}</small></span>'
