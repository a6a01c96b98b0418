"""Experiments: the claims that learners are told, each with a prediction, controls and a measurement."""

import streamlit as st

from dashboard.glossary import explain_terms, mark_terms
from dashboard.lessons.experiments.choice import render_experiment_choice
from dashboard.lessons.experiments.prediction import read_prediction, render_question
from dashboard.lessons.experiments.result import can_measure, render_result
from dashboard.lessons.experiments.setup import read_setup, render_controls
from dashboard.page_list import page_named
from dashboard.shell import frame
from encoder_core.experiments import Experiment, Setup

frame.begin_page()
frame.render_heading(
    page_named("experiments"),
    "Claims that learners are told. Predict what happens, look at the measurement, then change the setup.",
)


def body() -> None:
    experiment = render_experiment_choice()
    setup, prediction = read_setup(experiment), read_prediction(experiment)
    st.markdown(f"**Claim** — {explain_terms(mark_terms(experiment.claim))}{_given(experiment, setup)}")
    render_controls(experiment, setup)
    if prediction is None:
        render_question(experiment, setup)
    elif can_measure(experiment):
        render_result(experiment, setup, prediction)


def _given(experiment: Experiment, setup: Setup) -> str:
    return f"  \n**Given** — {experiment.given(setup)}" if experiment.given else ""


frame.run_as_fragment(body)
