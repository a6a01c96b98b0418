"""Which part of the model is looked at: sentence, layer, head, token. Counted from 1 on screen, from 0 in the code.

Focus pickers stand in a fragment of their page, so they repaint only that. They are kept across pages, and a link
carries them. They are not bound to the URL by Streamlit: it would drop the parameter on a page without the picker, and
every change would be a step of the browser's Back. So the picture writes `address()` into the URL, in place.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import streamlit as st

from dashboard import analogy, choice, window
from dashboard.model import Model
from dashboard.settings import DEFAULTS
from dashboard.what_if import state
from dashboard.window import Wide
from encoder_core import RECIPES
from encoder_core.figures import Selection
from encoder_core.figures.base import shorten

Part = Literal["sentence", "layer", "head", "token", "key_token"]


TRAIL = "trail"  # in the session: {"cells": addresses, "focus": the focus they belong to}, see cells.py
BETWEEN = "~"  # cells of a trail in a link
MOST_PILLS = 16  # in one row; what has more places is picked from a list


class Focus(NamedTuple):
    """What is looked at, each counted from 0; `labels` are the tokens of the sentence."""

    sentence: int
    layer: int
    head: int
    token: int
    key_token: int
    labels: tuple[str, ...]


def pick(model: Model, *parts: Part, wide: Sequence[Wide] = (), badge: Callable[[Focus], None] | None = None) -> Focus:
    """Draw the pickers of the parts that mean something on this page, and return what they say.

    A sentence picker comes by itself where there is more than one sentence. The choice of what is shown of `wide` axes
    stands behind the pickers; `badge` is drawn at the end of the line.
    """
    if st.session_state.pop(state.CHANGED, False):
        st.rerun()  # a what-if concerns the whole page, not the part of it that asked
    if st.session_state.get("arriving", True):
        _take_from_url()
    batch = len(model.batch.tokens)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus"):
        sentence = 0
        if batch > 1:
            sentence = (_pills if batch <= MOST_PILLS else _list)("sentence", "Sentence", batch)
        labels = model.batch.tokens[sentence]
        layer = _pills("layer", "Layer", model.config.num_layers) if "layer" in parts else 0
        head = _pills("head", "Head", model.config.num_heads) if "head" in parts else 0
        token = _select("token", "Query token" if "key_token" in parts else "Token", labels) if "token" in parts else 0
        key_token = _select("key_token", "Key token", labels) if "key_token" in parts else 0
        focus = Focus(sentence, layer, head, token, key_token, labels)
        for axis in wide:
            axis.pick()
        if badge:
            st.space("stretch")
            badge(focus)
    return focus


def follow(selection: Selection) -> None:
    """Move the focus to what was clicked; call it from a callback, before the pickers are drawn."""
    for part in get_args(Part):
        if part in selection:
            _remembered()[part] = st.session_state[_widget(part)] = selection[part] + 1


def address() -> dict[str, str | None]:
    """What the URL should say of the focus, and of wide axes; a part in its first place is left out of it (None).

    The variant of a recipe is added: Streamlit does not write it when code has chosen it before it is first drawn.
    """
    remembered = _remembered()
    parts = {part: str(remembered[part]) if remembered.get(part, 1) > 1 else None for part in get_args(Part)}
    trail = st.session_state.get(TRAIL)
    parts |= {"edits": state.in_address(), "cell": BETWEEN.join(trail["cells"]) if trail else None}
    parts |= {analogy.NAME: analogy.in_address()} | choice.address() | window.address()
    has_variants = st.session_state.get("encoder") in RECIPES
    variant = st.session_state.get("variant", DEFAULTS["variant"])
    return parts | {"variant": variant if has_variants and variant != DEFAULTS["variant"] else None}


def _list(part: Part, label: str, count: int) -> int:
    _restore(part, count)
    return _keep(part, st.selectbox(label, range(1, count + 1), key=_widget(part), filter_mode=None, width=90))


def _pills(part: Part, label: str, count: int) -> int:
    _restore(part, count)
    return _keep(part, st.pills(label, range(1, count + 1), key=_widget(part), required=True))


def _select(part: Part, label: str, labels: tuple[str, ...]) -> int:
    _restore(part, len(labels))
    chosen = st.selectbox(
        label,
        range(1, len(labels) + 1),
        format_func=lambda number: f"{number} · {shorten(labels[number - 1])}",
        key=_widget(part),
        filter_mode=None,
        width=150,
    )
    return _keep(part, chosen)


def _restore(part: Part, count: int) -> None:
    """Give the picker its value: on arrival at a page from the URL, if it says one, else from the page before;
    later the picker has its own. Never beyond `count`."""
    value = _remembered().get(part, 1)
    if not st.session_state.get("arriving", True):
        value = st.session_state.get(_widget(part)) or value
    # Always said anew: on arrival Streamlit has dropped the value that the page before gave to this key.
    st.session_state[_widget(part)] = min(max(value, 1), count)


def _take_from_url() -> None:
    """All parts that the URL says: those, too, that a view of the page has no picker for."""
    for part in get_args(Part):
        in_url = st.query_params.get(part, "")
        if in_url:
            is_number = in_url.isascii() and in_url.isdigit() and len(in_url) < 9
            _remembered()[part] = max(1, int(in_url)) if is_number else 1


def _keep(part: Part, chosen: int | None) -> int:
    number = chosen or 1
    _remembered()[part] = number
    return number - 1


def _remembered() -> dict[Part, int]:
    """The focus, counted from 1, kept while a page has no picker for a part of it."""
    return st.session_state.setdefault("focus", {})


def _widget(part: Part) -> str:
    return f"focus_{part}"
