"""Multi-head attention: the same four steps in every head, side by side, and the heads' results added up."""

from dataclasses import replace

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.multi_head import add_up, all_patterns, split, switch_off, trade_off
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import Wide
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.view_choice import choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import PART
from encoder_core import LayerTrace, blocks
from encoder_core.cost import attention_cost
from encoder_core.explain import recompute
from encoder_core.figures import WHOLE, dimensions
from encoder_core.scenes.position import block_slice

PARTS = ("What each head adds", "Switch heads off", "How many heads?")

current = frame.begin()
config, parameters = current.config, current.parameters
seq, heads = current.batch.ids.shape[1], config.num_heads
d_head, d_model, width = config.d_head, config.d_model, config.qkv_width
MIXING = [blocks.split_heads, blocks.weigh_values_of_heads] if current.splits_heads else [blocks.weigh_values]
dims = Wide("dims", d_model, whole=WHOLE)

frame.heading(
    stage_named("multi_head"),
    "All steps so far, in every head at once, each with :blue[**queries**], :red[**keys**] and :green[**values**] of "
    f"its own: a slice of {d_head} of the {width} columns. $W_O$ mixes what the heads collected.",
    [Shape("Q", (seq, width), "query"), Shape("K", (seq, width), "key"), Shape("V", (seq, width), "value")],
    [Shape("attn_out", (seq, d_model))],
)


def body() -> None:
    at = focus.pick(
        current,
        "layer",
        "head",
        "token",
        badge=lambda at: frame.recomputed(recompute.multi_head(current.run, at.layer)),
    )
    layer = current.trace.layers[at.layer]
    inspection = inspect_cell(current, at, block_slice("attn_out", at).cell(at.token, 0))
    split(current, at, layer, inspection)
    all_patterns(current, at, layer, inspection)
    contributions = layer.head_contributions[at.sentence]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        part = choice("And then", PARTS, PART, default=PARTS[0], silent=True)
        if part != PARTS[-1]:
            dims.pick()
    match part:
        case "Switch heads off":
            switch_off(current, at, dims.window())
        case "How many heads?":
            trade_off(current)
        case _:
            add_up(current, at, layer, dims.window(), out_bias(at.layer), inspection)
    names, of_token = [f"head {head + 1}" for head in range(heads)], contributions[:, at.token]
    render_depths(
        {
            "size of contribution": Table(np.linalg.norm(contributions, axis=-1), names, at.labels),
            "one token": Table(np.vstack([of_token, of_token.sum(axis=0)]), [*names, "sum"], dimensions(d_model)),
            "concat": Table(layer.concat[at.sentence], at.labels, dimensions(width)),
        },
        rf"\underbrace{{\text{{attn\_out}}}}_{{{seq}\times{d_model}}} = "
        rf"\underbrace{{[z_1 \dots z_{{{heads}}}]}}_{{{seq}\times{width}}}\;"
        rf"\underbrace{{W_O}}_{{{width}\times{d_model}}}"
        rf"{' + b_O' if config.use_bias else ''}"
        rf"\\[1em] = \sum_{{h=1}}^{{{heads}}} \underbrace{{z_h}}_{{{seq}\times{d_head}}}\;"
        rf"\underbrace{{W_{{O,h}}}}_{{{d_head}\times{d_model}}}{' + b_O' if config.use_bias else ''}",
        [blocks.SelfAttention.__call__, *MIXING, vars(LayerTrace)["head_contributions"].fget],
        question(),
        inspection,
    )


def question() -> Question:
    """More heads at the same width add no parameters."""
    other = next(count for count in (2 * heads, 1, 2) if width % count == 0 and count != heads)
    (now, _), (then, _) = (attention_cost(replace(config, num_heads=count), seq) for count in (heads, other))
    options = sorted({now * other // heads, then, now * heads // other}, reverse=heads % 2 == 0)
    return Question(
        f"attention has {now:,} parameters with {heads} head{'s' * (heads > 1)}. How many would it have "
        f"with {other} at the same width of {width}?",
        [f"{option:,}" for option in options], options.index(then), "Heads only cut the same matrices into slices.",
    )  # fmt: skip


def out_bias(layer: int) -> Float[np.ndarray, "d_model"] | None:
    """The bias of W_O, if the model has one."""
    return parameters.get(f"layers.{layer}.attention.out.bias")


frame.interactive(body)
