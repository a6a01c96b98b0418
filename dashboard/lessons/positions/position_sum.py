"""Sections of the positions page: the dimensions drawn as curves, and the input of the first layer."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import CURVES
from dashboard.state.position_choice import PositionChoice
from dashboard.state.session import session
from dashboard.state.setting_parameters import available_settings
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.explain.first_input import FirstInput
from encoder_core.explain.sublayers import NormSteps
from encoder_core.figures import Window
from encoder_core.scenes.inputs import positions as scenes

Rows = Float[np.ndarray, "seq d_model"]
_MAX_CURVES = 6


def render_curve_picker(d_model: int) -> list[int]:
    """Render the picker of the dimensions drawn as curves (default: 4 to 7) and return them."""
    default = tuple(range(d_model)[4:8] or range(d_model))
    selected = session().get(CURVES)
    if selected is not None and any(dimension >= d_model for dimension in selected):
        session().report_invalid(CURVES, f"this model has the dimensions 0 to {d_model - 1}", default)
        session().set_derived(CURVES, None)
        selected = None
    curves = list(default if selected is None else selected)
    bound = bind_widget(
        CURVES, curves, d_model, value_argument="default",
        on_change=lambda dimensions: session().set(CURVES, tuple(sorted(dimensions))),
    )  # fmt: skip
    st.multiselect("Dimensions drawn as curves", range(d_model), max_selections=_MAX_CURVES, **bound)
    return curves


def model_note(current: Model, choice: PositionChoice) -> str:
    """A sentence on how the encoding shown relates to the model's; empty if there is nothing to add."""
    if choice != current.positions:
        where = " (More choices in the sidebar)" if "positions" in available_settings(current.settings.encoder) else ""
        return f" :orange[This model uses: {ENCODINGS[current.positions].label}{where}.]"
    if not current.is_trained or choice != "learned":
        return ""
    if current.settings.task:
        return " This table is trained."
    return " This table is trained. Its rows include BERT's vector of the first segment, which is added to every token."


def render_layer_input(
    current: Model, at: Focus, position: Rows, layer_input: FirstInput, columns: Window, inspection: Inspection | None
) -> None:
    """The input of the first layer: scaled embedding + position on one scale, and the norm of the sum if the model has
    one. `inspection` is None if the encoding is not the model's own."""
    condition = "" if inspection else " if the model used this encoding"
    st.header(f"Input of the first layer{condition}", anchor=False)
    scaled, has_norm = current.trace.scaled_embedding[at.sentence], layer_input.norm is not None
    parts = scenes.position_added(
        scaled,
        position,
        layer_input.total if has_norm else layer_input.embedded,
        at,
        columns=columns,
        title="embedding sum" if has_norm else "embedded",
        in_use=inspection is not None,
        theme=current_theme(),
    )
    render_plot(parts, key="positions_sum_plot", inspection=inspection)
    if layer_input.norm is not None:
        _render_norm(at, layer_input.norm, layer_input.embedded, columns, inspection)


def _render_norm(at: Focus, norm: NormSteps, embedded: Rows, columns: Window, inspection: Inspection | None) -> None:
    parts = scenes.sum_normed(norm, embedded, at, in_use=inspection is not None, columns=columns,
                              theme=current_theme())  # fmt: skip
    render_plot(parts, key="positions_norm_plot", inspection=inspection)
    st.caption(
        "This model has an **embedding norm**: each token's sum (a row) is normalised to mean 0 and variance 1, then "
        "each dimension (a column) is scaled by its learned γ and shifted by its learned β. The colour scale differs "
        "from that of the sum. The page Add and norm shows the steps of a norm."
    )
