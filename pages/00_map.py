"""The map: the whole encoder as it is set now, every part a small real heatmap and a link to its stage."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from dashboard.components.diagram import diagram
from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.map import after, before, block
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.sidebar import in_units
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.cost import BYTES_PER_PARAMETER, flops_by_part
from encoder_core.figures import bars
from encoder_core.scenes.position import text_slice

current = frame.begin()
config, encoder = current.config, current.encoder
batch, seq = current.batch.ids.shape
d_model = config.d_model

frame.heading(
    stage_named("map"),
    f"**{seq} tokens go in, {seq} vectors of {d_model} numbers come out**, each one informed by every "
    "token that it may attend to. On the way every token asks a :blue[**query**], offers a :red[**key**] and hands on "
    "a :green[**value**], weighed by :violet[**attention**]. Each card below is a real tensor of this model: open it.",
    [Shape("tokens", (batch, seq))],
    [Shape("output", (batch, seq, d_model))],
)


def body() -> None:
    at = focus.pick(current, "layer", "head")
    theme = current_theme()
    groups = [
        before(current, at.sentence),
        block(current, at.sentence, at.layer, at.head),
        after(current, at.sentence),
    ]
    diagram(groups, key="map", theme=theme)
    parts, flops = encoder.parameters_by_part, flops_by_part(config, seq, batch)
    st.subheader("What it costs", anchor=False)
    st.markdown(
        f"**{encoder.num_parameters:,}** parameters · **{in_units(encoder.num_bytes)}B** as float32 "
        f"({BYTES_PER_PARAMETER} bytes each) · **{in_units(encoder.flops(seq, batch))}FLOP** in the matrix products "
        f"of one pass over {batch * seq} tokens"
    )
    plot(
        [
            bars(np.array(list(parts.values())), list(parts), title="Parameters by part", x_axis="", y_axis="numbers",
                 colour="attention", height=170, theme=theme),
            bars(np.array(list(flops.values())), list(flops), title="FLOPs by part", x_axis="", y_axis="FLOP",
                 colour="query", height=170, theme=theme),
        ],
        key="map_cost",
    )  # fmt: skip
    st.caption(
        "Only matrix products are counted, a multiplication and an addition as two operations (Hoffmann et al. 2022, "
        "appendix F). Norms, softmax, activations, biases and residual additions are left out."
    )
    render_depths(
        {
            "parameters": Table(
                np.array([[count, count * BYTES_PER_PARAMETER] for count in parts.values()]),
                list(parts),
                ["numbers", "bytes"],
            ),
            "FLOPs": Table(np.array([[count] for count in flops.values()]), list(flops), ["FLOP"]),
        },
        formula(),
        [blocks.post_norm_block if config.norm == "post" else blocks.pre_norm_block],
        question(parts),
        inspect_cell(current, at, text_slice("output", at).cell(0, 0)),
    )


def question(parts: Mapping[str, int]) -> Question:
    """Which part is the largest? Parts of the same size, such as attention and feed-forward with d_ff = 2 d_model and
    no biases, are one option."""
    of_size: dict[int, list[str]] = {}
    for part, count in parts.items():
        of_size.setdefault(count, []).append(part)
    options = {" and ".join(names) + ", equally" * (len(names) > 1): count for count, names in of_size.items()}
    largest = max(options, key=options.__getitem__)
    total, count = sum(parts.values()), options[largest]
    return Question(
        "which part has the largest share of this model's parameters?",
        list(options),
        list(options).index(largest),
        f"{largest[0].upper()}{largest[1:]}: {count:,} of {total:,}, {count / total:.0%}"
        + (" each." if len(of_size[count]) > 1 else "."),
    )


def formula() -> str:
    """What the stack computes, with the final norm where there is one."""
    lines = _FORMULAS[config.norm].replace("X", _EMBEDDED[config.embedding_norm])
    end = r" \\ \mathrm{output} &= \mathrm{norm}(x_L)" if config.final_norm else ""
    return rf"\begin{{aligned}} {lines}{end} \end{{aligned}}"


_EMBEDDED = {False: r"E[\mathrm{ids}] + P", True: r"\mathrm{norm}(E[\mathrm{ids}] + P)"}
_FORMULAS = {
    "post": r"""x_0 &= X \\ y &= \mathrm{norm}(x_l + \mathrm{attention}(x_l)) \\
x_{l+1} &= \mathrm{norm}(y + \mathrm{ffn}(y))""",
    "pre": r"""x_0 &= X \\ y &= x_l + \mathrm{attention}(\mathrm{norm}(x_l)) \\
x_{l+1} &= y + \mathrm{ffn}(\mathrm{norm}(y))""",
}

frame.interactive(body)
