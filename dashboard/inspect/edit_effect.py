"""What the edits change: the tensor looked at before and after, and how far the change travels."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.models.model import Model, model_for
from dashboard.selection.axis_window import Wide
from dashboard.selection.inspected_cell import Inspection
from dashboard.theme import current_theme
from encoder_core.analysis import relative_change, travel
from encoder_core.explain.cell import AXES, tensor_at
from encoder_core.figures import dimensions
from encoder_core.figures.axis import AxisKind
from encoder_core.scenes import what_if as scenes

_OF_TOKENS: set[AxisKind] = {"token", "query", "key"}
# What the axes of the trace's tensors are on a panel.
_AXES: dict[str, AxisKind] = {
    "batch": "sentence", "seq": "token", "query": "query", "key": "key", "d_model": "dimension",
    "d_head": "dimension", "qkv_dim": "dimension", "d_ff": "neuron", "vocab": "id", "row": "row", "column": "column",
}  # fmt: skip
MOST = 64  # rows and columns: a trained encoder's table has 30,522 rows


def changes(model: Model, inspection: Inspection) -> None:
    """Nothing without edits; else before, after and difference of the tensor, and the strip of the whole stack."""
    if not model.edits:
        return
    before = model_for(model.settings)
    cell, at = inspection.trail[0], inspection.at
    axes = tuple(_AXES[axis] for axis in AXES.get(cell.tensor, ("row", "column"))[-2:])
    was, now = (np.atleast_2d(tensor_at(m.trace, m.parameters, cell)) for m in (before, model))
    *lead, row, column = (0, *cell.index)[-was.ndim :]  # a bias is one row
    down, across = (_around(place, size) for place, size in zip((row, column), was.shape[-2:], strict=True))
    st.markdown("**Effect of your edits**")
    one, other = (x[tuple(lead)][down, across] for x in (was, now))
    rows, columns = (
        list(at.labels) if axis in _OF_TOKENS and size == len(at.labels) else dimensions(size, start=shown.start)
        for axis, size, shown in zip(axes, one.shape, (down, across), strict=True)
    )
    parts = scenes.before_and_after(
        one, other, title=cell.tensor.replace("_", " "), axes=(axes[0], axes[-1]), rows=rows, columns=columns,
        weights=cell.tensor == "pattern", mark=(row - down.start, column - across.start), theme=current_theme(),
    )  # fmt: skip
    if np.array_equal(one, other, equal_nan=True):
        st.caption(f"They do not change what is shown of “{cell.tensor.replace('_', ' ')}”.")
    else:
        plot(parts, key="what_if_changes", on_click=None)
    if cell.tensor != "output":
        ends = scenes.before_and_after(
            *(m.trace.output[at.sentence] for m in (before, model)), title="output", axes=("token", "dimension"),
            rows=at.labels, columns=Wide("dims", model.config.d_model).window(), weights=False, mark=None,
            theme=current_theme(),
        )  # fmt: skip
        plot(ends, key="what_if_output", on_click=None)
    distance = travel(before.trace, model.trace, at.sentence)
    plot(
        scenes.travelled(distance, at, tokens=at.labels, theme=current_theme()),
        key="what_if_travel",
    )
    with np.errstate(invalid="ignore"):
        moved = int((distance[-1] > 1e-6).sum())
    out = relative_change(*(m.trace.output[at.sentence] for m in (before, model)))
    st.caption(
        f"After the last block **{moved} of {len(at.labels)}** tokens have moved; the output of this sentence by "
        f"**{out:.1%}** of its length."
    )


def _around(place: int, count: int) -> slice:
    """The window of an axis that is shown, with this place in its middle where it can be."""
    first = max(0, min(place - MOST // 2, count - MOST))
    return slice(first, min(first + MOST, count))
