"""The sidebar of the encoder of a training run: the checkpoint and the input; the sizes are fixed."""

import streamlit as st

from dashboard.models.checkpoints import run_of
from dashboard.navigation import open_page
from dashboard.sidebar.fixed import render_sizes, render_summary
from dashboard.sidebar.mask import render_mask
from dashboard.sidebar.random_encoder import render_text
from dashboard.sidebar.task_encoder import render_examples, render_input
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import Settings, current_settings
from dashboard.state.widgets import bind_widget
from encoder_core.support.number_format import format_percent
from encoder_core.training import Task


def render_controls(task: Task) -> Settings:
    """Render the controls and return the settings.

    Without the run or a checkpoint of it, the pages show the random encoder, which reads the text.
    """
    run = run_of(current_settings())
    checkpoint = run and run.checkpoint_at(current_settings().checkpoint)
    if run and checkpoint:
        steps = [stored.step for stored in run.checkpoints]
        if len(steps) > 1:
            bound = bind_widget(SETTINGS["checkpoint"], checkpoint.step, options=tuple(steps))
            st.select_slider("Checkpoint", steps, format_func=lambda step: f"step {step:,}",
                             help="The parameters after so many steps of training", **bound)  # fmt: skip
    if run:
        render_input(task)
        render_examples(task)
        if checkpoint:
            st.caption(
                f"**{task.title}** after {checkpoint.step:,} of {run.plan.steps:,} steps: "
                f"{format_percent(checkpoint.evaluation.sequence_accuracy)} of the test inputs entirely right. "
                f"{task.goal}"
            )
            render_sizes(run.plan.config, run.id)
    elif task.reads_sentences:
        render_text()
    render_mask("mask")
    if run and checkpoint:
        render_summary(run.plan.config)
    label = "Back to the training run" if run else "Open the page Training"
    st.button(label, icon=":material/arrow_back:", key="back_to_training", on_click=open_page, args=("training",),
              width="stretch")  # fmt: skip
    return current_settings()
