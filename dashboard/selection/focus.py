"""The focus: the selected sentence, layer, head, token and key token. Counted from 1 on screen and in the URL, from 0
in the code. The page Recipes has a separate focus, because its models are not those of the walkthrough.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import streamlit as st
from jaxtyping import Bool
from streamlit.delta_generator import DeltaGenerator

from dashboard.models.model import Model, model_for
from dashboard.models.story import NOUN, PRONOUN
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.word_position import nearest_word, place_of_same_word
from dashboard.state.parameter import Parameter, declare_number
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.figures import Selection
from encoder_core.scenes.focus import Focus as Focus  # pages import it from here
from encoder_core.support.wording import shorten

Part = Literal["sentence", "layer", "head", "token", "key_token"]

PARTS: tuple[Part, ...] = get_args(Part)
RECIPES_PAGE = "recipes"
MAX_PILLS = 16  # in one row; a list shows more options

# The query and the key that are selected at first: the first of these words that the sentence has.
DEFAULT_WORDS: dict[Part, tuple[str, ...]] = {"token": (PRONOUN,), "key_token": (NOUN, "dog")}

# None: the default word, or the first word of a text that does not have it.
_WALKTHROUGH: dict[Part, Parameter[Any]] = {
    part: declare_number(part, 1, default=None if part in DEFAULT_WORDS else 1) for part in PARTS
}
_RECIPES: dict[Part, Parameter[Any]] = {
    part: declare_number(f"recipe_{part}", 1, default=1, explicit_with=(RECIPES_PAGE, part)) for part in PARTS
}


def focus_parameters() -> dict[Part, Parameter[Any]]:
    """The parameters of the focus on the current page."""
    return _RECIPES if session().page == RECIPES_PAGE else _WALKTHROUGH


def resolve_focus(model: Model) -> Focus:
    """The focus within this model.

    After a change of the text or the tokenizer, the token moves to the same word. A value of the link beyond the
    model's size is corrected, with a message.
    """
    if session().page == RECIPES_PAGE:
        _read_old_link()
        batch = model.batch
    else:
        batch = model_for(model.settings).batch  # without edits: a replaced token stays selected
    sentence = _index_within("sentence", len(batch.tokens))
    layer, head = _index_within("layer", model.config.num_layers), _index_within("head", model.config.num_heads)
    labels, real = batch.tokens[sentence], batch.real[sentence]
    before = session().last_used.get(_labels_key())
    session().last_used[_labels_key()] = labels
    for part in DEFAULT_WORDS:
        parameter = focus_parameters()[part]
        number = session().get(parameter)
        if number is None:
            continue
        place = number - 1
        if before is not None and before != labels:
            session().set_derived(parameter, place_of_same_word(place, before, labels, real) + 1)
        elif place >= len(labels):
            session().correct(parameter, f"allowed are 1 to {len(labels)}", nearest_word(place, labels, real) + 1)
    token, key_token = (_place_of(part, labels, real) for part in DEFAULT_WORDS)
    return Focus(sentence, layer, head, token, key_token, model.batch.tokens[sentence])


def focus_line() -> DeltaGenerator:
    """The container of the pickers above a figure: one line, or more where the window is narrow."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus")


def render_focus_controls(
    model: Model,
    *parts: Part,
    wide: Sequence[WideAxis] = (),
    badge: Callable[[Focus], None] | None = None,
    of_sentence: bool = True,
) -> Focus:
    """Render the focus line: the controls of these parts, and the window pickers of `wide` axes. Return the focus.

    badge        is rendered at the end of the line
    of_sentence  see `render_focus_pickers`
    """
    with focus_line():
        focus = render_focus_pickers(model, *parts, of_sentence=of_sentence)
        for axis in wide:
            axis.render_picker()
        if badge:
            st.space("stretch")
            badge(focus)
    return focus


def render_focus_pickers(model: Model, *parts: Part, of_sentence: bool = True) -> Focus:
    """Render the controls of these parts and return the focus; its other parts are 0.

    A batch of several sentences has a control for the sentence, unless what is shown is not `of_sentence`. A page with
    pickers of its own renders both into `focus_line`.
    """
    full, batch = resolve_focus(model), len(model.batch.tokens)
    selected = {part: getattr(full, part) if part in parts else 0 for part in PARTS if part != "sentence"}
    if batch > 1 and of_sentence:
        (_render_pills if batch <= MAX_PILLS else _render_list)("sentence", "Sentence", full.sentence, batch)
    if "layer" in parts:
        _render_pills("layer", "Layer", full.layer, model.config.num_layers)
    if "head" in parts:
        _render_pills("head", "Head", full.head, model.config.num_heads)
    if "token" in parts:
        _render_token_list("token", "Query token" if "key_token" in parts else "Token", full.token, full.labels)
    if "key_token" in parts:
        _render_token_list("key_token", "Key token", full.key_token, full.labels)
    return Focus(sentence=full.sentence, labels=full.labels, **selected)


def move_focus(selection: Selection) -> None:
    """Move the focus to what was clicked; call it from a callback."""
    for part in PARTS:
        if part in selection:
            session().set(focus_parameters()[part], selection[part] + 1)


def set_labels(labels: tuple[str, ...]) -> None:
    """Set the tokens that the focus counts. If the next page has others, the focus moves to the same words."""
    session().last_used[_labels_key()] = labels


def counted_labels() -> tuple[str, ...]:
    """The tokens that the focus counts: those of its sentence without edits. Empty before the first run."""
    return session().last_used.get(_labels_key(), ())


def _index_within(part: Part, count: int) -> int:
    """The index of a part; a number beyond `count` is corrected."""
    parameter = focus_parameters()[part]
    if session().get(parameter) > count:
        session().correct(parameter, f"allowed are 1 to {count}", count)
    return session().get(parameter) - 1


def _place_of(part: Part, labels: tuple[str, ...], real: Bool[np.ndarray, "seq"]) -> int:
    """The place of the selected token, or of the default one, counted from 0."""
    number = session().get(focus_parameters()[part])
    if number is not None:
        return int(number) - 1
    words = [label.casefold() for label in labels]
    default = next((word for word in DEFAULT_WORDS[part] if word in words), None)
    return words.index(default) if default else nearest_word(0, labels, real)


def _read_old_link() -> None:
    """Read old links to Recipes, which contain the focus under the walkthrough's names."""
    link_values = session().link_values
    for part in PARTS:
        if part in link_values and f"recipe_{part}" not in link_values:
            session().set_derived(_RECIPES[part], session().get(_WALKTHROUGH[part]))


def _labels_key() -> str:
    return f"labels of {'recipes' if session().page == RECIPES_PAGE else 'the walkthrough'}"


def _render_pills(part: Part, label: str, index: int, count: int) -> None:
    bound = bind_widget(focus_parameters()[part], index + 1, count, value_argument="default")
    st.pills(label, range(1, count + 1), required=True, **bound)


def _render_list(part: Part, label: str, index: int, count: int) -> None:
    numbers = range(1, count + 1)
    bound = bind_widget(focus_parameters()[part], index + 1, count, index_of=numbers)
    st.selectbox(label, numbers, filter_mode=None, width=90, **bound)


def _render_token_list(part: Part, label: str, index: int, labels: tuple[str, ...]) -> None:
    numbers = range(1, len(labels) + 1)
    st.selectbox(
        label,
        numbers,
        format_func=lambda number: f"{number} · {shorten(labels[number - 1])}",
        filter_mode=None,
        width=150,
        **bind_widget(focus_parameters()[part], index + 1, labels, index_of=numbers),
    )
