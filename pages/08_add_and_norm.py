"""Add and norm: the sublayer's output is added to the residual stream; LayerNorm normalises each token."""

import numpy as np
import streamlit as st

from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.sublayers import add_and_norm as sections
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.view_choice import render_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import NORM
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.explain.sublayers import NormName, add_and_norm, layer_norm_steps, norm_parameters
from encoder_core.figures import Window, colour_limit, dimensions
from encoder_core.scenes.add_and_norm import norm_out_slice

current = frame.begin_page()
config, parameters = current.config, current.parameters
seq, d_model = current.batch.ids.shape[1], config.d_model
norms: list[NormName] = ["norm1", "norm2", "final_norm"] if config.final_norm else ["norm1", "norm2"]
LABELS = {"norm1": "norm1 · attention", "norm2": "norm2 · feed-forward", "final_norm": "final norm"}

render_opening(
    "add_and_norm",
    current,
    [Shape("x", (seq, d_model)), Shape("sublayer(x)", (seq, d_model), "attention")],
    [Shape("add & norm", (seq, d_model))],
)


def render_body() -> None:
    at, name, columns = render_pickers()
    tensors = add_and_norm(current.run, at.layer, name).for_sentence(at.sentence)
    steps = layer_norm_steps(tensors.norm_in, *norm_parameters(parameters, at.layer, name), config.norm_eps)
    inspection = inspect_cell(current, at, norm_out_slice(at, name, config.norm).cell(at.token, 0))
    question = sections.scaling_question(current, at, name, tensors)
    ask_first(question)
    limit = colour_limit(*(x for x in tensors if x is not None), steps.normalised)
    if config.norm == "post":  # in the order of computation of the layer
        sections.render_residual_sum(current, at, name, tensors, columns, limit, inspection)
        sections.render_normalisation(current, at, name, tensors, steps, columns, limit, inspection)
    else:
        sections.render_normalisation(current, at, name, tensors, steps, columns, limit, inspection)
        sections.render_residual_sum(current, at, name, tensors, columns, limit, inspection)
    sections.render_norm_comparison(current, at, name)
    tables = {"norm out": tensors.norm_out, "normalised": steps.normalised, "norm in": tensors.norm_in,
              "sublayer": tensors.sublayer, "residual": tensors.residual}  # fmt: skip
    render_depths(
        {title: NumberTable(x, at.labels, dimensions(d_model)) for title, x in tables.items() if x is not None},
        rf"\begin{{aligned}} \mu &= \tfrac{{1}}{{{d_model}}} \sum_i x_i \\"
        rf"\sigma^2 &= \tfrac{{1}}{{{d_model}}} \sum_i (x_i - \mu)^2 \\"
        r"y &= \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta \\"
        rf"x, y, \gamma, \beta &\in \mathbb{{R}}^{{{d_model}}} \\"
        rf"\epsilon &= 10^{{{np.log10(config.norm_eps):.3g}}} \end{{aligned}}",
        [blocks.LayerNorm.__call__, blocks.post_norm_layer if config.norm == "post" else blocks.pre_norm_layer],
        question,
        inspection,
    )


def render_pickers() -> tuple[Focus, NormName, Window]:
    """Render the pickers and the badge; return the position, the norm of the layer and the dimensions shown."""
    with focus.focus_line():
        at = focus.render_focus_pickers(current, "layer", "token")
        name = render_choice("Norm", norms, NORM, default=norms[0], format_func=LABELS.__getitem__)
        columns = WideAxis("dims", d_model).render_picker()
        st.space("stretch")
        frame.render_recompute_badge(lambda: recompute.add_and_norm(current.run, at.layer))
    return at, name, columns


frame.run_as_fragment(render_body)
