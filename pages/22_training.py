"""Training: an encoder learns a task, and its attention patterns appear."""

import streamlit as st

from dashboard.lessons.training.attention import render_text_problem
from dashboard.lessons.training.current_runs import current_runs
from dashboard.lessons.training.plan_controls import example_text, read_plan, render_settings, render_task
from dashboard.lessons.training.prediction import render_question
from dashboard.lessons.training.run_controls import render_start_buttons
from dashboard.lessons.training.view import render_runs
from dashboard.navigation import ensure_entrypoint
from dashboard.page_list import page_named
from dashboard.shell import frame
from dashboard.state.choices import RUN
from dashboard.state.session import session
from dashboard.training.runs import RUNS
from dashboard.training.storage import MAX_PER_OWNER

ensure_entrypoint()  # instead of `frame.begin_page`: the model of the sidebar is not on this page
frame.render_heading(
    page_named("training"),
    "An encoder with random parameters learns a small task. Predict what its heads will attend to, then watch it.",
)


def body() -> None:
    runs = current_runs()
    task = read_plan().definition
    text = example_text(task)
    render_task(task)
    render_text_problem(task, text)
    render_settings()
    render_start_buttons(runs)
    if runs:
        render_runs(runs, text)
        return
    if session().get(RUN):
        st.warning(
            "The process of the server that you use does not have the run of the link. A run is only in the process "
            f"that trained it, which keeps the last {MAX_PER_OWNER} runs of a session, until it restarts or needs "
            f"their memory. The settings of the link are set{', so Run trains it again' * bool(RUNS.max_active)}.",
            icon=":material/info:",
        )
    render_question(task)


frame.run_as_fragment(body)
