"""The sidebar of an encoder that was trained on one task: its input, and what the task is; the sizes are fixed."""

from functools import partial

import streamlit as st

from dashboard.sidebar import random_encoder
from dashboard.sidebar.fixed import render_sizes, render_summary
from dashboard.sidebar.mask import render_mask
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import Settings, current_settings
from dashboard.state.user_changes import set_text
from dashboard.state.widgets import bind_widget
from encoder_core.training import Task
from encoder_core.training.shipped import model_card, trained_encoder


def render_controls(name: str, task: Task) -> Settings:
    """Render the controls and return the settings."""
    render_input(task)
    st.caption(f"**{task.title}**, trained. {task.goal}")
    render_examples(task)
    config = trained_encoder(name).config
    render_sizes(config, name)
    render_mask("mask")
    render_summary(config)
    with st.popover("About this encoder", icon=":material/description:", width="stretch", key="model_card"):
        st.markdown(model_card(name))
    return current_settings()


def render_input(task: Task) -> None:
    """Render the field for the input of a task."""
    if task.reads_sentences:
        random_encoder.render_text()
    else:
        st.text_area(
            "Input",
            height=68,
            placeholder=task.examples[0],
            help=f"{task.rule} One input per line.",
            **bind_widget(SETTINGS["input"], on_change=partial(set_text, key="input")),
        )
        random_encoder.render_apply_button("input")


def render_examples(task: Task) -> None:
    """Render a button for each example of an input."""
    parameter = SETTINGS["text" if task.reads_sentences else "input"]
    with st.container(horizontal=True, gap="xsmall", key="task_examples"):
        for index, example in enumerate(task.examples):
            st.button(example, key=f"example_{task.name}_{index}", on_click=session().set, args=(parameter, example),
                      help="Use this input")  # fmt: skip
