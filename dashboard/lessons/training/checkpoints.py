"""Which checkpoint is shown: the latest of a run in progress, the one of the slider, or the one of the player."""

import streamlit as st

from dashboard.navigation import open_page
from dashboard.selection.focus import focus_parameters
from dashboard.state.choices import CHECKPOINT_STEP
from dashboard.state.offered_encoders import CHECKPOINT
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.user_changes import set_text
from dashboard.state.widgets import bind_widget
from dashboard.training.stored_run import StoredCheckpoint, StoredRun

_PLAYING = "training player"  # in the memo of the session: the index of the checkpoint that the player shows


def is_playing() -> bool:
    """Whether the player shows one checkpoint after another."""
    return _PLAYING in session().memo


def stop_playing() -> None:
    """Stop the player at the checkpoint that it shows."""
    session().memo.pop(_PLAYING, None)


def play_next(run: StoredRun) -> None:
    """Let the player go on to the next checkpoint; after the last one it stops."""
    index = session().memo[_PLAYING] + 1
    if index < len(run.checkpoints):
        session().memo[_PLAYING] = index
        session().set_derived(CHECKPOINT_STEP, run.checkpoints[index].step)
    else:
        stop_playing()


def shown_checkpoint(run: StoredRun) -> StoredCheckpoint | None:
    """The checkpoint to show; None before the first one."""
    return run.checkpoint_at(None if run.is_open else session().get(CHECKPOINT_STEP))


def render_checkpoint_picker(run: StoredRun) -> None:
    """Render the slider over the checkpoints and the player; the step alone while the run is in progress."""
    checkpoint = shown_checkpoint(run)
    if checkpoint is None:
        return
    steps = [stored.step for stored in run.checkpoints]
    if run.is_open or len(steps) == 1:
        st.markdown(f"Attention after step **{checkpoint.step:,}**, the latest checkpoint")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if is_playing():
            st.button("Pause", icon=":material/pause:", key="checkpoint_pause", on_click=stop_playing)
            st.progress((steps.index(checkpoint.step) + 1) / len(steps), f"Attention after step {checkpoint.step:,}")
        else:
            st.button("Play", icon=":material/play_arrow:", key="checkpoint_play", on_click=_play, args=(run,),
                      help="Show all checkpoints, one after another")  # fmt: skip
            bound = bind_widget(CHECKPOINT_STEP, checkpoint.step, options=tuple(steps))
            st.select_slider("Attention after step", steps, format_func=lambda step: f"{step:,}", **bound)


def render_open_button(run: StoredRun, text: str, layer: int, head: int, *, key: str) -> None:
    """Render the button that opens the stage pages with the encoder of the checkpoint, the example and this head."""
    checkpoint = shown_checkpoint(run)
    if checkpoint:
        st.button(f"Open the encoder after step {checkpoint.step:,} in the walkthrough", icon=":material/open_in_new:",
                  key=key, on_click=_open, args=(run, checkpoint, text, layer, head),
                  help="Every stage page then shows this encoder with this input; its sidebar has the checkpoints.",
                  )  # fmt: skip


def _open(run: StoredRun, checkpoint: StoredCheckpoint, text: str, layer: int, head: int) -> None:
    stop_playing()
    for name, value in (("encoder", CHECKPOINT), ("run", run.id), ("checkpoint", checkpoint.step)):
        session().set(SETTINGS[name], value)
    set_text(text, "text" if run.plan.definition.reads_sentences else "input")
    session().set(focus_parameters()["layer"], layer + 1)
    session().set(focus_parameters()["head"], head + 1)
    open_page("multi_head")


def _play(run: StoredRun) -> None:
    """Begin at the checkpoint that is shown, or at the first one after the last."""
    checkpoint, steps = shown_checkpoint(run), [stored.step for stored in run.checkpoints]
    index = steps.index(checkpoint.step) if checkpoint else 0
    index = 0 if index + 1 == len(run.checkpoints) else index
    session().memo[_PLAYING] = index
    session().set(CHECKPOINT_STEP, run.checkpoints[index].step)
