"""Section of softmax: the scores divided by a temperature, and a row that sees nothing."""

import streamlit as st

from dashboard import frame
from dashboard.focus import Focus
from dashboard.model import Model
from dashboard.state.choices import HIDE_ROW, TEMPERATURE, TEMPERATURES
from dashboard.state.widgets import shows
from encoder_core import Run, Temperature, recompute, run_with_fitting_edits


def what_if(current: Model, at: Focus) -> Run:
    """Draw the controls and the badge; the forward pass with what was chosen, on top of the model's own what-ifs."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="softmax_controls"):
        temperature = st.select_slider(
            "Temperature T", TEMPERATURES, 1.0, width=260, **shows(TEMPERATURE),
            help="Scores are divided by T before softmax, in every layer. Below 1: sharper. Above 1: flatter.",
        )  # fmt: skip
        hide = st.toggle(
            f"Hide every key from “{frame.plain(at.labels[at.token])}”", **shows(HIDE_ROW),
            help="A row that is masked everywhere has nothing to share out: it gives zeros, not 0 / 0.",
        )  # fmt: skip
        run, problems = current.run, tuple[str, ...]()
        if hide or temperature != 1:
            mask = run.trace.mask.copy()
            mask[at.sentence, :, at.token] &= not hide
            edits = (*current.edits, *((Temperature(temperature),) if temperature != 1 else ()))
            run, problems = run_with_fitting_edits(current.encoder, current.batch, mask, edits)
        st.space("stretch")
        frame.recomputed(recompute.softmax(run, at.layer))
    for problem in problems:
        st.warning(problem, icon=":material/info:")
    return run
