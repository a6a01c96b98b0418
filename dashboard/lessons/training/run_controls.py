"""Start, pause, resume and stop runs; their place in the queue and their progress."""

from collections.abc import Callable

import streamlit as st

from dashboard.lessons.training.current_runs import choose_run, names_of
from dashboard.lessons.training.plan_controls import read_plan, read_plans, render_more_settings
from dashboard.markdown import escape_message
from dashboard.state.session import streamlit_session_id
from dashboard.training.runs import RUNS
from dashboard.training.stored_run import StoredRun
from encoder_core.support.number_format import format_percent
from encoder_core.support.wording import format_count
from encoder_core.training import TrainingPlan

_STATES: dict[str, Callable[[StoredRun], str]] = {
    "queued": lambda run: f"place {RUNS.position(run)} in the queue; this server trains {RUNS.max_active} at a time",
    "starting": lambda run: "starting; sizes that are new to the server are compiled first, for some seconds",
    "running": lambda run: f"{format_count(round(run.speed), 'step')} per second" if run.speed else "running",
    "pausing": lambda run: "pausing, as soon as its present work is done",
    "paused": lambda run: "paused",
    "finished": lambda run: "finished",
    "stopped": lambda run: "stopped",
    "diverged": lambda run: "diverged",
    "failed": lambda run: "failed",
}


def render_start_buttons(runs: list[StoredRun]) -> None:
    """Render the buttons that start a run with the settings, and the settings that are seldom changed."""
    if not RUNS.max_active:
        st.info("This server does not train: see ENCODER_TRAINING_RUNS.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Run", icon=":material/play_arrow:", type="secondary" if runs else "primary", key="training_run",
                  on_click=_start)  # fmt: skip
        first = read_plan().checkpoint_steps[1]
        st.button(f"First {first} steps", icon=":material/skip_next:", key="training_first", on_click=_start,
                  args=(first,), help="Start a run and pause it after these steps.")  # fmt: skip
        with st.popover("More settings", icon=":material/tune:", key="more_training"):
            render_more_settings()
        if runs and [run.plan for run in runs] != read_plans():
            st.caption("The settings above differ from those of the run below. Run trains with them.")


def render_progress(runs: list[StoredRun]) -> None:
    """Render the state of the runs, with the buttons that are possible in it."""
    names = names_of(runs)
    with st.container(border=True, key="training_progress"):
        for run, name in zip(runs, names, strict=True):
            state = _STATES[run.status](run)
            prefix = f"**{name}** · " if name else ""
            text = f"{prefix}step {run.step:,} of {run.plan.steps:,} · {state}{_tested(run)}"
            st.progress(run.step / run.plan.steps, text)
            if run.sentence:
                st.warning(escape_message(run.sentence), icon=":material/info:")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _render_buttons(runs)
            st.caption(f"{names[0]} · " * bool(names[0]) + _describe(runs[0].plan), width="content")


def _render_buttons(runs: list[StoredRun]) -> None:
    is_running = any(run.status in ("queued", "starting", "running", "pausing") for run in runs)
    paused = [] if is_running else [run for run in runs if run.status == "paused"]
    if is_running or paused:
        label, icon, change = ("Resume", "play_arrow", RUNS.resume) if paused else ("Pause", "pause", RUNS.pause)
        # Under one key, the button keeps the focus of the keyboard when the run pauses, and goes on.
        st.button(label, icon=f":material/{icon}:", key="training_pause", on_click=_each, args=(change, runs))
    step = max((run.step for run in paused), default=0)  # of two runs, one can have gone further
    later = [checkpoint for run in paused for checkpoint in run.plan.checkpoint_steps if checkpoint > step]
    if later:
        st.button(f"To step {min(later):,}", icon=":material/skip_next:", key="training_next", on_click=_resume,
                  args=(paused, min(later)), help="Train until the next checkpoint, and pause.")  # fmt: skip
    if any(run.is_open or run.status == "paused" for run in runs):
        st.button("Stop", icon=":material/stop:", key="training_stop", on_click=_each, args=(RUNS.stop, runs))


def _tested(run: StoredRun) -> str:
    """The latest evaluation, in words."""
    if not run.checkpoints:
        return ""
    latest = run.checkpoints[-1]
    share = latest.evaluation.sequence_accuracy
    return f" · after step {latest.step:,}, {format_percent(share)} of the test inputs are entirely right"


def _describe(plan: TrainingPlan) -> str:
    """The settings of a run in one line."""
    return (
        f"{plan.definition.title}: {format_count(plan.num_layers, 'layer')}, "
        f"{format_count(plan.num_heads, 'head')}, d_model {plan.d_model}, d_ff {plan.d_ff}, {plan.norm}-norm, "
        f"positions: {plan.positions}, learning rate {plan.learning_rate:g}, warm-up {plan.warm_up_steps}, batch "
        f"{plan.batch}, seed {plan.seed}"
    )


def _start(until: int | None = None) -> None:
    choose_run(RUNS.start(read_plans(), streamlit_session_id(), until))


def _each(change: Callable[[StoredRun], None], runs: list[StoredRun]) -> None:
    for run in runs:
        change(run)


def _resume(runs: list[StoredRun], until: int) -> None:
    for run in runs:
        RUNS.resume(run, until)
