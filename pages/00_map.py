"""The map: the whole encoder as it is set now, every part a small real heatmap and a link to its stage."""

from dataclasses import replace

import numpy as np
import streamlit as st

from dashboard import focus, frame
from dashboard.diagram import Card, Group, diagram
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.sidebar import in_units
from dashboard.stages import stage_named
from encoder_core import blocks
from encoder_core.cost import BYTES_PER_PARAMETER, flops_by_part
from encoder_core.figures import bars

current = frame.begin()
config, encoder, trace = current.config, current.encoder, current.trace
batch, seq = current.batch.ids.shape
d_model, d_head = config.d_model, config.d_head

frame.heading(
    stage_named("map"),
    f"**{seq} tokens go in, {seq} vectors of {d_model} numbers come out**, each one informed by its neighbours. On the "
    "way every token asks a :blue[**query**], offers a :red[**key**] and hands on a :green[**value**], weighed by "
    ":violet[**attention**]. Each card below is a real tensor of this model: open it.",
    [Shape("tokens", (batch, seq))],
    [Shape("output", (batch, seq, d_model))],
)


def before(sentence: int) -> Group:
    """From text to the vectors that enter the first block."""
    rows = f"{seq} × {d_model}"
    return Group(
        [
            Card("embedding", "tokens", f"{seq} tokens", words=current.batch.tokens[sentence]),
            Card("embedding", "embedding", rows, trace.scaled_embedding[sentence]),
            Card("positions", "+ positions", rows, trace.position_encoding if config.positions != "none" else None),
            Card("positions", "= embedded", rows, trace.embedded[sentence]),
        ]
    )


def block(sentence: int, layer_index: int, head: int) -> Group:
    """One encoder block, in the order in which this model computes it."""
    layer = trace.layers[layer_index]
    rows, square = f"{seq} × {d_model}", f"{seq} × {seq}"
    attention = [
        Card("qkv", "Q · K · V", f"3 × {seq} × {d_head}", layer.q[sentence, head], identity="query"),
        Card("scaled_scores", "scores", square, layer.scores[sentence, head], identity="attention"),
        Card("softmax", "weights", square, layer.pattern[sentence, head], "weights", "attention"),
        Card("weighted_values", "values", f"{seq} × {d_head}", layer.z[sentence, head], identity="value"),
        Card("multi_head", f"{config.num_heads} heads", rows, layer.attn_out[sentence]),
    ]
    mlp = Card("feed_forward", "feed-forward", f"{seq} × {config.d_ff}", layer.mlp_act[sentence])
    label = f"Encoder block {layer_index + 1} of {config.num_layers} · head {head + 1} · {config.norm}-norm"
    if config.norm == "post":
        norms = [
            Card("add_and_norm", "add & norm", rows, layer.mlp_in[sentence]),
            Card("add_and_norm", "add & norm", rows, layer.resid_post[sentence]),
        ]
        return Group([*attention, norms[0], mlp, norms[1]], label, bridges=[(0, 5), (6, 7)])
    norm1, add1, norm2, add2 = (
        Card("add_and_norm", title, rows, values[sentence])
        for title, values in (
            ("norm", layer.attn_in),
            ("add", layer.resid_mid),
            ("norm", layer.mlp_in),
            ("add", layer.resid_post),
        )
    )
    return Group([norm1, *attention, add1, norm2, mlp, add2], label, bridges=[(0, 6), (7, 9)])


def after(sentence: int) -> Group:
    """What leaves the last block."""
    rows = f"{seq} × {d_model}"
    last = Card("full_stack", f"after block {config.num_layers}", rows, trace.layers[-1].resid_post[sentence])
    normed = Card("full_stack", "norm = output", rows, trace.output[sentence])
    return Group([last, normed] if config.final_norm else [replace(last, title="output")])


@st.fragment
def body() -> None:
    at = focus.pick(current, "layer", "head")
    theme = frame.theme()
    diagram([before(at.sentence), block(at.sentence, at.layer, at.head), after(at.sentence)], key="map", theme=theme)
    parts, flops = encoder.parameters_by_part, flops_by_part(config, seq, batch)
    st.subheader("What it costs", anchor=False)
    st.markdown(
        f"**{encoder.num_parameters:,}** parameters · **{in_units(encoder.num_bytes)}B** as float32 "
        f"({BYTES_PER_PARAMETER} bytes each) · **{in_units(encoder.flops(seq, batch))}FLOP** for one pass over "
        f"{batch * seq} tokens"
    )
    picture(
        [
            bars(np.array(list(parts.values())), list(parts), title="Parameters by part", x_axis="", y_axis="numbers",
                 colour="attention", height=170, theme=theme),
            bars(np.array(list(flops.values())), list(flops), title="FLOPs by part", x_axis="", y_axis="FLOP",
                 colour="query", height=170, theme=theme),
        ],
        key="map_cost",
    )  # fmt: skip
    most = max(parts, key=parts.__getitem__)
    frame.depths(
        {
            "parameters": Table(
                np.array([[count, count * BYTES_PER_PARAMETER] for count in parts.values()]),
                list(parts),
                ["numbers", "bytes"],
            ),
            "FLOPs": Table(np.array([[count] for count in flops.values()]), list(flops), ["FLOP"]),
        },
        _FORMULAS[config.norm],
        [blocks.post_norm_block if config.norm == "post" else blocks.pre_norm_block],
        Question(
            "which part of this model holds most of its parameters?",
            list(parts),
            list(parts).index(most),
            f"{most.capitalize()} has {parts[most]:,} of {encoder.num_parameters:,}.",
        ),
    )


_FORMULAS = {
    "post": r"""\begin{aligned} x_0 &= E[\mathrm{ids}] + P \\ y &= \mathrm{norm}(x_l + \mathrm{attention}(x_l)) \\
x_{l+1} &= \mathrm{norm}(y + \mathrm{ffn}(y)) \end{aligned}""",
    "pre": r"""\begin{aligned} x_0 &= E[\mathrm{ids}] + P \\ y &= x_l + \mathrm{attention}(\mathrm{norm}(x_l)) \\
x_{l+1} &= y + \mathrm{ffn}(\mathrm{norm}(y)) \end{aligned}""",
}

body()
