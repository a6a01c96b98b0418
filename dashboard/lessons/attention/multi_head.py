"""Sections of the multi-head page: splitting Q, all patterns, head contributions, ablation, number of heads."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.edit_text import describe_ignored_edit
from dashboard.inspect.questions import Question, WrongOption, without_duplicates
from dashboard.lessons.attention.qkv import columns_text
from dashboard.lessons.attention.word_lines import render_figure_choice, render_layer_lines
from dashboard.models.ablation import ablation
from dashboard.models.model import Model
from dashboard.models.variants import edited_model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.state.choices import HEADS_OFF
from dashboard.state.parameter import describe_allowed
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core import EncoderConfig, HeadFactor, LayerTrace
from encoder_core.analysis import relative_change
from encoder_core.explain import recompute
from encoder_core.figures import Window
from encoder_core.parameters.cost import attention_cost
from encoder_core.scenes import what_if
from encoder_core.scenes.attention import multi_head as scenes
from encoder_core.scenes.attention.qkv import side_by_side
from encoder_core.support.number_format import format_number, format_percent
from encoder_core.support.wording import form_for, format_count


def render_split(current: Model, at: Focus, layer: LayerTrace, inspection: Inspection) -> None:
    """Q as one matrix product, its slices for the heads, and the slices put back together."""
    parameters, name = current.parameters, f"layers.{at.layer}.attention.query"
    q = layer.attn_in[at.sentence] @ parameters[f"{name}.kernel"] + parameters.get(f"{name}.bias", np.float32(0))
    head_q, d_head = layer.q[at.sentence], current.config.d_head
    parts = scenes.split(q, head_q, at, biased=f"{name}.bias" in parameters, theme=current_theme())
    bin_size = scenes.split_window(d_head, len(head_q)).size
    render_plot(parts, key="multi_head_split_plot", inspection=inspection)
    st.caption(
        f"One matrix product computes the queries of all heads; head {at.head + 1} has "
        f"{columns_text(range(at.head * d_head, (at.head + 1) * d_head))}. The slices of all heads side by side are Q "
        f"again (max Δ {format_number(recompute.difference(side_by_side(head_q), q), 1)})."
        + ("" if bin_size == 1 else f" Each cell shows the largest of {bin_size} columns.")
    )


def render_patterns(current: Model, at: Focus, layer: LayerTrace, inspection: Inspection) -> None:
    """The weights of every head: for every sentence as heatmaps, or of the query token as lines between the words."""
    if render_figure_choice():
        render_layer_lines(current, at, key="multi_head_lines", selects_key=False)
        return
    title = f"weights of all heads of layer {at.layer + 1}"
    parts = scenes.all_patterns(
        layer.pattern,
        np.isfinite(layer.scores),
        at,
        title=title,
        limit=weights_limit(layer.pattern),
        theme=current_theme(),
    )
    block = scenes.bin_size(layer.pattern.size)
    render_plot(parts, key="multi_head_patterns_plot", inspection=inspection)
    render_weights_toggle()
    st.caption(
        "Rows are queries, columns are keys. Click a tile to select its head. "
        + ("" if block == 1 else f"Each cell shows the largest of {block} × {block} weights. ")
        + "All heads have the same input rows; each has its own columns of W_Q and W_K."
    )


def render_contributions(
    current: Model,
    at: Focus,
    layer: LayerTrace,
    columns: Window,
    bias: Float[np.ndarray, "d_model"] | None,
    inspection: Inspection,
) -> None:
    """The contribution of each head, their sum, which equals concat · W_O, and the size of each contribution."""
    contributions = layer.head_contributions[at.sentence]
    total = layer.concat[at.sentence] @ current.parameters[f"layers.{at.layer}.attention.out.kernel"]
    kept = current.trace.kept
    has_dropout = kept is not None and kept.layers[at.layer].attn_out is not None
    parts = scenes.contributions(
        contributions, layer.attn_out[at.sentence], at, biased=bias is not None, columns=columns,
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="multi_head_contributions_plot", inspection=inspection)
    heads, seq, d_model = contributions.shape
    bin_size = scenes.contribution_window(columns, d_model, heads, seq).size
    difference = recompute.difference(total, contributions.sum(axis=0, dtype=float))
    st.caption(
        "All panels share one scale. Concat · W_O equals the sum of the heads' contributions, each computed with the "
        f"head's own rows of W_O (d_head = {current.config.d_head}); the largest difference is "
        f"{format_number(difference, 1)}."
        + ("" if bin_size == 1 else f" In the tiles of the heads, a cell shows the largest of {bin_size} dimensions.")
        + " In training mode, dropout turns the sum into attn_out." * has_dropout
    )
    norms = np.linalg.norm(contributions, axis=-1)
    parts = scenes.contribution_lengths(norms, at, theme=current_theme())
    render_plot(parts, key="multi_head_norms")


def heads_switched_off(heads: int, selected: int) -> tuple[int, ...]:
    """The heads that the user switched off, from 0, each once; the selected head until there was a choice.

    A number that is no head is left out, with a message.
    """
    chosen = session().get(HEADS_OFF)
    if chosen is None:
        return (selected,)
    off = tuple(head for head in dict.fromkeys(chosen) if head < heads)
    if off != chosen:
        counted = "heads_off counts from 0; repeated and other numbers are left out"
        session().correct(HEADS_OFF, f"{describe_allowed(range(heads))} ({counted})", off)
    return off


def render_heads_off(current: Model, at: Focus, off: tuple[int, ...], columns: Window) -> None:
    """The forward pass with some heads of this layer switched off: the change of attn_out and of the output."""
    heads = current.config.num_heads
    bound = bind_widget(
        HEADS_OFF, list(off), heads, value_argument="default",
        on_change=lambda selected: session().set(HEADS_OFF, tuple(sorted(selected))),
    )  # fmt: skip
    st.pills(
        f"Heads switched off in layer {at.layer + 1}", range(heads), selection_mode="multi",
        format_func=lambda head: str(head + 1), **bound,
    )  # fmt: skip
    without_heads = edited_model(current.settings, (*current.edits, *(HeadFactor(at.layer, head, 0.0) for head in off)))
    for problem in without_heads.edit_problems:
        st.caption(f":orange[{describe_ignored_edit(problem, current)}]")
    trace, without = current.trace, without_heads.trace
    tensors = {
        f"attn_out, layer {at.layer + 1}": (trace.layers[at.layer].attn_out, without.layers[at.layer].attn_out),
        "output of the model": (trace.output, without.output),
    }
    pairs = {title: (before[at.sentence], after[at.sentence]) for title, (before, after) in tensors.items()}
    for number, (title, (before, after)) in enumerate(pairs.items()):
        render_plot(
            scenes.difference(before, after, titles=(title, "with heads off"), tokens=at.labels, columns=columns,
                              theme=current_theme()),
            key=f"multi_head_off_{number}",
            on_click=None,  # the pickers are outside this fragment
        )  # fmt: skip
    effects, real = ablation(current, at.sentence), current.batch.real[at.sentence]
    parts = what_if.ablation(effects.heads[..., real].mean(axis=-1), effects.tokens, at, theme=current_theme())
    render_plot(parts, key="multi_head_ablation", on_click=None)
    shares = [relative_change(before[real], after[real]) for before, after in pairs.values()]
    st.caption(
        f"Relative change without {form_for(len(off), 'head', 'heads')} {_enumerate(off)}"
        f"{'' if real.all() else ', not counting padding'}: **{format_percent(shares[0])}** in attn_out and "
        f"**{format_percent(shares[1])}** in the output of the model."
        if off
        else "No head is switched off."
    )


def _enumerate(heads: Sequence[int]) -> str:
    """The numbers of heads: "2", "1 and 3", "1, 2 and 3"."""
    *others, last = [str(head + 1) for head in heads]
    return f"{', '.join(others)} and {last}" if others else last


def render_head_counts(current: Model) -> None:
    """A table of the cost of attention by number of heads at the same width."""
    config, seq = current.config, current.batch.ids.shape[1]
    heads, width = config.num_heads, config.qkv_width
    names = ("heads", "d_head", "attention parameters", "attention FLOPs", "weights per layer", "products per score")
    rows = [f"| {' | '.join(names)} |", "|--:" * len(names) + "|"]
    for count in sorted({count for count in (1, 2, 4, 8, 16, heads) if width % count == 0}):
        cost = attention_cost(replace(config, num_heads=count), seq)
        bold = "**" if count == heads else ""
        cells = (count, width // count, *cost, count * seq**2, width // count)
        rows.append("|" + "".join(f" {bold}{cell:,}{bold} |" for cell in cells))
    st.markdown("\n".join(rows))
    sums = f"Parameters and FLOPs are sums over {config.num_layers} layers. " if config.num_layers > 1 else ""
    st.caption(
        f"{sums}FLOPs are for one sentence. d_head = {width} / {heads} = "
        f"{config.d_head}. At the same width, the number of heads changes neither the "
        "number of parameters nor the FLOPs of the matrix products; the number of weights and the work of softmax grow "
        "with heads · seq². Q Kᵀ of one head has rank at most d_head."
    )


def _in_all_layers(config: EncoderConfig) -> str:
    return "" if config.num_layers == 1 else f"in all {config.num_layers} layers "


def parameter_question(config: EncoderConfig, seq: int) -> Question:
    """How many parameters has attention with another number of heads at the same width?"""
    heads, width = config.num_heads, config.qkv_width
    other = next(count for count in (2 * heads, 1, 2) if width % count == 0 and count != heads)
    now, then = (attention_cost(replace(config, num_heads=count), seq)[0] for count in (heads, other))
    misconception = (
        f"More heads do not add matrices: each head gets {width // other} of the same {width} columns."
        if other > heads
        else f"Fewer heads do not remove matrices: the only head gets all {width} columns."
    )
    return Question(
        f"attention has {now:,} parameters {_in_all_layers(config)}with {format_count(heads, 'head')}. How many would "
        f"it have with {other} at the same width of {width}?",
        f"{then:,}",
        "Heads only split the same matrices into narrower ones.",
        without_duplicates(
            f"{then:,}",
            [
                WrongOption(
                    f"{now * other // heads:,}",
                    misconception,
                    f"Q = x W_Q{' + b_Q' * config.has_qkv_bias}: the stripes share one matrix",
                ),
                WrongOption(
                    f"{now * heads // other:,}",
                    "The width of all heads together stays, and with it the size of each matrix.",
                    "the shapes of Q, K and V above, which have the width of all heads",
                ),
            ],
        ),
    )
