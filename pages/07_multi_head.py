"""Multi-head attention: the same four steps in every head, side by side, and the heads' results added up."""

import dataclasses
import math
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Focus
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import HeadFactor, blocks, recompute
from encoder_core.analysis import pooled
from encoder_core.cost import flops_by_part, parameters_by_part
from encoder_core.figures import dimensions, heatmap, limit_of, mosaic
from encoder_core.trace import LayerTrace

PARTS = ("What each head adds", "Switch heads off", "How many heads?")
OFF = "multi_head_off"
MOST_CELLS = 60_000  # a picture holds; larger ones are thinned, and say so

current = frame.begin()
config, parameters = current.config, current.encoder.parameters()
batch, seq = current.batch.ids.shape
heads, d_head, d_model, width = config.num_heads, config.d_head, config.d_model, config.attention_dim
head_names = [f"head {head + 1}" for head in range(heads)] if heads <= 6 else [str(head + 1) for head in range(heads)]

frame.heading(
    stage_named("multi_head"),
    "All steps so far, in every head at once, each with :blue[**queries**], :red[**keys**] and :green[**values**] of "
    f"its own: a slice of {d_head} of the {width} columns. $W_O$ mixes what the heads collected.",
    [Shape("Q", (seq, width), "query"), Shape("K", (seq, width), "key"), Shape("V", (seq, width), "value")],
    [Shape("attn_out", (seq, d_model))],
)


@st.fragment
def body() -> None:
    at = focus.pick(
        current,
        "layer",
        "head",
        "token",
        badge=lambda at: frame.recomputed(recompute.multi_head(current.trace.layers[at.layer], out_bias(at.layer))),
    )
    layer = current.trace.layers[at.layer]
    split(at, layer)
    all_patterns(at, layer)
    contributions = layer.head_contributions[at.sentence]
    match st.segmented_control(
        "And then",
        PARTS,
        default=PARTS[0],
        required=True,
        key="multi_head_part",
        persist_state="session",
        label_visibility="collapsed",
    ):
        case "Switch heads off":
            switch_off(at)
        case "How many heads?":
            trade_off()
        case _:
            add_up(at, layer, contributions)
    norms = np.linalg.norm(contributions, axis=-1)
    frame.depths(
        {
            "size of contribution": Table(norms, [f"head {head + 1}" for head in range(heads)], at.labels),
            "one token": Table(
                np.vstack([contributions[:, at.token], contributions[:, at.token].sum(axis=0)]),
                [*(f"head {head + 1}" for head in range(heads)), "sum"],
                dimensions(d_model),
            ),
            "concat": Table(layer.concat[at.sentence], at.labels, dimensions(width)),
        },
        rf"\underbrace{{\text{{attn\_out}}}}_{{{seq}\times{d_model}}} = "
        rf"\underbrace{{[z_1 \dots z_{{{heads}}}]}}_{{{seq}\times{width}}}\;"
        rf"\underbrace{{W_O}}_{{{width}\times{d_model}}}"
        rf"{' + b_O' if config.use_bias else ''}"
        rf"\\[1em] = \sum_{{h=1}}^{{{heads}}} \underbrace{{z_h}}_{{{seq}\times{d_head}}}\;"
        rf"\underbrace{{W_{{O,h}}}}_{{{d_head}\times{d_model}}}{' + b_O' if config.use_bias else ''}",
        [blocks.SelfAttention.__call__, blocks.weigh_values, vars(LayerTrace)["head_contributions"].fget],
        question(),
    )


def split(at: Focus, layer: LayerTrace) -> None:
    """Q as one product, cut into heads, and put back."""
    name = f"layers.{at.layer}.attention.query"
    q = layer.attn_in[at.sentence] @ parameters[f"{name}.kernel"] + parameters.get(f"{name}.bias", np.float32(0))
    of_heads = layer.q[at.sentence]
    back = of_heads.swapaxes(0, 1).reshape(seq, width)
    figure = partial(
        mosaic, row_titles=[""], column_titles=head_names, rows=at.labels, columns=dimensions(d_head), kind="signed",
        row_axis="query", column_axis="dimension", tile_row_axis="", limit=limit_of(q), selected=(0, at.head),
        height=140, theme=frame.theme(),
    )  # fmt: skip
    picture(
        [
            figure(stripes(q), title="Q = x W_Q: a stripe for each head", title_colour="query", gap=0),
            "split →",
            figure(of_heads[None], title="every head has its Q", title_colour="query", gap=max(1, d_head // 4)),
            "put back →",
            figure(stripes(back), title="Q again", title_colour="query", gap=0),
        ],
        key="multi_head_split",
    )
    st.caption(
        f"One matrix product makes the queries of all heads; head {at.head + 1} owns columns {at.head * d_head} to "
        f"{(at.head + 1) * d_head - 1}. Splitting only cuts: put back, it is the same Q (max Δ "
        f"{recompute.difference(back, q):.0e})."
    )


def stripes(matrix: Float[np.ndarray, "seq qkv_dim"]) -> Float[np.ndarray, "1 head seq d_head"]:
    """The columns of each head as a tile."""
    return matrix.reshape(seq, heads, d_head).swapaxes(0, 1)[None]


def all_patterns(at: Focus, layer: LayerTrace) -> None:
    """The weights of every head, of every sentence."""
    block = math.ceil(math.sqrt(layer.pattern.size / MOST_CELLS))
    tiles = pooled(layer.pattern, block)
    visible = pooled(current.trace.mask.astype(np.float32), block) > 0
    names = list(at.labels) if batch == 1 else [str(token + 1) for token in range(seq)]
    of_block = "" if block == 1 else f" {block} tokens from"
    largest = float(layer.pattern.max()) or 1.0
    height = int(np.clip(batch * 980 / heads, 130, max(230, 70 * batch)))
    picture(
        [
            mosaic(
                tiles, [""] if batch == 1 else [f"sentence {i + 1}" for i in range(batch)], head_names,
                title=f"the weights of all heads of layer {at.layer + 1}" + ("" if batch == 1 else ", sentences down"),
                title_colour="attention",
                rows=names[::block], columns=names[::block], row_axis="query" + of_block, column_axis="key" + of_block,
                tile_row_axis="sentence", tile_column_axis="head", limit=largest, mask=visible,
                selected=(at.sentence, at.head), height=height, theme=frame.theme(),
            ),
        ],
        key="multi_head_patterns",
    )  # fmt: skip
    st.caption(
        "Queries down, keys across, as on every page. Click a tile to look at its head. "
        + ("" if block == 1 else f"Each cell is the largest weight of {block} × {block}. ")
        + "The heads read the same tokens and see different things, because each has weights of its own."
    )


def add_up(at: Focus, layer: LayerTrace, contributions: Float[np.ndarray, "head seq d_model"]) -> None:
    """What each head adds to the stream, and that it adds up."""
    bias = out_bias(at.layer)
    total = layer.attn_out[at.sentence] - (np.float32(0) if bias is None else bias)
    every = math.ceil(contributions.size / MOST_CELLS)
    limit = limit_of(contributions, total)
    common: dict[str, Any] = {"row_axis": "token", "limit": limit, "height": 200, "theme": frame.theme()}
    picture(
        [
            mosaic(
                contributions[None, :, :, ::every], [""], head_names, title="z W_O of each head",
                rows=at.labels, columns=dimensions(d_model)[::every], kind="signed", column_axis="dimension",
                tile_row_axis="", selected=(0, at.head), weight=int(np.clip(14 * heads, 24, 130)), **common,
            ),
            "Σ =",
            heatmap(total[:, ::every], at.labels, dimensions(d_model)[::every],
                    title="attn_out" if bias is None else "attn_out − bias", marks=[(at.token, None)], **common),
        ],
        key="multi_head_contributions",
    )  # fmt: skip
    apart = recompute.difference(total, contributions.sum(axis=0, dtype=float))
    st.caption(
        "All on one scale. Concat · W_O is the same as the sum of what the heads add, each through its own "
        f"{d_head} rows of W_O: they differ by {apart:.0e}."
        + ("" if every == 1 else f" Every {every}th dimension is shown.")
    )
    norms = np.linalg.norm(contributions, axis=-1)
    picture(
        [
            heatmap(norms, head_names, at.labels, title="how much each head adds to each token: the length of its row",
                    row_axis="head", column_axis="token", kind="weights", limit=limit_of(norms),
                    marks=[(at.head, None), (at.head, at.token)], height=max(64, min(16 * heads, 220)),
                    theme=frame.theme()),
        ],
        key="multi_head_norms",
    )  # fmt: skip


@st.fragment
def switch_off(at: Focus) -> None:
    """The forward pass again with some heads of this layer off: what changes here, and at the end."""
    st.session_state[OFF] = [head for head in st.session_state.get(OFF, [0]) if head < heads]
    off = st.pills(
        f"Heads of layer {at.layer + 1} that are switched off", range(heads), selection_mode="multi",
        format_func=lambda head: str(head + 1), key=OFF, persist_state="session",
    )  # fmt: skip
    without = current.traced(*(HeadFactor(at.layer, head, 0.0) for head in off))
    pairs = {
        f"attn_out, layer {at.layer + 1}": (current.trace.layers[at.layer].attn_out, without.layers[at.layer].attn_out),
        "output of the model": (current.trace.output, without.output),
    }
    for number, (name, (before, after)) in enumerate(pairs.items()):
        was, now = before[at.sentence], after[at.sentence]
        show = partial(heatmap, rows=at.labels, columns=dimensions(d_model), limit=limit_of(was, now, was - now),
                       height=170, theme=frame.theme())  # fmt: skip
        picture(
            [show(was, title=name), "−", show(now, title="with heads off"), "=", show(was - now, title="difference")],
            key=f"multi_head_off_{number}",
            on_click=lambda cell, meta: None,  # the pickers stand outside this fragment
        )
    share = [np.linalg.norm(before - after) / (np.linalg.norm(before) or 1) for before, after in pairs.values()]
    st.caption(
        f"The difference is **{share[0]:.0%}** of attn_out in length, and **{share[1]:.0%}** of the model's output: "
        "the residual stream carries the rest, and the layers above pass the change on to other tokens."
    )


def trade_off() -> None:
    """More heads at the same width: what it costs and what it changes."""
    names = ("heads", "d_head", "attention parameters", "attention FLOP", "weights, each layer", "products in a score")
    rows = [f"| {' | '.join(names)} |", "|--:" * len(names) + "|"]
    for count in sorted({count for count in (1, 2, 4, 8, 16, heads) if width % count == 0}):
        cells = [count, width // count, attention_parameters(count), attention_flops(count), count * seq**2]
        bold = "**" if count == heads else ""
        rows.append("|" + "".join(f" {bold}{cell:,}{bold} |" for cell in [*cells, width // count]))
    st.markdown("\n".join(rows))
    st.caption(
        f"d_head = {width} / {heads} = {d_head}. More heads at the same width cost the same: they give more patterns "
        "of attention, each from a dot product over fewer dimensions. With few dimensions, a head can tell less apart."
    )


def attention_parameters(count: int) -> int:
    """Parameters of attention in all layers, with this many heads."""
    return parameters_by_part(dataclasses.replace(config, num_heads=count))["attention"]


def attention_flops(count: int) -> int:
    """Floating-point operations of attention in all layers, for a sentence, with this many heads."""
    parts = flops_by_part(dataclasses.replace(config, num_heads=count), seq)
    return parts["projections"] + parts["scores"] + parts["weighted values"]


def question() -> Question:
    """More heads cost nothing."""
    other = next(count for count in (2 * heads, 1, 2) if width % count == 0 and count != heads)
    now, then = attention_parameters(heads), attention_parameters(other)
    options = sorted({now * other // heads, then, now * heads // other}, reverse=heads % 2 == 0)
    return Question(
        f"attention has {now:,} parameters with {heads} head{'s' * (heads > 1)}. How many would it have with {other}?",
        [f"{option:,}" for option in options], options.index(then), "Heads only cut the same matrices into slices.",
    )  # fmt: skip


def out_bias(layer: int) -> Float[np.ndarray, "d_model"] | None:
    """The bias of W_O, if the model has one."""
    return parameters.get(f"layers.{layer}.attention.out.bias")


body()
