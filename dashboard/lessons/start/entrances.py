"""The three ways into the app: follow the word, change everything, test a claim."""

from collections.abc import Callable

import streamlit as st

from dashboard.lessons.start.story import Story, follow, open_random
from dashboard.markdown import escape_token
from dashboard.navigation import open_page
from dashboard.page_list import STAGES
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.settings import SETTINGS


def render_entrances(story: Story | None) -> None:
    """Render the entrances; without a trained encoder, those that need none."""
    columns = st.columns(3 if story else 2, gap="medium")
    if story:
        with columns[0]:
            _render(f"Follow “{escape_token(story.word)}”", "follow", lambda: follow(story, STAGES[1].name),
                    f"{len(STAGES) - 1} stages lead from this sentence to these lines, in {story.encoder}.",
                    primary=True)  # fmt: skip
    with columns[-2]:
        _render("Change everything", "map", lambda: open_random(story) if story else open_page("map"),
                "An encoder of any size with random parameters: who attends to whom is chance, and every slider "
                "recomputes it.")  # fmt: skip
    with columns[-1]:
        _render("Test a claim", "lab", lambda: open_page("experiments"),
                "Experiments on what learners are told: predict, then measure.")  # fmt: skip


def render_no_encoder() -> None:
    """Render why there are no lines, and a button to download an encoder if the server offers one."""
    if MINILM not in OFFERED:
        st.info("This page needs a trained encoder, and this server offers none: see ENCODER_MODELS.")
    elif session().get(SETTINGS["encoder"]) == MINILM:
        st.caption("This page needs the trained encoder of the notice above.")
    else:
        st.info("This page needs a trained encoder, and none is on this server yet.", icon=":material/cloud_download:")
        st.button("Download minilm", on_click=lambda: session().set(SETTINGS["encoder"], MINILM), type="primary")


def _render(label: str, name: str, on_click: Callable[[], None], text: str, primary: bool = False) -> None:
    st.button(label, key=f"entrance {name}", on_click=on_click, width="stretch",
              icon=":material/arrow_forward:", type="primary" if primary else "secondary")  # fmt: skip
    st.caption(text)
