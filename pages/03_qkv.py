"""Queries, keys, values: three linear layers read the same rows."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import Wide
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import ALL_HEADS
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.analysis import cosines
from encoder_core.blocks import SelfAttention
from encoder_core.explain import recompute
from encoder_core.figures import WHOLE, dimensions, format_fixed, format_number, limit_of
from encoder_core.scenes import qkv as scenes
from encoder_core.scenes.position import head_slice
from encoder_core.scenes.qkv import LETTERS, side_by_side

PURPOSE = (
    ":blue[**Query**]: what this token looks for. Its dot product with every key says where to look.",
    ":red[**Key**]: what this token can be found by. Nothing but the dot products reads it.",
    ":green[**Value**]: what this token hands on. It is what a token collects when it attends here.",
)
Heads = Float[np.ndarray, "batch head seq d_head"]

current = frame.begin()
config, trace = current.config, current.trace
parameters = current.parameters
seq, d_model, d_head = current.batch.ids.shape[1], config.d_model, config.d_head
dims, features = Wide("dims", d_model, whole=WHOLE), Wide("features", config.qkv_width, whole=WHOLE)

frame.heading(
    stage_named("qkv"),
    "Three matrices turn each token's row $x$ into three new ones, for three different jobs: a :blue[**query**], a "
    ":red[**key**] and a :green[**value**]. Every head has three matrices of its own.",
    [Shape("x", (seq, d_model)), Shape("W, three times", (d_model, d_head))],
    [Shape(letter, (seq, d_head), name) for name, letter in LETTERS.items()],
)


def linear(layer: int, what: str) -> dict[str, Float[np.ndarray, "..."]]:
    """The kernels or biases of the three linear layers of a layer, all heads side by side."""
    names = {name: f"layers.{layer}.attention.{name}.{what}" for name in LETTERS}
    return {name: parameters[path] for name, path in names.items() if path in parameters}


def badge(at: focus.Focus) -> None:
    frame.recomputed(recompute.projections(current.run, at.layer))


def body() -> None:
    at = focus.pick(current, "layer", "head", "token", wide=[dims], badge=badge)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        whole = st.toggle("All heads side by side", **shows(ALL_HEADS))
        columns = features.pick() if whole else None
    layer, kernels, biases = trace.layers[at.layer], linear(at.layer, "kernel"), linear(at.layer, "bias")
    x, heads = layer.attn_in[at.sentence], {"query": layer.q, "key": layer.k, "value": layer.v}
    results = {name: side_by_side(part[at.sentence]) for name, part in heads.items()}
    owned = range(at.head * d_head, (at.head + 1) * d_head)
    parts = scenes.projections(
        x, kernels, results, at, owned=owned, dims=dims.window(), features=columns, biased=bool(biases),
        tokens=at.labels, theme=current_theme(),
    )  # fmt: skip
    inspection = inspect_cell(current, at, head_slice("q", at).cell(at.token, 0))
    plot(parts, key="qkv_plot", inspection=inspection)
    words(at, owned, biases)
    shown = range(config.qkv_width) if whole else owned
    names, of_x = dimensions(len(shown), start=shown.start), dimensions(d_model)
    tables = {LETTERS[name]: Table(result[:, shown], at.labels, names) for name, result in results.items()}
    tables["x"] = Table(x, at.labels, of_x)
    tables |= {
        f"W_{LETTERS[name]}": Table(kernel[:, shown], of_x, names, first=None) for name, kernel in kernels.items()
    }
    if biases:
        tables["b"] = Table(np.stack(list(biases.values()))[:, shown], list(LETTERS), names)
    formula = r" \\ ".join(
        rf"\underbrace{{{letter}}}_{{{seq}\times{d_head}}} = \overbrace{{x}}^{{{seq}\times{d_model}}}\;"
        rf"\overbrace{{W_{letter}}}^{{{d_model}\times{d_head}}}" + (rf" + b_{letter}" if biases else "")
        for letter in LETTERS.values()
    )
    render_depths(tables, formula, [SelfAttention.project], question(at, layer.q, layer.k), inspection)


def words(at: focus.Focus, owned: range, biases: dict[str, Float[np.ndarray, "..."]]) -> None:
    """What each of the three is for, and what the figures show."""
    for column, purpose in zip(st.columns(3, gap="large"), PURPOSE, strict=True):
        column.markdown(purpose)
    of_stack = at.layer and config.attention_read_out == "stack"
    source = f"what leaves layer {at.layer}" if of_stack else "the embedded text"
    normed = ", normalised first, because this model is pre-norm" if config.norm == "pre" else ""
    largest = limit_of(*biases.values())
    added = (
        f"b is the same for every row, at most {format_number(largest, 2)} in size."
        if biases
        else "There are no biases."
    )
    columns = f"columns {owned[0]} to {owned[-1]}" if d_head > 1 else f"column {owned[0]}"
    st.caption(
        f"Three equations with the same x: read each colour by itself. x is {source}{normed}. {added} Of the whole "
        f"{d_model} × {config.qkv_width} matrices, head {at.head + 1} owns {columns}."
    )


def question(at: focus.Focus, q: Heads, k: Heads) -> Question:
    """Do the query and the key of a token point the same way?"""
    own = float(cosines(q[at.sentence, at.head], k[at.sentence, at.head])[at.token, at.token])
    return Question(
        f"do the query and the key of “{plain(at.labels[at.token])}” point the same way? Their cosine is",
        ["above 0.5: about the same way", "in between: neither", "below −0.5: about the opposite way"],
        0 if own > 0.5 else 2 if own < -0.5 else 1,
        f"It is {format_fixed(own, 2)}. Both come from the same x, but by two different matrices: what a token looks "
        "for need not be what it is.",
    )


frame.interactive(body)
