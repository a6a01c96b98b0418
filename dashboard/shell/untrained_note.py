"""One line on every stage page of an encoder with random parameters, with a way to a trained one."""

import streamlit as st

from dashboard.models.loading import encoder_loader
from dashboard.models.model import Model
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS, WORDS


def render_untrained_note(model: Model) -> None:
    """Render the note and a button that keeps the text and the selected words; nothing for a trained encoder."""
    if model.is_trained:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="xsmall", width="content", key="untrained_note"
    ):
        st.caption("Untrained: who attends to whom is chance.", width="content")
        st.button("Open a trained encoder", type="tertiary", key="open_trained", on_click=_open_trained)


def _open_trained() -> None:
    """Choose minilm if this server has loaded it, else the small encoder that reads sentences."""
    has_minilm = MINILM in OFFERED and encoder_loader(OFFERED[MINILM]).encoder is not None
    session().set(SETTINGS["encoder"], MINILM if has_minilm else WORDS)
