"""Add and norm: the sublayer's result is added to the residual stream, and each token is brought to one scale."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.add_and_norm import normalise, post_and_pre
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import WINDOW, Wide
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.selection.view_choice import choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import NORM
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.explain.sublayers import AddAndNorm, NormName, add_and_norm, layer_norm, norm_parameters
from encoder_core.figures import Window, dimensions, format_number, scale_of
from encoder_core.scenes.add_and_norm import norm_out_slice, residual_sum

current = frame.begin()
config, parameters = current.config, current.parameters
seq, d_model = current.batch.ids.shape[1], config.d_model
names: list[NormName] = ["norm1", "norm2", "final_norm"] if config.final_norm else ["norm1", "norm2"]
LABELS = {"norm1": "norm1 · attention", "norm2": "norm2 · feed-forward", "final_norm": "final norm"}

HEADING = {
    "post": "A sublayer does not replace a token, it adds to it, and the norm follows: **norm(x + sublayer(x))**.",
    "pre": "A sublayer does not replace a token, it adds to it, and the norm comes first: **x + sublayer(norm(x))**.",
}

frame.heading(
    stage_named("add_and_norm"),
    HEADING[config.norm]
    + " LayerNorm brings every token, by itself, to mean 0 and variance 1 (with ε, slightly less); then "
    "it multiplies each dimension by γ and adds β, which are parameters.",
    [Shape("x", (seq, d_model)), Shape("sublayer(x)", (seq, d_model), "attention")],
    [Shape("add & norm", (seq, d_model))],
)


def body() -> None:
    at, name, columns = pick()
    shown = add_and_norm(current.run, at.layer, name).of(at.sentence)
    steps = layer_norm(shown.norm_in, *norm_parameters(parameters, at.layer, name), config.norm_eps)
    inspection = inspect_cell(current, at, norm_out_slice(at, name, config.norm).cell(at.token, 0))
    limit = scale_of(*(x for x in shown if x is not None), steps.normalised)
    if config.norm == "post":  # in the order of the block: the sum, then its norm, or the other way round
        add(at, name, shown, columns, limit, inspection)
        normalise(current, at, name, shown, steps, columns, limit, inspection)
    else:
        normalise(current, at, name, shown, steps, columns, limit, inspection)
        add(at, name, shown, columns, limit, inspection)
    post_and_pre(current, name)
    tensors = {"norm out": shown.norm_out, "normalised": steps.normalised, "norm in": shown.norm_in,
               "sublayer": shown.sublayer, "residual": shown.residual}  # fmt: skip
    render_depths(
        {title: Table(x, at.labels, dimensions(d_model)) for title, x in tensors.items() if x is not None},
        rf"\begin{{aligned}} \mu &= \tfrac{{1}}{{{d_model}}} \sum_i x_i \qquad"
        rf"\sigma^2 = \tfrac{{1}}{{{d_model}}} \sum_i (x_i - \mu)^2 \\"
        r"y &= \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta \\"
        rf"x, y, \gamma, \beta &\in \mathbb{{R}}^{{{d_model}}} \qquad"
        rf"\epsilon = 10^{{{np.log10(config.norm_eps):.3g}}} \end{{aligned}}",
        [blocks.LayerNorm.__call__, blocks.post_norm_block if config.norm == "post" else blocks.pre_norm_block],
        ten_times(at, name, shown),
        inspection,
    )


def pick() -> tuple[Focus, NormName, Window]:
    """What is looked at, which norm of the block, and the dimensions shown."""
    shares = [2.2, 2.5, 1.1, 1.3] if config.final_norm else [2.85, 2.25, 1, 1.3]
    places = st.columns(shares if d_model > WINDOW else [2.2, 2.5, 1.2], vertical_alignment="bottom")
    with places[0]:
        at = focus.pick(current, "layer", "token")
    with places[1]:
        name = choice("Norm", names, NORM, default=names[0], spoken=LABELS.__getitem__)
    with places[2]:
        columns = Wide("dims", d_model).pick()
    with places[-1]:
        frame.recomputed(recompute.add_and_norm(current.run, at.layer))
    return at, name, columns


def add(at: Focus, name: NormName, shown: AddAndNorm, columns: Window, limit: float, inspection: Inspection) -> None:
    """The sum, for the norms that have one."""
    parts = residual_sum(
        shown,
        name,
        config.norm,
        at,
        columns=columns,
        limit=limit,
        tokens=at.labels,
        theme=current_theme(),
        factor=current.run.residual_factor(at.layer, "attention" if name == "norm1" else "mlp"),
    )
    if parts:
        plot(parts, key="add_and_norm_sum_plot", inspection=inspection)


def ten_times(at: Focus, name: NormName, shown: AddAndNorm) -> Question:
    """What the norm gives for ten times the row, run now."""
    scale, shift = norm_parameters(parameters, at.layer, name)
    row = shown.norm_in[at.token]
    once, tenfold = (layer_norm(x, scale, shift, config.norm_eps).output for x in (row, 10 * row.astype(float)))
    moved = float(np.abs(tenfold - once).max())
    if moved > 0.05 or not np.abs(once - shift).max() > 0.1:  # the variance of the row is hardly above ε
        return Question("for what does LayerNorm compute a mean and a variance?",
                        ["for each token", "for each dimension", "for the whole text"], 0,
                        "Each row is normalised by itself, over its dimensions.")  # fmt: skip
    return Question(
        f"every number of the row of “{plain(at.labels[at.token])}” is made ten times as large before the norm. "
        "What comes out?",
        ["ten times as large", "almost the same row", "a row of zeros"],
        1,
        "Mean and standard deviation are ten times as large, too, so the quotient stays: no number moves by more than "
        f"{format_number(moved, 2)}.",
    )


frame.interactive(body)
