"""Section of softmax: the scores divided by a temperature, and a row that sees nothing."""

import numpy as np
import streamlit as st

from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.shell import frame
from dashboard.state.choices import HIDE_ROW, TEMPERATURE, TEMPERATURES
from dashboard.state.widgets import shows
from encoder_core import Run, Temperature
from encoder_core.analysis import softmax_steps
from encoder_core.explain import recompute
from encoder_core.figures import format_number


def what_if(current: Model, at: Focus) -> Run:
    """Draw the controls and the badge; the forward pass with what was chosen, on top of the model's own what-ifs."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="softmax_controls"):
        temperature = st.select_slider(
            "Temperature T", TEMPERATURES, width=260, **shows(TEMPERATURE),
            help="Scores are divided by T before softmax, in every layer. Below 1: sharper. Above 1: flatter.",
        )  # fmt: skip
        hide = st.toggle(
            f"Hide every key from “{plain(at.labels[at.token])}”", **shows(HIDE_ROW),
            help="What a row without a visible key gives is a convention: the table below the picture shows three.",
        )  # fmt: skip
        run, problems = current.run, tuple[str, ...]()
        if hide or temperature != 1:
            mask = run.trace.mask.copy()
            mask[at.sentence, :, at.token] &= not hide
            edits = (*current.edits, *((Temperature(temperature),) if temperature != 1 else ()))
            run, problems = current.encoder.run_with_fitting_edits(current.batch, mask, edits)
        st.space("stretch")
        frame.recomputed(recompute.softmax(run, at.layer))
    for problem in problems:
        st.warning(problem, icon=":material/info:")
    return run


def conventions(count: int) -> str:
    """A table of what softmax gives a row of `count` keys that are all masked, by the number that masks them."""
    lowest = softmax_steps(np.full(count, -1e9)).weights
    zeros = softmax_steps(np.full(count, -np.inf)).weights
    return "\n".join(
        [
            "| a masked score is | each weight | sum | where |",
            "|:--|--:|--:|:--|",
            f"| −∞, and 0 / 0 counts as 0 | {format_number(zeros[0], 3)} | {format_number(zeros.sum(), 3)} | here |",
            f"| −10⁹ | {format_number(lowest[0], 3)} | {format_number(lowest.sum(), 3)} | the nnx tutorial |",
            "| −∞ | NaN: 0 / 0 | NaN | PyTorch's softmax |",
        ]
    )
