"""What the edits change: the tensor looked at before and after, and how far the change travels."""

import numpy as np
import streamlit as st

from dashboard.appearance import theme
from dashboard.cells import Looked
from dashboard.model import Model, model_for
from dashboard.picture import picture
from encoder_core.analysis import travel
from encoder_core.derive.cell import AXES, tensor_at
from encoder_core.figures import dimensions
from encoder_core.scenes import what_if as scenes

_OF_TOKENS = {"seq", "query", "key"}
MOST_COLUMNS = 64


def changes(model: Model, looked: Looked) -> None:
    """Nothing without edits; else before, after and difference of the tensor, and the strip of the whole stack."""
    if not model.edits:
        return
    before = model_for(model.settings)
    cell, at = looked.trail[0], looked.at
    axes = AXES.get(cell.tensor, ("row", "column"))[-2:]
    was, now = (tensor_at(m.trace, m.parameters, cell) for m in (before, model))
    lead = cell.index[: was.ndim - 2]
    first = max(0, min(cell.index[-1] - MOST_COLUMNS // 2, was.shape[-1] - MOST_COLUMNS))
    shown = slice(first, first + MOST_COLUMNS)
    st.subheader("What the what-ifs change", anchor=False)
    one, other = (x[lead][..., shown] if x.ndim > 1 else x[None, shown] for x in (was, now))
    rows, columns = (
        list(at.labels) if axis in _OF_TOKENS and size == len(at.labels) else dimensions(size)
        for axis, size in zip(axes, one.shape, strict=True)
    )
    columns = columns if len(columns) == len(at.labels) else dimensions(one.shape[1], start=first)
    parts = scenes.before_and_after(
        one, other, title=cell.tensor.replace("_", " "), axes=(axes[0], axes[-1]), rows=rows, columns=columns,
        weights=cell.tensor == "pattern", mark=(cell.index[-2], cell.index[-1] - first), theme=theme(),
    )  # fmt: skip
    picture(parts, key="what_if_changes", on_click=lambda cell, meta: None)
    if cell.tensor != "output":
        outputs = [m.trace.output[at.sentence][:, :MOST_COLUMNS] for m in (before, model)]
        ends = scenes.before_and_after(
            *outputs, title="output", axes=("token", "dimension"), rows=at.labels, weights=False, mark=None,
            columns=dimensions(outputs[0].shape[1]), theme=theme(),
        )  # fmt: skip
        picture(ends, key="what_if_output", on_click=lambda cell, meta: None)
    distance = travel(before.trace, model.trace, at.sentence)
    picture(
        scenes.travelled(distance, tokens=at.labels, layer=at.layer, token=at.token, theme=theme()),
        key="what_if_travel",
    )
    with np.errstate(invalid="ignore"):
        moved = int((distance[-1] > 1e-6).sum())
    out = np.linalg.norm(model.trace.output[at.sentence] - before.trace.output[at.sentence])
    st.caption(
        f"After the last block **{moved} of {len(at.labels)}** tokens have moved; the output of this sentence by "
        f"**{out / (np.linalg.norm(before.trace.output[at.sentence]) or 1):.1%}** of its length."
    )
