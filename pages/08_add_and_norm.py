"""Add and norm: the sublayer's result is added to the residual stream, and each token is brought to one scale."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Cell, Focus
from dashboard.frame import Question, Shape, Table
from dashboard.model import model_for
from dashboard.picture import picture
from dashboard.stages import stage_named
from dashboard.window import WINDOW, numbered, window
from encoder_core import blocks, recompute
from encoder_core.config import Norm
from encoder_core.figures import curves, dimensions, heatmap, limit_of, residual_flow, row_bars
from encoder_core.sublayers import AddAndNorm, NormName, NormSteps, add_and_norm, layer_norm

current = frame.begin()
config, parameters = current.config, current.encoder.parameters()
seq, d_model = current.batch.ids.shape[1], config.d_model
names: list[NormName] = ["norm1", "norm2", "final_norm"] if config.final_norm else ["norm1", "norm2"]
SUBLAYER = {"norm1": "attention", "norm2": "feed-forward"}
LABELS = {"norm1": "norm1 · attention", "norm2": "norm2 · feed-forward", "final_norm": "final norm"}
FLOWS: dict[Norm, str] = {"post": "Post-norm: norm(x + sublayer(x))", "pre": "Pre-norm: x + sublayer(norm(x))"}
HEIGHT = 176  # pixels, so that both lines of figures are in sight at once

frame.heading(
    stage_named("add_and_norm"),
    "A sublayer does not replace a token, it adds to it: **x + sublayer(x)**. LayerNorm then brings every token, by "
    "itself, to mean 0 and variance 1, and scales and shifts each dimension by what was learned.",
    [Shape("x", (seq, d_model)), Shape("sublayer(x)", (seq, d_model), "attention")],
    [Shape("add & norm", (seq, d_model))],
)


def prefix(name: NormName, layer: int) -> str:
    """The first part of the names of a norm's parameters."""
    return name if name == "final_norm" else f"layers.{layer}.{name}"


@st.fragment
def body() -> None:
    wide = d_model > WINDOW
    places = st.columns([2.2, 2.5, *([1] if wide else []), 1.2], vertical_alignment="bottom")
    with places[0]:
        at = focus.pick(current, "layer", "token")
    with places[1]:
        name = st.segmented_control(
            "Norm",
            names,
            format_func=LABELS.__getitem__,
            default=names[0],
            required=True,
            key="add_and_norm_which",
            persist_state="session",
        )
    with places[2]:
        columns = window("Dimensions", d_model, key="add_and_norm_window")
    with places[-1]:
        frame.recomputed(recompute.add_and_norm(current.trace, at.layer, parameters, config))
    name = name if name in names else names[0]
    shown = add_and_norm(current.trace, at.layer, name, config.norm)
    scale, shift = (parameters[f"{prefix(name, at.layer)}.{part}"] for part in ("scale", "bias"))
    steps = layer_norm(shown.norm_in[at.sentence], scale, shift, config.norm_eps)
    limit = limit_of(*(x[at.sentence] for x in shown if x is not None), steps.normalised)
    if config.norm == "post":  # in the order of the block: the sum, then its norm, or the other way round
        draw_sum(at, name, shown, columns, limit)
        draw_norm(at, name, shown, steps, columns, limit)
    else:
        draw_norm(at, name, shown, steps, columns, limit)
        draw_sum(at, name, shown, columns, limit)
    compare(name)
    out = shown.norm_out[at.sentence]
    tables = {"norm out": out, "normalised": steps.normalised, "norm in": shown.norm_in[at.sentence]}
    if shown.sublayer is not None and shown.residual is not None:
        tables |= {"sublayer": shown.sublayer[at.sentence], "residual": shown.residual[at.sentence]}
    frame.depths(
        {title: Table(values, at.labels, dimensions(d_model)) for title, values in tables.items()},
        rf"\begin{{aligned}} \mu &= \tfrac{{1}}{{{d_model}}} \sum_i x_i \qquad"
        rf"\sigma^2 = \tfrac{{1}}{{{d_model}}} \sum_i (x_i - \mu)^2 \\"
        r"y &= \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta \\"
        rf"x, y, \gamma, \beta &\in \mathbb{{R}}^{{{d_model}}} \qquad"
        rf"\epsilon = 10^{{{np.log10(config.norm_eps):.3g}}} \end{{aligned}}",
        [blocks.LayerNorm.__call__, blocks.post_norm_block if config.norm == "post" else blocks.pre_norm_block],
        ten_times(at, shown, scale, shift),
    )


def draw_sum(at: Focus, name: NormName, shown: AddAndNorm, columns: slice, limit: float) -> None:
    """residual + sublayer = sum."""
    if shown.residual is None or shown.sublayer is None or shown.total is None:
        return
    reads = "x" if config.norm == "post" else "norm(x)"
    panels = [
        ("x: the residual stream", shown.residual, None),
        (f"{SUBLAYER[name]}({reads})", shown.sublayer, "attention" if name == "norm1" else None),
        ("sum", shown.total, None),
    ]
    first, second, third = (
        heatmap(x[at.sentence, :, columns], at.labels, numbered(columns), title=title, title_colour=colour,
                limit=limit, marks=[(at.token, None)], height=HEIGHT, theme=frame.theme())
        for title, x, colour in panels
    )  # fmt: skip
    picture([first, "+", second, "=", third], key="add_and_norm_sum_picture")


def draw_norm(at: Focus, name: NormName, shown: AddAndNorm, steps: NormSteps, columns: slice, limit: float) -> None:
    """Mean and variance of each token, the normalised rows, scale and shift, mean and variance again."""
    area = st.container()
    out, dimension = what_if(at, name, shown, steps, columns)
    mean, variance = (steps.mean, out.mean(axis=1)), (steps.variance, out.var(axis=1))
    mean_span = (min(0.0, *(float(x.min()) for x in mean)), max(1e-3, *(float(x.max()) for x in mean)))
    variance_span = (0.0, max(1.0, *(float(x.max()) for x in variance)))
    common: dict[str, Any] = {"row_axis": "token", "height": HEIGHT, "theme": frame.theme()}
    bars = [
        [
            row_bars(mean[i], at.labels, title="mean", span=mean_span, marks=[at.token], **common),
            row_bars(
                variance[i], at.labels, title="variance", span=variance_span, marks=[at.token], colour="muted", **common
            ),
        ]
        for i in (0, 1)
    ]
    normalised, scaled = (
        heatmap(x[:, columns], at.labels, numbered(columns), title=title, limit=limit, marks=marks, **common)
        for title, x, marks in (
            ("(x − mean) / √variance", steps.normalised, [(at.token, None)]),
            ("× γ + β", out, [(at.token, None), (None, dimension - columns.start)]),
        )
    )
    with area:
        picture([*bars[0], "→", normalised, "→", scaled, *bars[1]], key="add_and_norm_norm_picture", on_click=clicked)


def what_if(
    at: Focus, name: NormName, shown: AddAndNorm, steps: NormSteps, columns: slice
) -> tuple[Float[np.ndarray, "seq d_model"], int]:
    """What the norm gives, with the scale and shift of one dimension as the person sets them; and that dimension."""
    out = shown.norm_out[at.sentence].astype(float)
    if not columns.start <= st.session_state.get("add_and_norm_dimension", -1) < columns.stop:
        st.session_state["add_and_norm_dimension"] = columns.start
    first, second, third, words = st.columns([1, 1, 1, 4], vertical_alignment="bottom")
    d = int(
        first.number_input(
            "Dimension", columns.start, columns.stop - 1, key="add_and_norm_dimension", persist_state="session"
        )
    )
    scale, shift = (float(parameters[f"{prefix(name, at.layer)}.{part}"][d]) for part in ("scale", "bias"))
    scale_now = second.number_input("What if its γ were", value=scale, step=0.5, key=f"gamma_{at.layer}_{name}_{d}")
    shift_now = third.number_input("and its β", value=shift, step=0.5, key=f"beta_{at.layer}_{name}_{d}")
    x, normalised = float(shown.norm_in[at.sentence, at.token, d]), float(steps.normalised[at.token, d])
    words.markdown(
        f"“{frame.plain(at.labels[at.token])}”, dimension {d}: ({x:.3g} − {steps.mean[at.token]:.3g}) / "
        f"√{steps.variance[at.token]:.3g} = {normalised:.3g}, then × {scale_now:.3g} + {shift_now:.3g} = "
        f"**{normalised * scale_now + shift_now:.3g}**.  \n:gray[Mean and variance belong to a token, a row; γ and β "
        "to a dimension, a column. Before training, every γ is 1 and every β is 0.]"
    )
    if (scale_now, shift_now) != (scale, shift):
        out[:, d] = steps.normalised[:, d] * scale_now + shift_now
    return out, d


def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
    """The token is looked at, as everywhere, and so is the dimension."""
    focus.follow(cell, meta)
    if meta["column_axis"] == "dimension":
        st.session_state["add_and_norm_dimension"] = int(meta["columns"][cell.column])


def compare(name: NormName) -> None:
    """The same text and parameters with the norms after the sums, and before the sublayers."""
    st.subheader("Post-norm and pre-norm", anchor=False)
    sizes = {}
    for norm in FLOWS:
        other = current if norm == config.norm else model_for(replace(current.settings, norm=norm))
        trace, real = other.trace, other.batch.real
        streams = [trace.embedded, *(layer.resid_post for layer in trace.layers), trace.output]
        sizes[norm] = np.array([np.linalg.norm(rows[real], axis=-1).mean() for rows in streams])
    marked = None if name == "final_norm" else name
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picture(
            [
                residual_flow(
                    norm, title=title + (" · in use" if norm == config.norm else ""), marked=marked, theme=frame.theme()
                )
                for norm, title in FLOWS.items()
            ],
            key="add_and_norm_flow_picture",
            stack=True,
            still=True,
        )
    with right:
        stages = ["in", *map(str, range(1, config.num_layers + 1)), "out"]
        picture(
            [
                curves(
                    {f"{norm}-norm": lengths for norm, lengths in sizes.items()},
                    stages,
                    title="Length of a token's vector",
                    x_axis="after block",
                    y_axis="|x|",
                    y_range=(0, 1.1 * max(lengths.max() for lengths in sizes.values())),
                    height=190,
                    theme=frame.theme(),
                )
            ],
            key="add_and_norm_size_picture",
            still=True,
        )
    st.caption(
        "The thick line is the residual stream; where the norms stand is all that differs. In post-norm every token "
        f"leaves a block with length {sizes['post'][-2]:.3g} (√{d_model} = {d_model**0.5:.3g} where γ is 1). In "
        "pre-norm nothing stops the stream: after the last block it is "
        f"{sizes['pre'][-2] / sizes['pre'][0]:.2g} times as long as "
        "at first, and a final norm brings the output back."
    )


def ten_times(at: Focus, shown: AddAndNorm, scale: np.ndarray, shift: np.ndarray) -> Question:
    """What the norm gives for ten times the row, run now."""
    row = shown.norm_in[at.sentence, at.token]
    once, tenfold = (layer_norm(x, scale, shift, config.norm_eps).output for x in (row, 10 * row.astype(float)))
    moved = float(np.abs(tenfold - once).max())
    return Question(
        f"every number of the row of “{frame.plain(at.labels[at.token])}” is made ten times as large before the norm. "
        "What comes out?",
        ["ten times as large", "almost the same row", "a row of zeros"],
        1,
        "Mean and spread grow by ten as well, and the division takes it out again: no number moves by more than "
        f"{moved:.2g}.",
    )


body()
