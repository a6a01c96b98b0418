"""A button that fills in example sentences, for views that need several."""

from collections.abc import Sequence

import streamlit as st

from dashboard.models.model import Model
from dashboard.state.setting_parameters import DEFAULT_TEXT
from dashboard.state.user_changes import set_text


def has_default_text(current: Model) -> bool:
    """Whether the encoder reads the default text, which example sentences may replace without a loss."""
    settings = current.settings
    return settings.text == DEFAULT_TEXT and settings.has_words


def render_examples(
    current: Model,
    needed: str,
    sentences: Sequence[str],
    *,
    key: str,
    no_sentences: str = "This encoder reads no sentences: choose another encoder.",
) -> None:
    """Show what is `needed`, and a button that types the sentences; a recipe has a fixed batch and some tasks
    read no sentences, so there is no button for them.

    no_sentences  what to do with an encoder whose task reads no sentences
    """
    if current.settings.recipe:
        st.info(f"{needed} This recipe has a fixed batch without them: choose another encoder.", icon=":material/info:")
        return
    if not current.settings.reads_sentences:
        st.info(f"{needed} {no_sentences}", icon=":material/info:")
        return
    st.info(f"{needed} Type sentences in the sidebar, one per line.", icon=":material/info:")
    st.button(
        f"Use {len(sentences)} example sentences",
        key=key,
        icon=":material/edit_note:",
        help="\n\n".join(sentences),
        on_click=_type,
        args=("\n".join(sentences),),
    )


def _type(text: str) -> None:
    """Set the text of the sidebar, as if the user had typed it."""
    set_text(text)
