"""The result of an experiment: measured number, figure, meaning, limits, code, and the stage that it concerns."""

import inspect
import textwrap

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.lessons.experiments.prediction import render_again_button, render_feedback
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.theme import current_theme
from encoder_core.experiments import Experiment, Measurement, Setting, experiments


def measure(experiment: Experiment, setup: dict[str, Setting]) -> Measurement:
    """The result in this setup, computed once for all sessions."""
    return _measure(experiment.name, tuple(setup.items()))


@st.cache_resource(max_entries=64, show_spinner=False)
def _measure(name: str, setup: tuple[tuple[str, Setting], ...]) -> Measurement:
    return experiments()[name].measure(dict(setup))


def render_result(experiment: Experiment, setup: dict[str, Setting], prediction: int) -> None:
    """Render the result, below what was predicted."""
    measurement = measure(experiment, setup)
    render_feedback(experiment, setup, measurement, prediction)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Measured:** {measurement.measured}", width="content")
        st.space("stretch")
        render_again_button()
    render_plot(measurement.draw(current_theme()), key="experiment_plot", on_click=None)
    st.markdown(measurement.meaning)
    left, right = st.columns([3, 2], gap="large")
    left.markdown(f"**Limits** — {experiment.limits}  \n:gray[Source: {experiment.source}]")
    with right:
        _render_stage_button(experiment)
        code = st.expander("Code", icon=":material/code:", key="experiment_code", on_change="rerun")
        if code.open:
            sources = (textwrap.dedent(inspect.getsource(function)).rstrip() for function in experiment.code)
            code.code("\n\n".join(sources), language="python", height=320)


def _render_stage_button(experiment: Experiment) -> None:
    stage = stage_named(experiment.stage)
    st.button(f"Open the page {stage.title}", icon=":material/arrow_forward:", key="experiment_stage",
              on_click=open_page, args=(stage.name,))  # fmt: skip
