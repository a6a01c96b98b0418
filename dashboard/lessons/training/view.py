"""The run that is shown: progress, attention and curves, rendered again every second while something changes."""

import streamlit as st

from dashboard.lessons.training.attention import render_attention
from dashboard.lessons.training.checkpoints import (
    is_playing,
    play_next,
    render_checkpoint_picker,
    render_open_button,
    shown_checkpoint,
)
from dashboard.lessons.training.current_runs import names_of
from dashboard.lessons.training.curves import render_curves
from dashboard.lessons.training.prediction import render_answer
from dashboard.lessons.training.run_controls import render_progress
from dashboard.serving.limits.fair_share import fair_run
from dashboard.state.choices import RUN
from dashboard.state.session import page_script, session
from dashboard.training.stored_run import ACTIVE, StoredRun
from encoder_core.inputs.tokenizer import can_tokenize

_LIVE, _QUEUED = 1.0, 3.0  # seconds between two updates


def render_runs(runs: list[StoredRun], text: str) -> None:
    """Render the runs. While one is being trained or the player is on, this part of the page repeats by itself."""
    seconds = _interval(runs)
    if seconds:
        _render_repeatedly(runs, text, seconds)
    else:
        with st.container():  # as a fragment has one: the figures stay in place when the last step is made
            _render(runs, text)


def _interval(runs: list[StoredRun]) -> float | None:
    """The seconds between two updates; None if nothing changes by itself."""
    if is_playing() or any(run.status in ACTIVE for run in runs):
        return _LIVE
    return _QUEUED if any(run.is_open for run in runs) else None


def _render_repeatedly(runs: list[StoredRun], text: str, seconds: float) -> None:
    @st.fragment(run_every=seconds)
    def fragment() -> None:
        if _interval(runs) != seconds or session().get(RUN) not in [run.id for run in runs]:
            st.rerun()
        with fair_run(), page_script():
            _render(runs, text)
        if is_playing():
            play_next(runs[0])

    fragment()


def _render(runs: list[StoredRun], text: str) -> None:
    render_progress(runs)
    if can_tokenize(text, runs[0].plan.definition.tokenizer):
        render_checkpoint_picker(runs[0])
        enlarged: dict[int, tuple[int, int]] = {}  # number of the run -> layer and head
        columns, names = st.columns(len(runs), gap="medium"), names_of(runs)
        checkpoints = [shown_checkpoint(run) for run in runs]
        differ = len({checkpoint.step for checkpoint in checkpoints if checkpoint}) > 1  # one run has gone further
        for number, (column, run, checkpoint, name) in enumerate(zip(columns, runs, checkpoints, names, strict=True)):
            if checkpoint:
                title = f"{name}, step {checkpoint.step:,}" if differ else name
                with column:
                    enlarged[number] = render_attention(run, checkpoint, text, title, f"training_attention_{number}")
        if enlarged and not any(run.is_open for run in runs):
            for number, layer_and_head in enlarged.items():
                with columns[number]:
                    render_open_button(runs[number], text, *layer_and_head, key=f"open_checkpoint_{number}")
        for number in enlarged:
            with columns[number]:
                render_answer(runs[number], text, names[number], is_compared=number > 0)
    if any(run.step for run in runs):
        render_curves(runs)
