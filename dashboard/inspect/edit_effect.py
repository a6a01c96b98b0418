"""The effect of the edits: the inspected tensor before and after, and the change of the residual stream."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.models.model import Model, model_for
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import Inspection
from dashboard.theme import current_theme
from encoder_core.analysis import relative_change, residual_change
from encoder_core.explain.cell import AXES, tensor_at
from encoder_core.figures import HeatmapStyle, dimensions
from encoder_core.figures.axis import AxisKind
from encoder_core.scenes import what_if as scenes

_TOKEN_AXES: set[AxisKind] = {"token", "query", "key"}
# Axes of the trace's tensors -> axes of a panel.
_AXIS_KINDS: dict[str, AxisKind] = {
    "batch": "sentence", "seq": "token", "query": "query", "key": "key", "d_model": "dimension",
    "d_head": "dimension", "qkv_dim": "dimension", "d_ff": "neuron", "vocab": "id", "row": "row", "column": "column",
}  # fmt: skip
MAX_CELLS = 64  # of rows and of columns: the table of a trained encoder has 30,522 rows


def render_edit_effect(model: Model, inspection: Inspection) -> None:
    """Render, if there are edits, the tensor and the output before and after, and the change in every block."""
    if not model.edits:
        return
    before = model_for(model.settings)
    cell, at = inspection.trail[0], inspection.at
    axes = tuple(_AXIS_KINDS[axis] for axis in AXES.get(cell.tensor, ("row", "column"))[-2:])
    tensors = [np.atleast_2d(tensor_at(m.trace, m.parameters, cell)) for m in (before, model)]
    shape = tensors[0].shape
    *lead, row, column = (0, *cell.index)[-len(shape) :]  # a bias is one row
    row_range, column_range = (_window(place, size) for place, size in zip((row, column), shape[-2:], strict=True))
    st.markdown("**Effect of your edits**")
    old, new = (tensor[tuple(lead)][row_range, column_range] for tensor in tensors)
    rows, columns = (
        list(at.labels) if axis in _TOKEN_AXES and size == len(at.labels) else dimensions(size, start=window.start)
        for axis, size, window in zip(axes, old.shape, (row_range, column_range), strict=True)
    )
    parts = scenes.before_and_after(
        old,
        new,
        title=cell.tensor.replace("_", " "),
        rows=rows,
        columns=columns,
        mark=(row - row_range.start, column - column_range.start),
        style=HeatmapStyle(
            kind="weights" if cell.tensor == "pattern" else "signed",
            row_axis=axes[0],
            column_axis=axes[-1],
            theme=current_theme(),
        ),
    )
    if np.array_equal(old, new, equal_nan=True):
        st.caption(f"Your edits do not change this part of “{cell.tensor.replace('_', ' ')}”.")
    else:
        render_plot(parts, key="what_if_changes", on_click=None)
    if cell.tensor != "output":
        output_parts = scenes.before_and_after(
            *(m.trace.output[at.sentence] for m in (before, model)),
            title="output",
            rows=at.labels,
            columns=WideAxis("dims", model.config.d_model).window(),
            mark=None,
            style=HeatmapStyle(row_axis="token", column_axis="dimension", theme=current_theme()),
        )
        render_plot(output_parts, key="what_if_output", on_click=None)
    distance = residual_change(before.trace, model.trace, at.sentence)
    render_plot(
        scenes.propagation(distance, at, theme=current_theme()),
        key="what_if_travel",
    )
    with np.errstate(invalid="ignore"):
        changed = int((distance[-1] > 1e-6).sum())
    output_change = relative_change(*(m.trace.output[at.sentence] for m in (before, model)))
    st.caption(
        f"After the last block, the residual stream has changed at **{changed} of {len(at.labels)}** tokens. The "
        f"output of this sentence has changed by **{output_change:.1%}** of its norm."
    )


def _window(place: int, count: int) -> slice:
    """The plotted window of an axis: around this place, within `count`."""
    first = max(0, min(place - MAX_CELLS // 2, count - MAX_CELLS))
    return slice(first, min(first + MAX_CELLS, count))
