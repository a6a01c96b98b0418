"""A notice while the sidebar has the encoder of a training run that this server cannot show."""

import streamlit as st

from dashboard.models.checkpoints import run_of
from dashboard.state.offered_encoders import CHECKPOINT
from dashboard.state.session import session
from dashboard.state.settings import Settings
from dashboard.training.runs import RUNS
from dashboard.training.stored_run import StoredRun

_NO_RUN = (
    "The process of the server that you use does not have the training run of the link, so the pages show the random "
    "encoder. The page Training in the menu Lab says why, and can run it again."
)
_NO_ID = (
    "No training run is named in the link, so the pages show the random encoder. The page Training in the menu Lab "
    "starts one."
)
_PAUSED = (
    "The training run is paused before its first checkpoint, so the pages show the random encoder. The page Training "
    "in the menu Lab can resume it."
)
_ENDED = (
    "The training run ended before its first checkpoint, so the pages show the random encoder. The page Training in "
    "the menu Lab can start it again."
)


def render_run_notice(settings: Settings, rendered: str | None) -> None:
    """Render why the pages show the random encoder, if that of a training run is chosen and has no checkpoint.

    `rendered` names the encoder that the page shows, or is None before the page runs. If the run has a checkpoint by
    now, the page runs again.
    """
    if settings.encoder != CHECKPOINT:
        return
    run = run_of(settings)
    if run and run.checkpoints:
        if rendered not in (None, CHECKPOINT):
            st.rerun()
    elif run and run.is_open:
        _render_progress(run, session().query())
    else:
        ended = _PAUSED if run and run.status == "paused" else _ENDED
        st.warning(ended if run else _NO_RUN if settings.run else _NO_ID, icon=":material/info:")


@st.fragment(run_every=1.0)
def _render_progress(run: StoredRun, query: str) -> None:
    """Render where the run is. Rerun the app when it has a checkpoint, or if the choices differ from `query`."""
    if run.checkpoints or not run.is_open or session().query() != query:
        st.rerun()
    place = RUNS.position(run)
    state = f"waits for its turn, at place {place} in the queue" if place else "is starting"
    st.info(
        f"The training run {state}. Until its first checkpoint, the pages show the random encoder.",
        icon=":material/info:",
    )
