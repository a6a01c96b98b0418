"""Feed-forward: every token by itself is expanded, activated and contracted."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.cells import look
from dashboard.column import column_picker, follow_column
from dashboard.focus import Focus
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.sections.feed_forward import one_neuron, one_row_exchanged
from dashboard.stages import stage_named
from dashboard.window import Wide
from encoder_core import blocks, recompute, sublayers
from encoder_core.figures import dimensions
from encoder_core.scenes.feed_forward import ACTIVATIONS, activation_name, network
from encoder_core.scenes.position import block_slice
from encoder_core.sublayers import FeedForwardSteps

current = frame.begin()
config, parameters = current.config, current.parameters
seq, d_model, d_ff = current.batch.ids.shape[1], config.d_model, config.d_ff
dims, neurons = Wide("dims", d_model), Wide("neurons", d_ff)
NEURON = "feed_forward_neuron"

frame.heading(
    stage_named("feed_forward"),
    f"Every token by itself passes a small network: its {d_model} numbers become {d_ff} (**expand**), each of these "
    f"neurons fires or stays quiet (**activate**), and what they say becomes {d_model} numbers again (**contract**).",
    [Shape("mlp in", (seq, d_model))],
    [Shape("mlp pre", (seq, d_ff)), Shape("mlp act", (seq, d_ff)), Shape("mlp out", (seq, d_model))],
)


@st.fragment
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
        neuron = column_picker("Neuron", shown, key=NEURON, first=most, width=130)
    with places[-1]:
        frame.recomputed(recompute.feed_forward(current.shown, at.layer))
    mlp_in, *parts = (x[at.sentence] for x in (layer.mlp_in, layer.mlp_pre, layer.mlp_act, layer.mlp_out))
    steps, names = FeedForwardSteps(*parts), dimensions(shown.stop - shown.start, shown.start)
    looked = look(current, at, block_slice("mlp_act", at).cell(at.token, neuron))
    picture(
        network(mlp_in, steps, config, at, columns=columns, neurons=shown, neuron=neuron, tokens=at.labels,
                theme=frame.theme()),
        key="feed_forward_picture",
        looked=looked,
        on_click=follow_column("neuron", NEURON),
    )  # fmt: skip
    one_neuron(current, at, layer, neuron)
    one_row_exchanged(current, at, layer, columns)
    bias = " + b" if config.use_bias else ""
    again = config.activation_after == "every_element"  # the activation also follows the second linear layer
    opened, closed = (rf"\text{{{ACTIVATIONS[config.activation]}}}\big(", r"\big)") if again else ("", "")
    frame.depths(
        {
            "mlp out": Table(steps.out, at.labels, dimensions(d_model)),
            "mlp act": Table(steps.act[:, shown.places], at.labels, names),
            "mlp pre": Table(steps.pre[:, shown.places], at.labels, names),
            "mlp in": Table(mlp_in, at.labels, dimensions(d_model)),
        },
        rf"\begin{{aligned}} \underbrace{{H}}_{{{seq}\times{d_ff}}} &= \text{{{activation_name(config)}}}\big("
        rf"\overbrace{{X}}^{{{seq}\times{d_model}}}\;\overbrace{{W_{{up}}}}^{{{d_model}\times{d_ff}}}"
        rf"{bias.replace('b', 'b_{up}')}\big) \\ \underbrace{{Y}}_{{{seq}\times{d_model}}} &= {opened}H\;"
        rf"\underbrace{{W_{{down}}}}_{{{d_ff}\times{d_model}}}{bias.replace('b', 'b_{down}')}{closed} \end{{aligned}}",
        [blocks.FeedForward.__call__],
        changed_places(at, mlp_in),
        looked,
    )


def changed_places(at: Focus, rows: Float[np.ndarray, "seq d_model"]) -> Question:
    """What comes out where two tokens change places in the input, run now."""
    if seq == 1:
        return Question(
            "this text is one token. Which shape leaves the feed-forward network?",
            [f"{down} × {across}" for down, across in ((1, d_ff), (1, d_model), (d_model, d_ff))],
            1,
            "It expands inside and contracts again: the shape that came in.",
        )
    first, second = at.token, (at.token + 1) % seq
    order = np.arange(seq)
    order[[first, second]] = order[[second, first]]
    out, out_of_swapped = (
        sublayers.feed_forward(x, parameters, at.layer, config.activation, config.activation_after).out
        for x in (rows, rows[order])
    )
    difference = float(np.abs(out_of_swapped - out[order]).max())
    return Question(
        f"“{frame.plain(at.labels[first])}” and “{frame.plain(at.labels[second])}” change places in the input of the "
        "feed-forward network. What happens to its output?",
        ["nothing", "the same two rows change places", "all rows change"],
        1,
        "Each row comes from its own row alone. Run now: with its rows put back, the output differs by "
        f"{difference:.1g}.",
    )


body()
