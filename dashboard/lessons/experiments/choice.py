"""The choice of an experiment."""

import streamlit as st

from dashboard.lessons.experiments.setup import open_experiment
from dashboard.state.choices import EXPERIMENT
from dashboard.state.session import session
from dashboard.state.widgets import bind_value
from encoder_core.experiments import Experiment, experiments


def render_experiment_choice() -> Experiment:
    """Render the list of claims and the buttons to the one before and the one after; return the chosen experiment."""
    names = list(experiments())
    name = session().get_option(EXPERIMENT, names, names[0])
    place = names.index(name)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="experiment_choice"):
        bound = bind_value("experiment", name, open_experiment, index_of=names)
        st.selectbox("Claim", names, format_func=_title, filter_mode=None, label_visibility="collapsed", **bound)
        for icon, text, other in (("arrow_back", "Previous", place - 1), ("arrow_forward", "Next", place + 1)):
            exists = 0 <= other < len(names)
            st.button(text, icon=f":material/{icon}:", key=f"experiment_{icon}", disabled=not exists,
                      on_click=open_experiment, args=(names[other] if exists else name,))  # fmt: skip
    return experiments()[name]


def _title(name: str) -> str:
    experiment = experiments()[name]
    return f"{experiment.number}. {experiment.title}"
