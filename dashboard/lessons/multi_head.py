"""Sections of multi-head attention: Q cut into heads, their weights, what each adds, heads off, more or fewer heads."""

from dataclasses import replace

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.models.ablation import ablation
from dashboard.models.model import Model, with_edits
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.selection.weights_scale import weights_limit
from dashboard.state.choices import HEADS_OFF
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core import HeadFactor, LayerTrace
from encoder_core.analysis import relative_change
from encoder_core.cost import attention_cost
from encoder_core.explain import recompute
from encoder_core.figures import Window, format_number
from encoder_core.scenes import multi_head as scenes
from encoder_core.scenes.qkv import side_by_side
from encoder_core.scenes.what_if import all_left_out


def split(current: Model, at: Focus, layer: LayerTrace, inspection: Inspection) -> None:
    """Q as one product, cut into heads, and put back."""
    parameters, name = current.parameters, f"layers.{at.layer}.attention.query"
    q = layer.attn_in[at.sentence] @ parameters[f"{name}.kernel"] + parameters.get(f"{name}.bias", np.float32(0))
    of_heads, d_head = layer.q[at.sentence], current.config.d_head
    parts = scenes.split(q, of_heads, at, tokens=at.labels, theme=current_theme())
    of_bin = scenes.in_split(d_head, len(of_heads)).size
    plot(parts, key="multi_head_split", inspection=inspection)
    st.caption(
        f"One matrix product makes the queries of all heads; head {at.head + 1} owns columns {at.head * d_head} to "
        f"{(at.head + 1) * d_head - 1}. Splitting only cuts: put back, it is the same Q (max Δ "
        f"{format_number(recompute.difference(side_by_side(of_heads), q), 1)})."
        + ("" if of_bin == 1 else f" A cell is the largest of {of_bin} columns.")
    )


def all_patterns(current: Model, at: Focus, layer: LayerTrace, inspection: Inspection) -> None:
    """The weights of every head, of every sentence."""
    above = st.container()  # the picture stands above the choice of its colours
    title = f"the weights of all heads of layer {at.layer + 1}"
    parts = scenes.all_patterns(
        layer.pattern, np.isfinite(layer.scores), at, title=title, tokens=at.labels,
        limit=weights_limit(layer.pattern), theme=current_theme(),
    )  # fmt: skip
    block = scenes.block_of(layer.pattern.size)
    with above:
        plot(parts, key="multi_head_patterns", inspection=inspection)
    st.caption(
        "Queries down, keys across, as on every page. Click a tile to look at its head. "
        + ("" if block == 1 else f"Each cell is the largest weight of {block} × {block}. ")
        + "Every head reads the same rows, each with its own part of W_Q and W_K."
    )


def add_up(
    current: Model,
    at: Focus,
    layer: LayerTrace,
    columns: Window,
    bias: Float[np.ndarray, "d_model"] | None,
    inspection: Inspection,
) -> None:
    """What each head adds to the stream, that it adds up to concat · W_O, and how much it is."""
    contributions = layer.head_contributions[at.sentence]
    total = layer.concat[at.sentence] @ current.parameters[f"layers.{at.layer}.attention.out.kernel"]
    kept = current.trace.kept
    dropped = kept is not None and kept.layers[at.layer].attn_out is not None
    parts = scenes.added_up(
        contributions, layer.attn_out[at.sentence], at, biased=bias is not None, tokens=at.labels, columns=columns,
        theme=current_theme(),
    )  # fmt: skip
    plot(parts, key="multi_head_contributions", inspection=inspection)
    heads, seq, d_model = contributions.shape
    of_bin = scenes.in_added(columns, d_model, heads, seq).size
    apart = recompute.difference(total, contributions.sum(axis=0, dtype=float))
    st.caption(
        "All on one scale. Concat · W_O is the same as the sum of what the heads add, each through its own "
        f"{current.config.d_head} rows of W_O: they differ by {format_number(apart, 1)}."
        + ("" if of_bin == 1 else f" In the tiles of the heads, a cell is the largest of {of_bin} dimensions.")
        + " In training mode, attn_out is what dropout makes of the sum." * dropped
    )
    norms = np.linalg.norm(contributions, axis=-1)
    parts = scenes.lengths(norms, at, tokens=at.labels, theme=current_theme())
    plot(parts, key="multi_head_norms")


def switch_off(current: Model, at: Focus, columns: Window) -> None:
    """The forward pass again with some heads of this layer off: what changes here, and at the end."""
    heads = current.config.num_heads
    off = tuple(head for head in session().get(HEADS_OFF) if head < heads)
    session().put(HEADS_OFF, off)
    bound = shows(
        HEADS_OFF, list(off), heads, begins="default",
        changed=lambda chosen: session().set(HEADS_OFF, tuple(sorted(chosen))),
    )  # fmt: skip
    st.pills(
        f"Heads of layer {at.layer + 1} that are switched off", range(heads), selection_mode="multi",
        format_func=lambda head: str(head + 1), **bound,
    )  # fmt: skip
    without_heads = with_edits(current, (*current.edits, *(HeadFactor(at.layer, head, 0.0) for head in off)))
    for problem in without_heads.left_out:
        st.caption(f":orange[{problem}]")
    trace, without = current.trace, without_heads.trace
    pairs = {
        f"attn_out, layer {at.layer + 1}": (trace.layers[at.layer].attn_out, without.layers[at.layer].attn_out),
        "output of the model": (trace.output, without.output),
    }
    for number, (title, (before, after)) in enumerate(pairs.items()):
        was, now = before[at.sentence], after[at.sentence]
        plot(
            scenes.difference(was, now, titles=(title, "with heads off"), tokens=at.labels, columns=columns,
                              theme=current_theme()),
            key=f"multi_head_off_{number}",
            on_click=None,  # the pickers stand outside this fragment
        )  # fmt: skip
    found = ablation(current, at.sentence)
    left_out = all_left_out(found.heads.mean(axis=-1), found.tokens, at, tokens_are=at.labels, theme=current_theme())
    plot(left_out, key="multi_head_ablation", on_click=None)
    share = [relative_change(before, after) for before, after in pairs.values()]
    st.caption(
        f"The difference is **{share[0]:.0%}** of attn_out in length, and **{share[1]:.0%}** of the model's output."
        if off
        else "No head is switched off."
    )


def trade_off(current: Model) -> None:
    """More heads at the same width: what it costs and what it changes."""
    config, seq = current.config, current.batch.ids.shape[1]
    heads, width = config.num_heads, config.qkv_width
    names = ("heads", "d_head", "attention parameters", "attention FLOP", "weights, each layer", "products in a score")
    rows = [f"| {' | '.join(names)} |", "|--:" * len(names) + "|"]
    for count in sorted({count for count in (1, 2, 4, 8, 16, heads) if width % count == 0}):
        cost = attention_cost(replace(config, num_heads=count), seq)
        bold = "**" if count == heads else ""
        cells = (count, width // count, *cost, count * seq**2, width // count)
        rows.append("|" + "".join(f" {bold}{cell:,}{bold} |" for cell in cells))
    st.markdown("\n".join(rows))
    st.caption(
        f"d_head = {width} / {heads} = {config.d_head}. More heads at the same width have the same parameters and the "
        "same matrix products; the weights, and the work of softmax, grow with heads · seq². Q Kᵀ of one head has a "
        "rank of at most d_head."
    )
