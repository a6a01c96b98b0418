"""Feed-forward: each token is expanded, activated and contracted separately."""

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.sublayers.feed_forward import render_neuron, render_row_replacement, row_replacement_question
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.column_picker import move_focus_and_column, render_column_picker
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import NEURON
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.explain.sublayers import FeedForwardSteps
from encoder_core.figures import dimensions
from encoder_core.scenes.feed_forward import activation_function, activation_name, network
from encoder_core.scenes.focus import layer_slice
from encoder_core.support.number_format import latex_with_shape

current = frame.begin_page()
config, parameters = current.config, current.parameters
seq, d_model, d_ff = current.batch.ids.shape[1], config.d_model, config.d_ff
dims, neurons = WideAxis("dims", d_model), WideAxis("neurons", d_ff)
BETWEEN = config.activation_after == "first_linear"  # the activation is between the two linear layers
NAME = activation_name(config)

render_opening(
    "feed_forward",
    current,
    [Shape("mlp in", (seq, d_model))],
    [Shape("mlp pre", (seq, d_ff)), Shape("mlp act", (seq, d_ff)), Shape("mlp out", (seq, d_model))],
)


def render_body() -> None:
    neuron_window, columns = neurons.window(), dims.window()
    with focus.focus_line():
        at = focus.render_focus_pickers(current, "layer", "token")
        layer = current.trace.layers[at.layer]
        pre = layer.mlp_pre[at.sentence, at.token, neuron_window.places]
        largest = neuron_window.start + int(pre.argmax())
        neuron = render_column_picker("Neuron", neuron_window, NEURON, first=largest, width=130)
        neurons.render_picker()
        dims.render_picker()
        st.space("stretch")
        frame.render_recompute_badge(lambda: recompute.feed_forward(current.run, at.layer))
    mlp_in, *parts = (x[at.sentence] for x in (layer.mlp_in, layer.mlp_pre, layer.mlp_act, layer.mlp_out))
    steps = FeedForwardSteps(*parts)
    question = row_replacement_question(current, at, mlp_in)
    ask_first(question)
    names = dimensions(neuron_window.stop - neuron_window.start, neuron_window.start)
    inspection = inspect_cell(current, at, layer_slice("mlp_act", at).cell(at.token, neuron))
    render_plot(
        network(mlp_in, steps, config, at, columns=columns, neurons=neuron_window, neuron=neuron,
                theme=current_theme()),
        key="feed_forward_plot",
        inspection=inspection,
        on_click=move_focus_and_column("neuron", NEURON),
    )  # fmt: skip
    render_neuron(current, at, layer, neuron)
    render_row_replacement(current, at, layer, columns)
    render_depths(
        {
            "mlp out": NumberTable(steps.out, at.labels, dimensions(d_model)),
            "mlp act": NumberTable(steps.act[:, neuron_window.places], at.labels, names),
            "mlp pre": NumberTable(steps.pre[:, neuron_window.places], at.labels, names),
            "mlp in": NumberTable(mlp_in, at.labels, dimensions(d_model)),
        },
        formula(),
        [blocks.FeedForward.__call__],
        question,
        inspection,
    )


def formula() -> str:
    """The equations of both linear layers, with the activation after one of them."""
    up = down = ""
    if config.use_bias:
        up = f" + {latex_with_shape('b_{up}', (1, d_ff), above=True)}"
        down = f" + {latex_with_shape('b_{down}', (1, d_model))}"
    hidden = rf"\overbrace{{X}}^{{{seq}\times{d_model}}}\;\overbrace{{W_{{up}}}}^{{{d_model}\times{d_ff}}}{up}"
    out = rf"H\;\underbrace{{W_{{down}}}}_{{{d_ff}\times{d_model}}}{down}"
    name, _, index = activation_function(config).partition("_")
    function = rf"\text{{{name}}}" + (rf"_{{\{index}}}" if index else "")
    activated = rf"{function}\big({hidden if BETWEEN else out}\big)"
    hidden, out = (activated, out) if BETWEEN else (hidden, activated)
    return (
        rf"\begin{{aligned}} \underbrace{{H}}_{{{seq}\times{d_ff}}} &= {hidden} \\ "
        rf"\underbrace{{Y}}_{{{seq}\times{d_model}}} &= {out} \end{{aligned}}"
    )


frame.run_as_fragment(render_body)
