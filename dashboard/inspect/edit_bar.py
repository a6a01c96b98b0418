"""The bar above every page with the edits in use, and Undo, Redo and Reset."""

import streamlit as st

from dashboard.inspect.edit_text import describe_edit
from dashboard.markdown import escape_markdown
from dashboard.models.model import Model
from dashboard.state import edit_history
from encoder_core.edits import format_edit


def render_edit_bar(model: Model) -> None:
    """Render the bar if there are edits, or if an edit of this page can be undone or redone."""
    if not (
        edit_history.edit_texts()
        or (edit_history.changed_on_this_page() and (edit_history.can_undo() or edit_history.can_redo()))
    ):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what-if-bar"):
        st.markdown("**Edits**" if model.edits else ":gray[No edits are in use.]", width="content")
        for edit in model.edits:
            text = format_edit(edit)
            label = escape_markdown(describe_edit(edit, model))
            st.button(label, icon=":material/close:", key=f"without_{text}", on_click=edit_history.remove, args=(text,),
                      help="Remove this edit")  # fmt: skip
        st.space("stretch")
        st.button("Undo", icon=":material/undo:", disabled=not edit_history.can_undo(), on_click=edit_history.undo)
        st.button("Redo", icon=":material/redo:", disabled=not edit_history.can_redo(), on_click=edit_history.redo)
        st.button(
            "Reset", icon=":material/restart_alt:", disabled=not edit_history.edit_texts(), on_click=edit_history.reset
        )
