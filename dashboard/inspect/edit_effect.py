"""The effect of the edits: the inspected tensor before and after, and the change of the residual stream."""

from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.inspected_matrix import inspected_matrix
from dashboard.models.model import Model, model_for
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import Inspection
from dashboard.theme import current_theme
from encoder_core.analysis import relative_change, residual_change
from encoder_core.figures import HeatmapStyle
from encoder_core.scenes import what_if as scenes
from encoder_core.support.number_format import format_percent
from encoder_core.support.wording import format_count

_BLOCKS_READ_INPUT = (
    " Here each layer is applied to the embedded input, as in the recipe, so a change in one layer does not reach the "
    "next ones. The output is that of the stack, in which each layer is applied to the output of the previous one."
)


def render_edit_effect(model: Model, inspection: Inspection) -> None:
    """Render, if there are edits, the tensor and the output before and after, and the change in every layer."""
    if not model.edits:
        return
    before = model_for(model.settings)
    matrix, at = inspected_matrix(_changed_by_edits(inspection), (before, model)), inspection.at
    (old, new), (old_names, names) = matrix.matrices, matrix.names
    real = model.batch.real[at.sentence]  # how much padding there is depends on the other sentences
    output_change = relative_change(*(m.trace.output[at.sentence][real] for m in (before, model)))
    change = format_percent(output_change, 1)
    st.markdown(
        f"**Effect of your edits** — the output of this sentence has changed by **{change}** of its length"
        f"{'' if real.all() else ', without padding'}."
    )
    parts = scenes.before_and_after(
        old, new, title=matrix.title, rows=names.rows, columns=names.columns, mark=matrix.mark, style=matrix.style,
        names_before=old_names,
    )  # fmt: skip
    if np.array_equal(old, new, equal_nan=True):
        st.caption(f"Your edits do not change this part of “{matrix.title}”.")
    else:
        render_plot(parts, key="what_if_changes", on_click=None)
    if inspection.trail[0].tensor != "output":
        window = WideAxis("dims", model.config.d_model).window()
        output_parts = scenes.before_and_after(
            *(m.trace.output[at.sentence] for m in (before, model)),
            title="output",
            rows=at.labels,
            columns=window,
            mark=None,
            style=HeatmapStyle(row_axis="token", column_axis="dimension", theme=current_theme()),
            names_before=(before.batch.tokens[at.sentence], window),
        )
        render_plot(output_parts, key="what_if_output", on_click=None)
    distance = residual_change(before.trace, model.trace, at.sentence, allow_unchained=True)
    render_plot(
        scenes.propagation(distance, at, theme=current_theme()),
        key="what_if_travel",
    )
    with np.errstate(invalid="ignore"):
        changed = int((distance[-1, real] > 1e-6).sum())
    st.caption(
        f"After the last layer, the residual stream has changed at **{changed} of "
        f"{format_count(int(real.sum()), 'token')}**."
        + (_BLOCKS_READ_INPUT if model.config.attention_read_out == "input" else "")
    )


def _changed_by_edits(inspection: Inspection) -> Inspection:
    """The inspection of a score in place of its dot product: edits set the score."""
    first, *rest = inspection.trail
    if first.tensor != "dot_products":
        return inspection
    return inspection._replace(trail=(replace(first, tensor="scores"), *rest))
