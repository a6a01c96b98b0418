"""The edits in use, above every page: each can be taken out, the last undone, all reset."""

import streamlit as st

from dashboard.appearance import plain
from dashboard.model import Model
from dashboard.what_if import state
from dashboard.what_if.words import in_words
from encoder_core.edits import to_text


def bar(model: Model) -> None:
    """Nothing where no edit is in use; after an undo, Redo is offered on the same page."""
    if not (state.texts() or (state.changed_here() and (state.can_undo() or state.can_redo()))):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what-if-bar"):
        st.markdown("**What if**" if model.edits else ":gray[No what-if is in use.]", width="content")
        for edit in model.edits:
            text = to_text(edit)
            words = " ".join(plain(word) for word in in_words(edit, model).split(" "))
            st.button(words, icon=":material/close:", key=f"without_{text}", on_click=state.remove, args=(text,),
                      help="Take this what-if out")  # fmt: skip
        st.space("stretch")
        st.button("Undo", icon=":material/undo:", disabled=not state.can_undo(), on_click=state.undo)
        st.button("Redo", icon=":material/redo:", disabled=not state.can_redo(), on_click=state.redo)
        st.button("Reset", icon=":material/restart_alt:", disabled=not state.texts(), on_click=state.reset)
