"""One line on every page of an encoder with random parameters, with a way to a trained one."""

from collections.abc import Callable

import streamlit as st

from dashboard.models.loading import encoder_loader
from dashboard.models.model import Model
from dashboard.models.story import story_head
from dashboard.selection.focus import focus_parameters
from dashboard.state import edit_history
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.setting_parameters import DEFAULT_TEXT, SETTINGS, WORDS


def render_untrained_note(model: Model) -> None:
    """Render the note and a button that keeps the text and the selected words; nothing for a trained encoder."""
    if not model.is_trained:
        render_note_on_chance()


def render_note_on_chance(then: Callable[[], None] = lambda: None) -> None:
    """Render the note and the button for a model that is known to be untrained.

    then  called after the choice of the trained encoder
    """

    def open_trained() -> None:
        _open_trained()
        then()

    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", width="content", key="untrained_note"
    ):
        st.caption("Untrained: who attends to whom is chance.", width="content")
        st.button("Open a trained encoder", type="tertiary", key="open_trained", on_click=open_trained)


def _open_trained() -> None:
    """Choose minilm if this server has loaded it, else the small encoder that reads sentences.

    With the default text, select the head of the start page: that of the untrained encoder was one of many. The edits
    are undone, because its tokens have other numbers: they would change other words.
    """
    edit_history.reset()
    has_minilm = MINILM in OFFERED and encoder_loader(OFFERED[MINILM]).encoder is not None
    encoder = MINILM if has_minilm else WORDS
    session().set(SETTINGS["encoder"], encoder)
    if session().get(SETTINGS["text"]) == DEFAULT_TEXT:
        head = story_head(encoder)
        session().set(focus_parameters()["layer"], head.layer + 1)
        session().set(focus_parameters()["head"], head.head + 1)
