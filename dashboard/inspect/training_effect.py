"""The inspected tensor of a trained encoder next to that of its initial state, on one colour scale."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.inspected_matrix import inspected_matrix
from dashboard.models.model import Model
from dashboard.models.variants import untrained_model
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import UNTRAINED
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.scenes import what_if as scenes
from encoder_core.support.number_format import format_number


def render_training_effect(model: Model, inspection: Inspection) -> None:
    """Render a switch and, if it is on, the tensor before and after training.

    Renders nothing if the encoder is in its initial state, or if that is unknown.
    """
    if not model.settings.task or not model.is_trained:
        return
    st.toggle(
        "Next to its untrained state",
        help="The same input in the encoder before its training: with the random parameters that the training began "
        "with.",
        **bind_widget(UNTRAINED),
    )
    if not session().get(UNTRAINED):
        return
    untrained = untrained_model(model)
    assert untrained is not None, "the initial state of an encoder of a task is known"
    matrix = inspected_matrix(inspection, (untrained, model))
    (before, after), (_, names) = matrix.matrices, matrix.names
    render_plot(
        scenes.untrained_and_trained(before, after, title=matrix.title, rows=names.rows, columns=names.columns,
                                     mark=matrix.mark, style=matrix.style),
        key="training_effect",
        on_click=None,
    )  # fmt: skip
    numbers = [float(numbers[matrix.mark]) for numbers in matrix.matrices]
    if np.isfinite(numbers).all():
        first, second = (format_number(number, 3) for number in numbers)
        without = "" if inspection.run is model.run else " Both are without the choices of this page above the figure."
        st.caption(f"The outlined cell is **{first}** before training and **{second}** after it.{without}")
