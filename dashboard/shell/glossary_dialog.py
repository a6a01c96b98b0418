"""The button Glossary, and its dialog with all terms."""

import streamlit as st

from dashboard.glossary import GLOSSARY, without_marks


def render_glossary_button() -> None:
    """Render the button, and the dialog when it is clicked."""
    if st.button("Glossary", icon=":material/menu_book:", type="tertiary", key="glossary"):
        _render_dialog()


@st.dialog("Glossary", width="medium")
def _render_dialog() -> None:
    st.markdown(glossary_text())


def glossary_text() -> str:
    """All terms with their definitions, as markdown in the order of the alphabet."""
    terms = sorted(GLOSSARY.values(), key=lambda term: term.name.strip("[]").casefold())
    return "\n\n".join(f"**{term.name}** — {without_marks(term.definition)}" for term in terms)
