"""Feed-forward: every token by itself is expanded, activated and contracted."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Cell, Focus
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.stages import stage_named
from dashboard.window import WINDOW, numbered, window
from encoder_core import blocks, recompute, sublayers
from encoder_core.config import Activation
from encoder_core.figures import activation_curve, dimensions, heatmap, limit_of, row_bars
from encoder_core.figures.base import shorten
from encoder_core.trace import LayerTrace

Rows = Float[np.ndarray, "seq d_model"]

current = frame.begin()
config, parameters = current.config, current.encoder.parameters()
seq, d_model, d_ff = current.batch.ids.shape[1], config.d_model, config.d_ff
NAMES: dict[Activation, str] = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}
activation_name = NAMES[config.activation]
HEIGHT = 230

frame.heading(
    stage_named("feed_forward"),
    f"Every token by itself passes a small network: its {d_model} numbers become {d_ff} (**expand**), each of these "
    f"neurons fires or stays quiet (**activate**), and what they say becomes {d_model} numbers again (**contract**).",
    [Shape("mlp in", (seq, d_model))],
    [Shape("mlp pre", (seq, d_ff)), Shape("mlp act", (seq, d_ff)), Shape("mlp out", (seq, d_model))],
)


@st.fragment
def body() -> None:
    places = st.columns([2.4, 1, *([1.1] if d_ff > WINDOW else []), 1.2], vertical_alignment="bottom")
    with places[0]:
        at = focus.pick(current, "layer", "token")
    with places[2]:
        shown = window("Neurons", d_ff, key="feed_forward_window")
    layer = current.trace.layers[at.layer]
    with places[1]:
        neuron = pick_neuron(shown, layer.mlp_pre[at.sentence, at.token, shown])
    again = sublayers.feed_forward(layer.mlp_in, parameters, at.layer, config.activation)
    with places[-1]:
        frame.recomputed(recompute.feed_forward(layer, again))
    draw_steps(at, layer, shown, neuron)
    draw_neurons(at, layer, neuron)
    one_row_changed(at, layer)
    bias = " + b" if config.use_bias else ""
    frame.depths(
        {
            "mlp out": Table(layer.mlp_out[at.sentence], at.labels, dimensions(d_model)),
            "mlp act": Table(layer.mlp_act[at.sentence, :, shown], at.labels, numbered(shown)),
            "mlp pre": Table(layer.mlp_pre[at.sentence, :, shown], at.labels, numbered(shown)),
            "mlp in": Table(layer.mlp_in[at.sentence], at.labels, dimensions(d_model)),
        },
        rf"\begin{{aligned}} \underbrace{{H}}_{{{seq}\times{d_ff}}} &= \text{{{activation_name}}}\big("
        rf"\overbrace{{X}}^{{{seq}\times{d_model}}}\;\overbrace{{W_{{up}}}}^{{{d_model}\times{d_ff}}}"
        rf"{bias.replace('b', 'b_{up}')}\big) \\ \underbrace{{Y}}_{{{seq}\times{d_model}}} &= H\;"
        rf"\underbrace{{W_{{down}}}}_{{{d_ff}\times{d_model}}}{bias.replace('b', 'b_{down}')} \end{{aligned}}",
        [blocks.FeedForward.__call__],
        changed_places(at, layer),
    )


def pick_neuron(shown: slice, pre: Float[np.ndarray, "neuron"]) -> int:
    """The neuron looked at, one of those in the window: at first the one that fires most."""
    if not shown.start <= st.session_state.get("feed_forward_neuron", -1) < shown.stop:
        st.session_state["feed_forward_neuron"] = shown.start + int(pre.argmax())
    picked = st.number_input(
        "Neuron", shown.start, shown.stop - 1, key="feed_forward_neuron", persist_state="session", width=130
    )
    return int(picked)


def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
    """The token is looked at, as everywhere, and so is the neuron."""
    focus.follow(cell, meta)
    if meta["column_axis"] == "neuron":
        st.session_state["feed_forward_neuron"] = int(meta["columns"][cell.column])


def draw_steps(at: Focus, layer: LayerTrace, shown: slice, neuron: int) -> None:
    """In, expanded, activated, contracted, and beside it how many neurons of each token are active."""
    narrow = slice(0, min(d_model, WINDOW))
    bias = " + b" if config.use_bias else ""
    mlp_in, mlp_out = layer.mlp_in[at.sentence], layer.mlp_out[at.sentence]
    pre, act = layer.mlp_pre[at.sentence], layer.mlp_act[at.sentence]
    limit = limit_of(mlp_in, pre, act, mlp_out)
    panels = [
        ("in", mlp_in[:, narrow], narrow, "dimension"),
        (f"in · W_up{bias}", pre[:, shown], shown, "neuron"),
        (f"{activation_name}( )", act[:, shown], shown, "neuron"),
        (f"· W_down{bias}", mlp_out[:, narrow], narrow, "dimension"),
    ]
    maps = [
        heatmap(
            x,
            at.labels,
            numbered(columns),
            title=title,
            column_axis=axis,
            limit=limit,
            marks=[(at.token, None), *([(None, neuron - columns.start)] if axis == "neuron" else [])],
            height=HEIGHT,
            theme=frame.theme(),
        )
        for title, x, columns, axis in panels
    ]
    active = row_bars(
        100 * (pre > 0).mean(axis=1),
        at.labels,
        title="> 0, %",
        row_axis="token",
        span=(0, 100),
        marks=[at.token],
        colour="attention",
        number_format=".0f",
        height=HEIGHT,
        theme=frame.theme(),
    )
    picture([maps[0], "→", maps[1], "→", maps[2], active, "→", maps[3]], key="feed_forward_picture", on_click=clicked)
    if d_model > WINDOW:
        st.caption(f"Of {d_model} dimensions the first {WINDOW} are drawn; all are in Numbers.")


def draw_neurons(at: Focus, layer: LayerTrace, neuron: int) -> None:
    """The activation's curve, with all neurons of the token on it."""
    pre, act = layer.mlp_pre[at.sentence, at.token], layer.mlp_act[at.sentence, at.token]
    off = float((pre <= 0).mean())
    token = frame.plain(at.labels[at.token])
    product = float(layer.mlp_in[at.sentence, at.token] @ parameters[f"layers.{at.layer}.mlp.up.kernel"][:, neuron])
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        x = np.linspace(-1, 1, 81) * max(3.0, 1.05 * float(np.abs(pre).max()))
        functions = {NAMES[name]: sublayers.activate(x, name) for name in NAMES}
        figure = activation_curve(
            x,
            functions,
            activation_name,
            (pre, act),
            neuron,
            title=f"{activation_name}: one dot a neuron",
            theme=frame.theme(),
        )
        picture([figure], key="feed_forward_curve_picture")
    with right:
        quiet = (
            "makes them exactly 0: off" if config.activation == "relu" else "leaves them a little below 0: nearly off"
        )
        st.markdown(
            f"**Neuron {neuron} at “{token}”**  \n"
            f"in · column {neuron} of W_up = {product:.3g}"
            + (f", + b = {pre[neuron]:.3g}" if config.use_bias else "")
            + f"  \n{activation_name}({pre[neuron]:.3g}) = **{act[neuron]:.3g}**  \n"
            f"It adds {act[neuron]:.3g} times row {neuron} of W_down to the token's result.\n\n"
            f"Of the {d_ff} neurons, **{off:.0%}** have a sum below 0 at this token. The curve {quiet}. "
            "Without the bend, W_up and W_down would be one matrix, and the whole network one linear map."
        )


def one_row_changed(at: Focus, layer: LayerTrace) -> None:
    """Both sublayers of this block read the same rows, then the same with one row exchanged: which results move?"""
    st.subheader("It does not mix tokens", anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            "Try it: attention and feed-forward of this block are both given the rows above, with one row exchanged. "
            f"“{frame.plain(at.labels[at.token])}” becomes",
            width="content",
        )
        other = st.selectbox(
            "Becomes",
            range(-1, seq),
            index=1 + (at.token + 1) % seq if seq > 1 else 0,
            format_func=lambda place: "zeros" if place < 0 else f"{place + 1} · {shorten(at.labels[place])}",
            label_visibility="collapsed",
            key=f"feed_forward_other_{at.token}_{seq}",
            filter_mode=None,
            width=150,
        )
    rows = layer.mlp_in[at.sentence].astype(float)
    exchanged = rows.copy()
    exchanged[at.token] = 0 if other < 0 else rows[other]
    score_scale = config.d_head**-0.5 if config.scale_scores else 1.0

    def attention(rows: Rows) -> Rows:
        return sublayers.attention(rows, parameters, at.layer, current.trace.mask[at.sentence], score_scale)

    def mlp(rows: Rows) -> Rows:
        return sublayers.feed_forward(rows, parameters, at.layer, config.activation).out

    changes = {"attention": attention(exchanged) - attention(rows), "feed-forward": mlp(exchanged) - mlp(rows)}
    lengths = {name: np.linalg.norm(change, axis=1) for name, change in changes.items()}
    narrow = slice(0, min(d_model, WINDOW // 2))
    common: dict[str, Any] = {"height": 200, "theme": frame.theme()}
    panels: list[go.Figure | str] = [
        heatmap((exchanged - rows)[:, narrow], at.labels, numbered(narrow), title="change of the input", **common)
    ]
    for name, change in changes.items():
        colour = "attention" if name == "attention" else None
        panels += [
            "→" if name == "attention" else "|",
            heatmap(
                change[:, narrow],
                at.labels,
                numbered(narrow),
                title=f"after {name}",
                title_colour=colour,
                **common,
            ),
            row_bars(
                lengths[name],
                at.labels,
                title="length",
                row_axis="token",
                span=(0, float(lengths[name].max()) or 1.0),
                colour=colour or "muted",
                **common,
            ),
        ]
    # Each on a scale of its own: which rows move is the point.
    picture(panels, key="feed_forward_change_picture", still=True)
    moved = {name: int((length > 1e-9).sum()) for name, length in lengths.items()}
    st.caption(
        f"After attention **{moved['attention']} of {seq}** rows have moved: every token that may look at this one. "
        f"After the feed-forward network **{moved['feed-forward']} of {seq}**: only the row that was exchanged."
        + (f" (The first {narrow.stop} of {d_model} dimensions are drawn.)" if narrow.stop < d_model else "")
    )


def changed_places(at: Focus, layer: LayerTrace) -> Question:
    """What comes out where two tokens change places in the input, run now."""
    if seq == 1:
        return Question(
            "this text is one token. Which shape leaves the feed-forward network?",
            [f"{rows} × {columns}" for rows, columns in ((1, d_ff), (1, d_model), (d_model, d_ff))],
            1,
            "It expands inside and contracts again: the shape that came in.",
        )
    first, second = at.token, (at.token + 1) % seq
    order = np.arange(seq)
    order[[first, second]] = order[[second, first]]
    rows = layer.mlp_in[at.sentence]
    out, out_of_swapped = (
        sublayers.feed_forward(x, parameters, at.layer, config.activation).out for x in (rows, rows[order])
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
