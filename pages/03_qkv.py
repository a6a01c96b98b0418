"""Queries, keys, values: three linear layers with the same input."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention.qkv import linear_parameters, one_matrix_question, render_roles
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import ALL_HEADS
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.blocks import SelfAttention
from encoder_core.explain import recompute
from encoder_core.figures import MAX_UNBINNED, dimensions
from encoder_core.scenes.attention import qkv as scenes
from encoder_core.scenes.attention.qkv import LETTERS, side_by_side
from encoder_core.scenes.focus import head_slice
from encoder_core.support.number_format import latex_with_shape

current = frame.begin_page()
config, trace = current.config, current.trace
seq, d_model, d_head = current.batch.ids.shape[1], config.d_model, config.d_head
dims, features = (
    WideAxis("dims", d_model, max_full=MAX_UNBINNED),
    WideAxis("features", config.qkv_width, max_full=MAX_UNBINNED),
)

shows_all_heads = session().get(ALL_HEADS)
width = config.qkv_width if shows_all_heads else d_head  # columns of each matrix that the page is about

render_opening(
    "qkv",
    current,
    [Shape("x", (seq, d_model)), Shape("W_Q, W_K, W_V", (d_model, width))],
    [Shape(letter, (seq, width), name) for name, letter in LETTERS.items()],
)


def render_badge(at: focus.Focus) -> None:
    frame.render_recompute_badge(lambda: recompute.projections(current.run, at.layer))


def render_body() -> None:
    at = focus.render_focus_controls(current, "layer", "head", "token", wide=[dims], badge=render_badge)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        all_heads = st.toggle("All heads side by side", **bind_widget(ALL_HEADS))
        columns = features.render_picker() if all_heads else None
    layer = trace.layers[at.layer]
    question = one_matrix_question(current, at, layer.q)
    ask_first(question)
    kernels = linear_parameters(current, at.layer, "kernel")
    biases = linear_parameters(current, at.layer, "bias")
    x, heads = layer.attn_in[at.sentence], {"query": layer.q, "key": layer.k, "value": layer.v}
    results = {name: side_by_side(part[at.sentence]) for name, part in heads.items()}
    head_columns = range(at.head * d_head, (at.head + 1) * d_head)
    parts = scenes.projections(
        x,
        {name: scenes.Projection(kernels[name], results[name]) for name in kernels},
        at,
        head_columns=head_columns,
        dims=dims.window(),
        features=columns,
        biased=bool(biases),
        theme=current_theme(),
    )
    inspection = inspect_cell(current, at, head_slice("q", at).cell(at.token, 0))
    render_plot(parts, key="qkv_plot", inspection=inspection)
    render_roles(current, at, head_columns, biases)
    table_columns = range(config.qkv_width) if all_heads else head_columns
    names, x_names = dimensions(len(table_columns), start=table_columns.start), dimensions(d_model)
    tables = {
        LETTERS[name]: NumberTable(result[:, table_columns], at.labels, names) for name, result in results.items()
    }
    tables["x"] = NumberTable(x, at.labels, x_names)
    for name, kernel in kernels.items():
        tables[f"W_{LETTERS[name]}"] = NumberTable(kernel[:, table_columns], x_names, names, first=None)
    if biases:
        tables["b"] = NumberTable(np.stack(list(biases.values()))[:, table_columns], list(LETTERS), names, first=None)
    lines = r" \\ ".join(
        rf"\underbrace{{{letter}}}_{{{seq}\times{width}}} = \overbrace{{x}}^{{{seq}\times{d_model}}}\;"
        rf"\overbrace{{W_{letter}}}^{{{d_model}\times{width}}}"
        + (f" + {latex_with_shape(f'b_{letter}', (1, width), above=True)}" if biases else "")
        for letter in LETTERS.values()
    )
    formula = rf"\begin{{gathered}} {lines} \end{{gathered}}"
    render_depths(tables, formula, [SelfAttention.project], question, inspection)


frame.run_as_fragment(render_body, heading_choice=lambda: session().get(ALL_HEADS))
