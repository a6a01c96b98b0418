"""Queries, keys, values: three linear layers read the same rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import recompute
from encoder_core.analysis import cosines
from encoder_core.blocks import SelfAttention
from encoder_core.figures import dimensions, heatmap, limit_of, theme_named

NAMES = ("query", "key", "value")
LETTERS = {"query": "Q", "key": "K", "value": "V"}
PURPOSE = {
    "query": ":blue[**Query**]: what this token looks for. Its dot product with every key says where to look.",
    "key": ":red[**Key**]: what this token can be found by. Nothing but the dot products reads it.",
    "value": ":green[**Value**]: what this token hands on. It is what other tokens collect when they look here.",
}

current = frame.begin()
config, trace = current.config, current.trace
parameters = current.encoder.parameters()
seq, d_model, d_head = current.batch.ids.shape[1], config.d_model, config.d_head

frame.heading(
    stage_named("qkv"),
    "Three matrices turn each token's row $x$ into three new ones, for three different jobs: a :blue[**query**], a "
    ":red[**key**] and a :green[**value**]. Every head has three matrices of its own.",
    [Shape("x", (seq, d_model)), Shape("W, three times", (d_model, d_head))],
    [Shape(LETTERS[name], (seq, d_head), name) for name in NAMES],
)


Matrix = Float[np.ndarray, "row column"]


def side_by_side(heads: Float[np.ndarray, "head seq d_head"]) -> Matrix:
    """(seq, qkv_dim): the rows of all heads beside each other, as the linear layer gave them."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def parts(layer: int, what: str) -> list[Float[np.ndarray, "..."]]:
    """The kernels or biases of the three linear layers of a layer, all heads side by side."""
    names = [f"layers.{layer}.attention.{name}.{what}" for name in NAMES]
    return [parameters[name] for name in names if name in parameters]


def badge(at: focus.Focus) -> None:
    frame.recomputed(recompute.projections(trace.layers[at.layer], parts(at.layer, "kernel"), parts(at.layer, "bias")))


@st.fragment
def body() -> None:
    at = focus.pick(current, "layer", "head", "token", badge=badge)
    whole = st.toggle("All heads side by side", key="qkv_whole", persist_state="session")
    layer, theme = trace.layers[at.layer], frame.theme()
    x, kernels, biases = layer.attn_in[at.sentence], parts(at.layer, "kernel"), parts(at.layer, "bias")
    results = [side_by_side(part[at.sentence]) for part in (layer.q, layer.k, layer.v)]
    of_head = slice(at.head * d_head, (at.head + 1) * d_head)
    shown = slice(None) if whole else of_head
    tokens, dims = at.labels, dimensions(d_model)
    columns = dimensions(config.attention_dim)[shown]
    marks = [(at.token, None)]
    # One scale for the three matrices, and one for what they make of x.
    weights: dict[str, Any] = {"row_axis": "dimension of x", "limit": limit_of(*kernels), "theme": theme}
    rows: dict[str, Any] = {"limit": limit_of(*results), "marks": marks, "theme": theme}

    def panel(name: str, title: str, values: Matrix, names: Sequence[str], style: Mapping[str, Any]) -> go.Figure:
        colour = getattr(theme_named(theme), name)
        flags = dict.fromkeys(range(of_head.start, of_head.stop), colour) if whole else None
        return heatmap(values[:, shown], names, columns, title=title, title_colour=name, column_flags=flags, **style)

    picture(
        [
            heatmap(x, tokens, dims, title="x", marks=marks, theme=theme),
            "·",
            *(panel(name, f"W_{LETTERS[name]}", kernels[i], dims, weights) for i, name in enumerate(NAMES)),
            "+ b\n=" if biases else "=",
            *(panel(name, LETTERS[name], results[i], tokens, rows) for i, name in enumerate(NAMES)),
        ],
        key="qkv_picture",
    )
    for column, name in zip(st.columns(3, gap="large"), NAMES, strict=True):
        column.markdown(PURPOSE[name])
    source = f"what leaves layer {at.layer}" if at.layer else "the embedded text"
    normed = ", normalised first, because this model is pre-norm" if config.norm == "pre" else ""
    added = f"b is the same for every row, at most {limit_of(*biases):.2g}." if biases else "There are no biases."
    owned = f"columns {of_head.start} to {of_head.stop - 1}" if d_head > 1 else f"column {of_head.start}"
    st.caption(
        f"Three equations with the same x: read each colour by itself. x is {source}{normed}. {added} Of the whole "
        f"{d_model} × {config.attention_dim} matrices, head {at.head + 1} owns {owned}."
    )
    own = float(cosines(results[0][:, of_head], results[1][:, of_head])[at.token, at.token])
    frame.depths(
        {
            **{LETTERS[name]: Table(results[i][:, shown], tokens, columns) for i, name in enumerate(NAMES)},
            "x": Table(x, tokens, dims),
            **{f"W_{LETTERS[name]}": Table(kernels[i][:, shown], dims, columns) for i, name in enumerate(NAMES)},
            **({"b": Table(np.stack(biases)[:, shown], NAMES, columns)} if biases else {}),
        },
        r" \\ ".join(
            rf"\underbrace{{{letter}}}_{{{seq}\times{d_head}}} = \overbrace{{x}}^{{{seq}\times{d_model}}}\;"
            rf"\overbrace{{W_{letter}}}^{{{d_model}\times{d_head}}}" + (rf" + b_{letter}" if biases else "")
            for letter in LETTERS.values()
        ),
        [SelfAttention.project],
        Question(
            f"do the query and the key of “{frame.plain(tokens[at.token])}” point the same way? Their cosine is",
            ["above 0.5: about the same way", "in between: neither", "below −0.5: about the opposite way"],
            0 if own > 0.5 else 2 if own < -0.5 else 1,
            f"It is {own:.2f}. Both come from the same x, but by two different matrices: what a token looks for need "
            "not be what it is.",
        ),
    )


body()
