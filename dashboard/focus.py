"""Which part of the model is looked at: sentence, layer, head, token. Counted from 1 on screen, from 0 in the code.

Focus pickers stand in a fragment of their page, so they repaint only that. They are kept across pages, and a link
carries them: a widget bound to the URL would lose its parameter on a page that does not have it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import streamlit as st

from dashboard.model import Model
from encoder_core.figures.base import shorten

Part = Literal["sentence", "layer", "head", "token", "key_token"]


class Focus(NamedTuple):
    """What is looked at, each counted from 0; `labels` are the tokens of the sentence."""

    sentence: int
    layer: int
    head: int
    token: int
    key_token: int
    labels: tuple[str, ...]


def pick(model: Model, *parts: Part, badge: Callable[[Focus], None] | None = None) -> Focus:
    """Draw the pickers of the parts that mean something on this page, and return what they say.

    A sentence picker comes by itself where there is more than one sentence. `badge` is drawn at the end of the line.
    """
    batch, seq = model.batch.ids.shape
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus"):
        sentence = _pills("sentence", "Sentence", batch) if batch > 1 else 0
        labels = model.batch.tokens[sentence]
        layer = _pills("layer", "Layer", model.config.num_layers) if "layer" in parts else 0
        head = _pills("head", "Head", model.config.num_heads) if "head" in parts else 0
        token = _select("token", "Query token" if "key_token" in parts else "Token", labels) if "token" in parts else 0
        key_token = _select("key_token", "Key token", labels) if "key_token" in parts else 0
        focus = Focus(sentence, layer, head, token, key_token, labels)
        if badge:
            st.space("stretch")
            badge(focus)
    return focus


class Cell(NamedTuple):
    """A clicked cell: the panel it is in, its row and column, and, in a mosaic, the row and column of its tile."""

    panel: int
    row: int
    column: int
    tile: tuple[int, int] | None = None


# What the axes of a figure mean for the focus.
_PART_OF_AXIS: dict[str, Part] = {
    "query": "token",
    "token": "token",
    "key": "key_token",
    "layer": "layer",
    "head": "head",
    "sentence": "sentence",
}


def follow(cell: Cell, meta: Mapping[str, Any]) -> None:
    """Move the focus to a clicked cell; call it from a callback, before the pickers are drawn."""
    places = {meta.get("row_axis"): cell.row, meta.get("column_axis"): cell.column}
    if cell.tile:
        places |= {meta.get("tile_row_axis"): cell.tile[0], meta.get("tile_column_axis"): cell.tile[1]}
    for axis, index in places.items():
        if axis in _PART_OF_AXIS:
            st.session_state[_PART_OF_AXIS[axis]] = index + 1


def _pills(part: Part, label: str, count: int) -> int:
    _restore(part, count)
    chosen = st.pills(label, range(1, count + 1), key=part, required=True, persist_state="session")
    return _keep(part, chosen)


def _select(part: Part, label: str, labels: tuple[str, ...]) -> int:
    _restore(part, len(labels))
    chosen = st.selectbox(
        label,
        range(1, len(labels) + 1),
        format_func=lambda number: f"{number} · {shorten(labels[number - 1])}",
        key=part,
        persist_state="session",
        filter_mode=None,
        width=150,
    )
    return _keep(part, chosen)


def _restore(part: Part, count: int) -> None:
    """Take the value from the URL where it changed there (a link, or Back), else from the session (a change of page
    empties the URL); keep it in range."""
    in_url = st.query_params.get(part)
    value = st.session_state.get(part) or 1
    if in_url and in_url != st.session_state.get(_written(part)):
        value = int(in_url) if in_url.isascii() and in_url.isdigit() and len(in_url) < 9 else 1
    value = min(max(value, 1), count)
    if st.session_state.get(part) != value:
        st.session_state[part] = value


def _keep(part: Part, chosen: int | None) -> int:
    number = chosen or 1
    text = None if number == 1 else str(number)
    if text != st.query_params.get(part):
        if text is None:
            del st.query_params[part]
        else:
            st.query_params[part] = text
    st.session_state[_written(part)] = text
    return number - 1


def _written(part: Part) -> str:
    return f"written_{part}"
