"""The position looked at: sentence, layer, head, token, key token. Counted from 1 on screen and in the URL, from 0 in
the code. The page Recipes has a position of its own, because its models are not those of the walkthrough.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import streamlit as st

from dashboard.models.model import Model, model_for
from dashboard.selection.axis_window import Wide
from dashboard.selection.word_position import nearest_word, place_of_same_word
from dashboard.state.parameter import Parameter, number
from dashboard.state.session import session
from dashboard.state.widgets import shows
from encoder_core.figures import Selection
from encoder_core.figures.base import shorten

Part = Literal["sentence", "layer", "head", "token", "key_token"]

PARTS: tuple[Part, ...] = get_args(Part)
RECIPES_PAGE = "recipes"
MOST_PILLS = 16  # in one row; what has more places is picked from a list

_WALKTHROUGH: dict[Part, Parameter[int]] = {part: number(part, 1, default=1) for part in PARTS}
_OF_RECIPES: dict[Part, Parameter[int]] = {
    part: number(f"recipe_{part}", 1, default=1, apart=(RECIPES_PAGE, part)) for part in PARTS
}


class Focus(NamedTuple):
    """The position looked at, each part counted from 0; `labels` are the tokens of the sentence."""

    sentence: int
    layer: int
    head: int
    token: int
    key_token: int
    labels: tuple[str, ...]


def parameters() -> dict[Part, Parameter[int]]:
    """The parameters of the position on the current page."""
    return _OF_RECIPES if session().page == RECIPES_PAGE else _WALKTHROUGH


def settle(model: Model) -> Focus:
    """The position within this model. A token goes with its word when the text or the tokenizer has changed; a value of
    the link beyond the model's size is corrected, and that is said."""
    if session().page == RECIPES_PAGE:
        _read_old_link()
        batch = model.batch
    else:
        batch = model_for(model.settings).batch  # without edits: a replaced token is still the one that was selected
    sentence = _within("sentence", len(batch.tokens))
    layer, head = _within("layer", model.config.num_layers), _within("head", model.config.num_heads)
    labels, real = batch.tokens[sentence], batch.real[sentence]
    before = session().seen.get(_labels_key())
    session().seen[_labels_key()] = labels
    for part in ("token", "key_token"):
        parameter = parameters()[part]
        place = session().get(parameter) - 1
        if before is not None and before != labels:
            session().put(parameter, place_of_same_word(place, before, labels, real) + 1)
        elif place >= len(labels):
            session().correct(parameter, f"allowed are 1 to {len(labels)}", nearest_word(place, labels, real) + 1)
    token, key_token = (session().get(parameters()[part]) - 1 for part in ("token", "key_token"))
    return Focus(sentence, layer, head, token, key_token, model.batch.tokens[sentence])


def pick(model: Model, *parts: Part, wide: Sequence[Wide] = (), badge: Callable[[Focus], None] | None = None) -> Focus:
    """Render the pickers of the parts that apply on this page and return the position; other parts are 0.

    The sentence picker appears where there is more than one sentence. `wide` axes get a picker for the window that is
    drawn, behind the others; `badge` is rendered at the end of the line.
    """
    found, batch = settle(model), len(model.batch.tokens)
    chosen = {part: getattr(found, part) if part in parts else 0 for part in PARTS if part != "sentence"}
    focus = Focus(sentence=found.sentence, labels=found.labels, **chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus"):
        if batch > 1:
            (_pills if batch <= MOST_PILLS else _list)("sentence", "Sentence", found.sentence, batch)
        if "layer" in parts:
            _pills("layer", "Layer", found.layer, model.config.num_layers)
        if "head" in parts:
            _pills("head", "Head", found.head, model.config.num_heads)
        if "token" in parts:
            _tokens("token", "Query token" if "key_token" in parts else "Token", found.token, found.labels)
        if "key_token" in parts:
            _tokens("key_token", "Key token", found.key_token, found.labels)
        for axis in wide:
            axis.pick()
        if badge:
            st.space("stretch")
            badge(focus)
    return focus


def follow(selection: Selection) -> None:
    """Move the position looked at to what was clicked; call it from a callback."""
    for part in PARTS:
        if part in selection:
            session().set(parameters()[part], selection[part] + 1)


def _within(part: Part, count: int) -> int:
    """The index of a part, corrected to the model's size."""
    parameter = parameters()[part]
    if session().get(parameter) > count:
        session().correct(parameter, f"allowed are 1 to {count}", count)
    return session().get(parameter) - 1


def _read_old_link() -> None:
    """Take the position from a link that was made when Recipes shared that of the walkthrough."""
    asked = session().asked
    for part in PARTS:
        if part in asked and f"recipe_{part}" not in asked:
            session().put(_OF_RECIPES[part], session().get(_WALKTHROUGH[part]))


def _labels_key() -> str:
    return f"labels of {'recipes' if session().page == RECIPES_PAGE else 'the walkthrough'}"


def _pills(part: Part, label: str, index: int, count: int) -> None:
    bound = shows(parameters()[part], index + 1, count, begins="default")
    st.pills(label, range(1, count + 1), required=True, **bound)


def _list(part: Part, label: str, index: int, count: int) -> None:
    numbers = range(1, count + 1)
    bound = shows(parameters()[part], index + 1, count, begins=numbers)
    st.selectbox(label, numbers, filter_mode=None, width=90, **bound)


def _tokens(part: Part, label: str, index: int, labels: tuple[str, ...]) -> None:
    numbers = range(1, len(labels) + 1)
    st.selectbox(
        label,
        numbers,
        format_func=lambda number: f"{number} · {shorten(labels[number - 1])}",
        filter_mode=None,
        width=150,
        **shows(parameters()[part], index + 1, labels, begins=numbers),
    )
