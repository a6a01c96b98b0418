"""Weighted values: each query's row of weights times the value rows, added up to one row of z."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Cell, Focus
from dashboard.frame import Question, Shape, Table, plain
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import blocks, recompute
from encoder_core.figures import dimensions, heatmap, limit_of, row_bars, span_of, written

DIMENSION = "weighted_values_dimension"

current = frame.begin()
seq, d_head = current.batch.ids.shape[1], current.config.d_head

frame.heading(
    stage_named("weighted_values"),
    "Each query collects what it attends to: every :green[**value**] row, times its :violet[**attention**] weight, "
    "all added up. The result z is a mixture of value rows.",
    [Shape("weights", (seq, seq), "attention"), Shape("V", (seq, d_head), "value")],
    [Shape("z", (seq, d_head))],
)


@st.fragment
def body() -> None:
    at = focus.pick(
        current,
        "layer",
        "head",
        "token",
        "key_token",
        badge=lambda at: frame.recomputed(recompute.weighted_values(current.trace.layers[at.layer])),
    )
    layer = current.trace.layers[at.layer]
    scores, weights, v, z = (x[at.sentence, at.head] for x in (layer.scores, layer.pattern, layer.v, layer.z))
    visible = np.isfinite(scores)
    row = weights[at.token]
    products = row[:, None] * v
    above = st.container()  # the picture stands above the choices that it shows
    dimension = pick_dimension(at)
    tokens, dims, theme = at.labels, dimensions(d_head), frame.theme()
    limit, fine_limit = limit_of(v, z), limit_of(products)
    by_key = partial(heatmap, rows=tokens, columns=dims, row_axis="key", theme=theme,
                     marks=[(at.key_token, None), (None, dimension)])  # fmt: skip
    column = partial(row_bars, rows=tokens, hidden=~visible[at.token], marks=[at.key_token], theme=theme)
    weight_bars = partial(column, row, title_colour="attention", colour="attention", number_format=".3f")
    with above:
        picture(
            [
                heatmap(weights, tokens, tokens, title="weights", title_colour="attention", row_axis="query",
                        column_axis="key", kind="weights", limit=float(weights.max()) or 1.0, mask=visible,
                        marks=[(at.token, None)], theme=theme),
                "→",
                weight_bars(title="one row", weight=10 + d_head // 16, foot=f"sum {row.sum():.3f}"),
                "×",
                by_key(v, title="V", title_colour="value", limit=limit),
                "=",
                by_key(products, title="weighted", limit=fine_limit),
                "Σ →",
                heatmap(z, tokens, dims, title="z", row_axis="query", limit=limit,
                        marks=[(at.token, None), (at.token, dimension)], theme=theme),
            ],
            key="weighted_values_picture",
            on_click=follow,
        )  # fmt: skip
        st.caption(
            f"V and z have one colour scale. The weighted rows in between are small parts, shown on a scale of their "
            f"own (±{fine_limit:.3g}); their column sums are the row of z that is marked."
        )
    product, running = products[:, dimension], np.cumsum(products[:, dimension])
    starts = np.concatenate([[0], running[:-1]]).astype(np.float32)
    small = span_of(product, running)
    picture(
        [
            weight_bars(title="weight", foot=f"sum {row.sum():.3f}"),
            "×",
            column(v[:, dimension], title=f"value, dimension {dimension}", title_colour="value",
                   span=span_of(v[:, dimension])),
            "=",
            column(product, title="weight × value", span=small, number_format=".3f",
                   foot=f"sum {written(product.sum())}"),
            "→",
            column(running, title="added up, key after key", starts=starts, span=small, number_format=".3f",
                   foot=f"ends at z = {written(z[at.token, dimension])}"),
        ],
        key="weighted_values_sum",
    )  # fmt: skip
    if row.any():
        seen = v[visible[at.token], dimension]
        st.caption(
            "Weights are never negative and add up to 1, so z is a weighted average: "
            f"**{written(z[at.token, dimension])}** lies between the smallest (**{written(seen.min())}**) and the "
            f"largest (**{written(seen.max())}**) of the {len(seen)} values seen."
        )
    frame.depths(
        {
            f"dimension {dimension}": Table(
                np.stack([row, v[:, dimension], product, running], axis=1),
                tokens,
                ["weight", "value", "weight × value", "added up"],
            ),
            "z": Table(z, tokens, dims),
            "V": Table(v, tokens, dims),
            "weights": Table(weights, tokens, tokens),
        },
        rf"\underbrace{{Z}}_{{{seq}\times{d_head}}} = \underbrace{{A}}_{{{seq}\times{seq}}}\;"
        rf"\underbrace{{V}}_{{{seq}\times{d_head}}}, \qquad z_i = \sum_{{j=1}}^{{{seq}}} A_{{ij}}\, v_j",
        [blocks.weigh_values],
        question(at, row, product, dimension),
    )


def pick_dimension(at: Focus) -> int:
    """The dimension looked at; a click on a cell of V or z moves it as well."""
    st.session_state[DIMENSION] = min(st.session_state.get(DIMENSION, 0), d_head - 1)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"One number of z: “{plain(at.labels[at.token])}”, dimension", anchor=False, width="content")
        return st.selectbox(
            "Dimension of the head", range(d_head), key=DIMENSION, persist_state="session", filter_mode=None, width=100,
            label_visibility="collapsed",
        )  # fmt: skip


def follow(cell: Cell, meta: Mapping[str, Any]) -> None:
    """A click moves the focus, and the dimension too."""
    focus.follow(cell, meta)
    if meta.get("column_axis") == "dimension":
        st.session_state[DIMENSION] = cell.column


def question(at: Focus, row: Float[np.ndarray, "key"], product: Float[np.ndarray, "key"], dimension: int) -> Question:
    """The largest weight need not make the largest contribution: the value counts as well."""
    largest = np.argsort(-np.abs(product), kind="stable")
    order = sorted({int(np.argmax(row)), *map(int, largest[:3])})
    best = int(largest[0])
    value = product[best] / row[best] if row[best] else 0.0
    return Question(
        f"which key adds the most, in size, to dimension {dimension} of “{plain(at.labels[at.token])}”?",
        [f"{index + 1} · {plain(at.labels[index])}" for index in order],
        order.index(best),
        f"Weight {row[best]:.3f} × value {written(value, '.2f')} = {written(product[best])}. "
        f"The largest weight is that of “{plain(at.labels[int(np.argmax(row))])}”.",
    )


body()
