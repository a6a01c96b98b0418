"""Section of softmax: the scores divided by a temperature, and a row that sees nothing."""

import streamlit as st

from dashboard import frame
from dashboard.focus import Focus
from dashboard.model import Model
from dashboard.state.choices import HIDE_ROW, TEMPERATURE, TEMPERATURES
from dashboard.state.widgets import shows
from encoder_core import Temperature, recompute
from encoder_core.shown import Shown


def what_if(current: Model, at: Focus) -> Shown:
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
        shown = current.shown
        if hide or temperature != 1:
            mask = shown.trace.mask.copy()
            mask[at.sentence, :, at.token] &= not hide
            edits = (*current.edits, Temperature(temperature))
            trace = current.encoder.trace(current.batch, mask, edits)
            shown = Shown(trace, current.config, current.encoder.parameters(), edits)
        st.space("stretch")
        frame.recomputed(recompute.softmax(shown, at.layer))
    return shown
