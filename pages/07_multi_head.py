"""Multi-head attention: the previous four steps in every head, and the sum of the heads' contributions."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention import multi_head as sections
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.view_choice import render_choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import PART
from encoder_core import LayerTrace, blocks
from encoder_core.explain import recompute
from encoder_core.figures import MAX_UNBINNED, dimensions
from encoder_core.scenes.focus import layer_slice
from encoder_core.support.number_format import latex_sequence, latex_with_shape
from encoder_core.support.wording import numbered

PARTS = ("What each head adds", "Switch heads off", "How many heads?")

current = frame.begin_page()
config, parameters = current.config, current.parameters
seq, heads = current.batch.ids.shape[1], config.num_heads
d_head, d_model, width = config.d_head, config.d_model, config.qkv_width
MIXING = [blocks.split_heads, blocks.weigh_values_of_heads] if current.splits_heads else [blocks.weigh_values]
dims = WideAxis("dims", d_model, max_full=MAX_UNBINNED)

render_opening(
    "multi_head",
    current,
    [Shape("Q", (seq, width), "query"), Shape("K", (seq, width), "key"), Shape("V", (seq, width), "value")],
    [Shape("attn_out", (seq, d_model))],
)


def render_body() -> None:
    at = focus.render_focus_controls(
        current,
        "layer",
        "head",
        "token",
        badge=lambda at: frame.render_recompute_badge(lambda: recompute.multi_head(current.run, at.layer)),
    )
    layer, heads_off = current.trace.layers[at.layer], sections.heads_switched_off(heads, at.head)
    inspection = inspect_cell(current, at, layer_slice("attn_out", at).cell(at.token, 0))
    question = sections.parameter_question(config, seq)
    ask_first(question)
    sections.render_split(current, at, layer, inspection)
    sections.render_patterns(current, at, layer, inspection)
    contributions = layer.head_contributions[at.sentence]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        part = render_choice("Section", PARTS, PART, default=PARTS[0], hide_label=True)
        if part != PARTS[-1]:
            dims.render_picker()
    match part:
        case "Switch heads off":
            sections.render_heads_off(current, at, heads_off, dims.window())
        case "How many heads?":
            sections.render_head_counts(current)
        case _:
            sections.render_contributions(current, at, layer, dims.window(), out_bias(at.layer), inspection)
    bias = f" + {latex_with_shape('b_O', (1, d_model))}" if config.use_bias else ""
    all_z = latex_sequence([f"z_{{{head + 1}}}" for head in range(heads)], separator=r"\; ")
    names, token_contributions = numbered("head", heads), contributions[:, at.token]
    render_depths(
        {
            "size of contribution": NumberTable(np.linalg.norm(contributions, axis=-1), names, at.labels, first=None),
            "one token": NumberTable(
                np.vstack([token_contributions, token_contributions.sum(axis=0)]),
                [*names, "sum"],
                dimensions(d_model),
                first=None,
            ),
            "concat": NumberTable(layer.concat[at.sentence], at.labels, dimensions(width)),
        },
        rf"\begin{{gathered}} \underbrace{{\text{{attn\_out}}}}_{{{seq}\times{d_model}}} = "
        rf"\underbrace{{[{all_z}]}}_{{{seq}\times{width}}}\;"
        rf"\underbrace{{W_O}}_{{{width}\times{d_model}}}"
        rf"{bias}"
        rf"\\[2em] = \sum_{{h=1}}^{{{heads}}} \underbrace{{z_h}}_{{{seq}\times{d_head}}}\;"
        rf"\underbrace{{W_{{O,h}}}}_{{{d_head}\times{d_model}}}{bias} "
        r"\end{gathered}",
        [blocks.SelfAttention.__call__, *MIXING, vars(LayerTrace)["head_contributions"].fget],
        question,
        inspection,
    )


def out_bias(layer: int) -> Float[np.ndarray, "d_model"] | None:
    """The bias of W_O, or None if the model has no biases."""
    return parameters.get(f"layers.{layer}.attention.out.bias")


frame.run_as_fragment(render_body)
