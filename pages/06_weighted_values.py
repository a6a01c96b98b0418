"""Weighted values: each row of z is the sum of the value rows, weighted by one query's attention weights."""

from typing import Any

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention.weighted_values import (
    average_text,
    contribution_question,
    render_dimension_picker,
    selected_dimension,
)
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.column_picker import move_focus_and_column
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import VALUE_DIMENSION
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.figures import dimensions, largest_magnitude
from encoder_core.scenes.attention import weighted_values as scenes
from encoder_core.scenes.focus import head_slice
from encoder_core.support.number_format import format_number, latex_number

current = frame.begin_page()
seq, d_head = current.batch.ids.shape[1], current.config.d_head

render_opening(
    "weighted_values",
    current,
    [Shape("weights", (seq, seq), "attention"), Shape("V", (seq, d_head), "value")],
    [Shape("z", (seq, d_head))],
)


def render_body() -> None:
    at = focus.render_focus_controls(current, "layer", "head", "token", "key_token", badge=render_badge)
    layer = current.trace.layers[at.layer]
    scores, weights, v, z = (x[at.sentence, at.head] for x in (layer.scores, layer.pattern, layer.v, layer.z))
    visible, row, tokens, dims = np.isfinite(scores), weights[at.token], at.labels, dimensions(d_head)
    factor = float(current.run.head_factors(at.layer)[at.head])
    common: dict[str, Any] = {"factor": factor, "theme": current_theme()}
    dimension = selected_dimension(d_head)
    question = contribution_question(at, row, v[:, dimension], factor, dimension)
    ask_first(question)
    parts = scenes.mixture(
        scenes.HeadWeights(weights, visible, weights_limit(weights)), v, z, at, dimension=dimension, **common
    )
    inspection = inspect_cell(current, at, head_slice("z", at).cell(at.token, dimension))
    on_click = move_focus_and_column("dimension", VALUE_DIMENSION)
    render_plot(parts, key="weighted_values_plot", inspection=inspection, on_click=on_click)
    render_weights_toggle()
    st.caption(
        "V and z share one colour scale. The weighted rows between them have their own scale "
        f"(±{format_number(largest_magnitude(factor * row[:, None] * v), 3)}); their column sums are the marked row of "
        "z."
    )
    render_dimension_picker(at, d_head, dimension)
    values, number = v[:, dimension], z[at.token, dimension]
    parts = scenes.one_number(row, values, visible[at.token], float(number), at, dimension=dimension, **common)
    render_plot(parts, key="weighted_values_sum", inspection=inspection)
    if np.isclose(row.sum(), 1, atol=1e-3) and factor == 1:  # not if all keys are masked, or with dropout
        st.caption(average_text(values[visible[at.token]], float(number)))
    product = factor * row * values
    times, apart = "", r"\qquad"
    if factor != 1:  # two lines, because a factor may be long
        times, apart = rf"{latex_number(format_number(factor, 6))} \cdot ", r"\\[1em]"
    columns = np.stack([row, values, product, np.cumsum(product)], axis=1)
    render_depths(
        {
            "weight × value": NumberTable(columns, tokens, ["weight", "value", "weight × value", "added up"]),
            "z": NumberTable(z, tokens, dims),
            "V": NumberTable(v, tokens, dims),
            "weights": NumberTable(weights, tokens, tokens),
        },
        rf"\begin{{gathered}} \underbrace{{Z}}_{{{seq}\times{d_head}}} = {times}\underbrace{{A}}_{{{seq}\times{seq}}}\;"
        rf"\underbrace{{V}}_{{{seq}\times{d_head}}}, {apart} z_i = {times}\sum_{{j=1}}^{{{seq}}} A_{{ij}}\, v_j"
        r"\end{gathered}",
        [blocks.split_heads, blocks.weigh_values_of_heads] if current.splits_heads else [blocks.weigh_values],
        question,
        inspection,
    )


def render_badge(at: Focus) -> None:
    frame.render_recompute_badge(lambda: recompute.weighted_values(current.run, at.layer))


frame.run_as_fragment(render_body)
