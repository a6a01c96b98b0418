"""Feed-forward: every token by itself is expanded, activated and contracted."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.feed_forward import one_neuron, one_row_exchanged
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import Wide
from dashboard.selection.column_picker import column_picker, follow_column
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import NEURON
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute, sublayers
from encoder_core.explain.sublayers import FeedForwardSteps
from encoder_core.figures import dimensions, format_number
from encoder_core.scenes.feed_forward import activation_name, network
from encoder_core.scenes.position import block_slice

current = frame.begin()
config, parameters = current.config, current.parameters
seq, d_model, d_ff = current.batch.ids.shape[1], config.d_model, config.d_ff
dims, neurons = Wide("dims", d_model), Wide("neurons", d_ff)
BETWEEN = config.activation_after == "first_linear"  # the activation stands between the two linear layers
NAME = activation_name(config)

frame.heading(
    stage_named("feed_forward"),
    f"Every token by itself passes a small network: its {d_model} numbers become {d_ff} (**expand**), "
    + (
        f"{NAME} is applied to each of these neurons (**activate**), and they become {d_model} numbers again "
        "(**contract**)."
        if BETWEEN
        else f"these become {d_model} numbers again (**contract**), and {NAME} is applied to those (**activate**). "
        "Nothing is activated between the two linear layers."
    ),
    [Shape("mlp in", (seq, d_model))],
    [Shape("mlp pre", (seq, d_ff)), Shape("mlp act", (seq, d_ff)), Shape("mlp out", (seq, d_model))],
)


def body() -> None:
    wide = [axis for axis in (neurons, dims) if axis.count > axis.whole]
    shares = ([2.4, 1, 1.2], [2.4, 1, 1.1, 1.2], [2.7, 0.9, 1, 1, 1.35])[len(wide)]
    places = st.columns(shares, vertical_alignment="bottom")
    with places[0]:
        at = focus.pick(current, "layer", "token")
    for place, axis in zip(places[2:], wide, strict=False):
        with place:
            axis.pick()
    shown, columns = neurons.window(), dims.window()
    layer = current.trace.layers[at.layer]
    with places[1]:
        most = shown.start + int(layer.mlp_pre[at.sentence, at.token, shown.places].argmax())
        neuron = column_picker("Neuron", shown, NEURON, first=most, width=130)
    with places[-1]:
        frame.recomputed(recompute.feed_forward(current.run, at.layer))
    mlp_in, *parts = (x[at.sentence] for x in (layer.mlp_in, layer.mlp_pre, layer.mlp_act, layer.mlp_out))
    steps, names = FeedForwardSteps(*parts), dimensions(shown.stop - shown.start, shown.start)
    inspection = inspect_cell(current, at, block_slice("mlp_act", at).cell(at.token, neuron))
    plot(
        network(mlp_in, steps, config, at, columns=columns, neurons=shown, neuron=neuron, tokens=at.labels,
                theme=current_theme()),
        key="feed_forward_plot",
        inspection=inspection,
        on_click=follow_column("neuron", NEURON),
    )  # fmt: skip
    one_neuron(current, at, layer, neuron)
    one_row_exchanged(current, at, layer, columns)
    render_depths(
        {
            "mlp out": Table(steps.out, at.labels, dimensions(d_model)),
            "mlp act": Table(steps.act[:, shown.places], at.labels, names),
            "mlp pre": Table(steps.pre[:, shown.places], at.labels, names),
            "mlp in": Table(mlp_in, at.labels, dimensions(d_model)),
        },
        formula(),
        [blocks.FeedForward.__call__],
        one_row_replaced(at, mlp_in),
        inspection,
    )


def formula() -> str:
    """Both linear layers, and the activation around the one that it follows; shapes as chosen now."""
    up, down = (" + b_{up}", " + b_{down}") if config.use_bias else ("", "")
    hidden = rf"\overbrace{{X}}^{{{seq}\times{d_model}}}\;\overbrace{{W_{{up}}}}^{{{d_model}\times{d_ff}}}{up}"
    out = rf"H\;\underbrace{{W_{{down}}}}_{{{d_ff}\times{d_model}}}{down}"
    activated = rf"\text{{{NAME}}}\big({hidden if BETWEEN else out}\big)"
    hidden, out = (activated, out) if BETWEEN else (hidden, activated)
    return (
        rf"\begin{{aligned}} \underbrace{{H}}_{{{seq}\times{d_ff}}} &= {hidden} \\ "
        rf"\underbrace{{Y}}_{{{seq}\times{d_model}}} &= {out} \end{{aligned}}"
    )


def one_row_replaced(at: Focus, rows: Float[np.ndarray, "seq d_model"]) -> Question:
    """Which rows of the output change where one row of the input does, run now."""
    if seq == 1:
        return Question(
            "this text is one token. Which shape leaves the feed-forward network?",
            [f"{down} × {across}" for down, across in ((1, d_ff), (1, d_model), (d_model, d_ff))],
            1,
            "It expands inside and contracts again: the shape that came in.",
        )
    exchanged = rows.copy()
    exchanged[at.token] = 0
    out, after = (
        sublayers.feed_forward(x, parameters, at.layer, config.activation, config.activation_after).out
        for x in (rows, exchanged)
    )
    others = float(np.abs(np.delete(after - out, at.token, axis=0)).max())
    word = plain(at.labels[at.token])
    return Question(
        f"row {at.token + 1}, “{word}”, in the input of the feed-forward network is replaced by zeros. Which rows of "
        "its output can change?",
        ["only the same row", "this row and others", "only other rows"],
        0,
        f"Run now: no other row changes by more than {format_number(others, 1)}. The figure above compares this with "
        "attention, which does mix tokens.",
    )


frame.interactive(body)
