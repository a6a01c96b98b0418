"""The edits in use, above every page: each can be taken out, the last undone, all reset."""

import streamlit as st

from dashboard.inspect.edit_text import in_words
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.state import edit_history
from encoder_core.edits import to_text


def bar(model: Model) -> None:
    """Nothing where no edit is in use; after an undo, Redo is offered on the same page."""
    if not (
        edit_history.texts() or (edit_history.changed_here() and (edit_history.can_undo() or edit_history.can_redo()))
    ):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what-if-bar"):
        st.markdown("**What if**" if model.edits else ":gray[No what-if is in use.]", width="content")
        for edit in model.edits:
            text = to_text(edit)
            words = " ".join(plain(word) for word in in_words(edit, model).split(" "))
            st.button(words, icon=":material/close:", key=f"without_{text}", on_click=edit_history.remove, args=(text,),
                      help="Take this what-if out")  # fmt: skip
        st.space("stretch")
        st.button("Undo", icon=":material/undo:", disabled=not edit_history.can_undo(), on_click=edit_history.undo)
        st.button("Redo", icon=":material/redo:", disabled=not edit_history.can_redo(), on_click=edit_history.redo)
        st.button(
            "Reset", icon=":material/restart_alt:", disabled=not edit_history.texts(), on_click=edit_history.reset
        )
