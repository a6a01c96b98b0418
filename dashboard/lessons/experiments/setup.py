"""The controls of an experiment. The URL contains the settings that differ from the defaults: "d_k=64~keys=16"."""

import streamlit as st

from dashboard.state.choices import EXPERIMENT, PREDICTION, SETUP
from dashboard.state.parameter import format_option, parse_option
from dashboard.state.session import session
from dashboard.state.widgets import bind_value
from encoder_core.experiments import Control, Experiment, Setting


def open_experiment(name: str) -> None:
    """Choose another experiment, with its default setup and without a prediction. Call it from a callback."""
    for parameter, value in ((EXPERIMENT, name), (SETUP, ""), (PREDICTION, None)):
        session().set(parameter, value)


def read_setup(experiment: Experiment) -> dict[str, Setting]:
    """The setup of the session. A setting of the link that does not exist is reported, and the default is used."""
    setup = experiment.default_setup
    controls = {control.name: control for control in experiment.controls}
    for part in filter(None, session().get(SETUP).split("~")):
        name, _, text = part.partition("=")
        try:
            if name not in controls:
                raise ValueError(f"the controls of this experiment are {', '.join(controls)}")
            setup[name] = parse_option(text, controls[name].options)
        except ValueError as error:
            session().report_invalid(SETUP, f"{name[:20]}: {error}" if name in controls else str(error), None)
            session().set_derived(SETUP, "")
            return experiment.default_setup
    return setup


def render_controls(experiment: Experiment, setup: dict[str, Setting]) -> None:
    """Render all controls in one row."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="experiment_setup"):
        for control in experiment.controls:
            _render_control(experiment, control, setup)


def _render_control(experiment: Experiment, control: Control, setup: dict[str, Setting]) -> None:
    def change(setting: Setting) -> None:
        if setting in control.options:
            session().set(SETUP, _format(experiment, {**setup, control.name: setting}))

    is_idle = not control.has_effect(setup)
    value, name = setup[control.name], f"setup_{experiment.name}_{control.name}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        bound = bind_value(name, value, change)
        st.select_slider(control.label, control.options, help=control.help or None, width=220, disabled=is_idle,
                         format_func=_option_text, **bound)  # fmt: skip
    else:
        bound = bind_value(name, value, change, value_argument="default")
        st.segmented_control(control.label, control.options, help=control.help or None, required=True, disabled=is_idle,
                             format_func=_option_text, **bound)  # fmt: skip


def _option_text(option: Setting) -> str:
    if isinstance(option, bool):
        return "on" if option else "off"
    return option if isinstance(option, str) else f"{option:,}"


def _format(experiment: Experiment, setup: dict[str, Setting]) -> str:
    default = experiment.default_setup
    return "~".join(f"{name}={format_option(value)}" for name, value in setup.items() if value != default[name])
