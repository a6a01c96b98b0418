"""The result of an experiment: measured number, figure, meaning, limits, code, and the stage that it concerns."""

from functools import partial

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.glossary import explain_terms, mark_terms
from dashboard.inspect.source_code import render_source
from dashboard.inspect.verdict_badge import verdict_badge
from dashboard.lessons.experiments.prediction import render_again_button, render_feedback
from dashboard.lessons.experiments.setup import open_experiment
from dashboard.models.loading import encoder_named
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.shell.loading_notice import render_figure_notice
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.theme import current_theme
from encoder_core import Encoder
from encoder_core.experiments import Experiment, Measurement, Setting, experiments


@st.cache_resource(max_entries=64, show_spinner="Measuring …")
def _measure(name: str, setup: tuple[tuple[str, Setting], ...], _trained: Encoder | None) -> Measurement:
    """The result in this setup, computed once for all sessions."""
    return experiments()[name].result(dict(setup), _trained)


def can_measure(experiment: Experiment) -> bool:
    """Whether the experiment can run now. If not, render why: its trained encoder is not loaded, or not offered."""
    if experiment.measure_trained is None or _trained_encoder() is not None:
        return True
    render_figure_notice(partial(open_experiment, next(iter(experiments()))), "experiment")
    return False


def _trained_encoder() -> Encoder | None:
    return encoder_named(OFFERED[MINILM]) if MINILM in OFFERED else None


def render_result(experiment: Experiment, setup: dict[str, Setting], prediction: int) -> None:
    """Render the result, below what was predicted."""
    trained = None if experiment.measure_trained is None else _trained_encoder()
    measurement = _measure(experiment.name, tuple(setup.items()), trained)
    render_feedback(experiment, setup, measurement, prediction)
    # What to expect answers the question of many experiments, so it comes after the prediction.
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown(
            f"**Expected if the claim is true:** {explain_terms(mark_terms(experiment.hypothesis))}  \n"
            f"**Measured:** {measurement.measured} {_verdict(measurement)}",
            width="content",
        )
        render_again_button()
    render_plot(measurement.draw(current_theme()), key="experiment_plot", on_click=None)
    st.markdown(measurement.meaning)
    left, right = st.columns([3, 2], gap="large")
    left.markdown(f"**Limits** — {experiment.limits}  \n:gray[Source: {experiment.source}]")
    with right:
        _render_stage_button(experiment)
        code = st.expander("Code", icon=":material/code:", key="experiment_code", on_change="rerun")
        if code.open:
            with code:
                render_source(experiment.code)


def _verdict(measurement: Measurement) -> str:
    if measurement.verdict is None:
        return ""
    return verdict_badge(measurement.verdict, f"The claim {measurement.verdict} in this setup")


def _render_stage_button(experiment: Experiment) -> None:
    stage = stage_named(experiment.stage)
    st.button(f"Open the page {stage.title}", icon=":material/arrow_forward:", key="experiment_stage",
              on_click=open_page, args=(stage.name,))  # fmt: skip
