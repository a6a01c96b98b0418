"""The three ways into the app: follow the word, change everything, test a claim."""

from collections.abc import Callable

import streamlit as st

from dashboard.lessons.start.story import Story, follow, open_random
from dashboard.markdown import escape_token
from dashboard.navigation import open_page
from dashboard.page_list import STAGES
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS, WORDS
from encoder_core.inputs.corpus import load_sentences


def render_entrances(story: Story) -> None:
    """Render the entrances."""
    columns = st.columns(3, gap="medium")
    with columns[0]:
        _render(f"Follow “{escape_token(story.word)}”", "follow", lambda: follow(story, STAGES[1].name),
                f"{len(STAGES) - 1} stages lead from this sentence to the output of {story.encoder}, "
                f"a trained encoder.{_other_sentences_text()}",
                primary=True)  # fmt: skip
    with columns[1]:
        _render("Change everything", "map", lambda: open_random(story),
                "An encoder whose sizes you choose, with random parameters: who attends to whom is chance, and every "
                "slider recomputes it.")  # fmt: skip
    with columns[2]:
        _render("Test a claim", "lab", lambda: open_page("experiments"),
                "Experiments on what learners are told: predict, then measure.")  # fmt: skip


def _other_sentences_text() -> str:
    """A sentence on those of the text that this page does not show; empty if there is none."""
    others = len([line for line in session().get(SETTINGS["text"]).splitlines() if line.strip()]) - 1
    if others < 1:
        return ""
    return f" They also show the text's {'second sentence' if others == 1 else f'other {others} sentences'}."


def render_encoder_note(story: Story) -> None:
    """Render, if the encoder is the small one, what it knows, and a button to download minilm if it is offered."""
    if story.encoder != WORDS:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"Computed in **{WORDS}**, a small encoder that was trained on {len(load_sentences())} simple sentences. "
            "The larger encoder minilm was trained on far more text.",
            width="content",
        )
        if MINILM in OFFERED and session().get(SETTINGS["encoder"]) != MINILM:
            st.button("Download minilm", type="tertiary", on_click=lambda: session().set(SETTINGS["encoder"], MINILM))


def _render(label: str, name: str, on_click: Callable[[], None], text: str, primary: bool = False) -> None:
    st.button(label, key=f"entrance {name}", on_click=on_click, width="stretch",
              icon=":material/arrow_forward:", type="primary" if primary else "secondary")  # fmt: skip
    st.caption(text)
