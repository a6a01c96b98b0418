"""Weighted values: each query's row of weights times the value rows, added up to one row of z."""

from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question, how_many, ranked, which_is_largest
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.column_picker import follow_column
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import weights_limit
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import VALUE_DIMENSION
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.figures import dimensions, format_calculation, format_number, in_brackets, limit_of
from encoder_core.scenes import weighted_values as scenes
from encoder_core.scenes.position import head_slice

current = frame.begin()
seq, d_head = current.batch.ids.shape[1], current.config.d_head

frame.heading(
    stage_named("weighted_values"),
    "Each query collects what it attends to: every :green[**value**] row, times its :violet[**attention**] weight, "
    "all added up. The result z is a mixture of value rows.",
    [Shape("weights", (seq, seq), "attention"), Shape("V", (seq, d_head), "value")],
    [Shape("z", (seq, d_head))],
)


def body() -> None:
    at = focus.pick(current, "layer", "head", "token", "key_token", badge=badge)
    layer = current.trace.layers[at.layer]
    scores, weights, v, z = (x[at.sentence, at.head] for x in (layer.scores, layer.pattern, layer.v, layer.z))
    visible, row, tokens, dims = np.isfinite(scores), weights[at.token], at.labels, dimensions(d_head)
    factor = float(current.run.head_factors(at.layer)[at.head])
    common: dict[str, Any] = {"tokens": tokens, "factor": factor, "theme": current_theme()}
    above = st.container()  # the picture stands above the choices that it shows
    limit = weights_limit(weights)
    st.caption(
        "V and z have one colour scale. The weighted rows in between are shown on a scale of their "
        f"own (±{format_number(limit_of(factor * row[:, None] * v), 3)}); their column sums are the row of z that is "
        "marked."
    )
    dimension = pick_dimension(at)
    with above:
        parts = scenes.mixture(weights, v, z, visible, at, dimension=dimension, limit=limit, **common)
        inspection = inspect_cell(current, at, head_slice("z", at).cell(at.token, dimension))
        follow = follow_column("dimension", VALUE_DIMENSION)
        plot(parts, key="weighted_values_plot", inspection=inspection, on_click=follow)
    values, number = v[:, dimension], z[at.token, dimension]
    sum_of = scenes.one_number(row, values, visible[at.token], float(number), at, dimension=dimension, **common)
    plot(sum_of, key="weighted_values_sum", inspection=inspection)
    if np.isclose(row.sum(), 1, atol=1e-3) and factor == 1:  # not where all is masked, or dropout acts
        seen = values[visible[at.token]]
        st.caption(
            f"The weights of this row are not negative and add up to 1, so z is a weighted average: "
            f"**{format_number(number)}** lies between the smallest (**{format_number(seen.min())}**) and the "
            f"largest (**{format_number(seen.max())}**) of the {len(seen)} values seen. "
            "The columns above are rounded to three decimals."
        )
    product = factor * row * values
    times = "" if factor == 1 else rf"{factor:g} \cdot "
    columns = np.stack([row, values, product, np.cumsum(product)], axis=1)
    render_depths(
        {
            "weight × value": Table(columns, tokens, ["weight", "value", "weight × value", "added up"]),
            "z": Table(z, tokens, dims),
            "V": Table(v, tokens, dims),
            "weights": Table(weights, tokens, tokens),
        },
        rf"\underbrace{{Z}}_{{{seq}\times{d_head}}} = {times}\underbrace{{A}}_{{{seq}\times{seq}}}\;"
        rf"\underbrace{{V}}_{{{seq}\times{d_head}}}, \qquad z_i = {times}\sum_{{j=1}}^{{{seq}}} A_{{ij}}\, v_j",
        [blocks.split_heads, blocks.weigh_values_of_heads] if current.splits_heads else [blocks.weigh_values],
        question(at, row, values, factor, dimension),
        inspection,
    )


def badge(at: Focus) -> None:
    frame.recomputed(recompute.weighted_values(current.run, at.layer))


def pick_dimension(at: Focus) -> int:
    """The dimension looked at; a click on a cell of V or z moves it as well."""
    dimension = session().among(VALUE_DIMENSION, range(d_head), 0)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(f"One number of z: “{plain(at.labels[at.token])}”, dimension", anchor=False, width="content")
        st.selectbox(
            "Dimension of the head", range(d_head), filter_mode=None, width=100, label_visibility="collapsed",
            **shows(VALUE_DIMENSION, dimension, d_head, begins=range(d_head)),
        )  # fmt: skip
    return dimension


def question(
    at: Focus, row: Float[np.ndarray, "key"], values: Float[np.ndarray, "key"], factor: float, dimension: int
) -> Question:
    """The largest weight need not make the largest contribution: the value counts as well."""
    size, heaviest = np.abs(factor * row * values), ranked(row)

    def why(best: int) -> str:
        shown = format_calculation([row[best], values[best]], row[best] * values[best])
        weight, value = shown.operands
        of_head = "" if factor == 1 else f" The head's factor {format_number(factor)} is the same for all keys."
        is_alone = len(heaviest) == len(row)  # no other key has nearly the same weight
        largest = f" The largest weight is that of “{plain(at.labels[heaviest[0]])}”." if is_alone else ""
        return f"Weight {weight} × value {in_brackets(value)} {shown.relation} {shown.result}.{of_head}{largest}"

    return which_is_largest(
        f"which of these keys adds the most, in size, to dimension {dimension} of “{plain(at.labels[at.token])}”?",
        size,
        lambda key: f"{key + 1} · {plain(at.labels[key])}",
        why,
        how_many("how many products of a weight and a value are added up in one number of z?", seq,
                 "One for each key; masked keys have the weight 0."),
    )  # fmt: skip


frame.interactive(body)
