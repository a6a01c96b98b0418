"""Scaled scores: the dot product of every query with every key, divided by sqrt(d_head) and masked."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention.scaled_scores import (
    longer_query_question,
    render_scales_toggle,
    variance_text,
)
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import OWN_SCALES
from dashboard.state.session import session
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.figures import dimensions
from encoder_core.scenes.attention import scaled_scores as scenes
from encoder_core.scenes.focus import head_slice
from encoder_core.support.number_format import latex_with_shape
from encoder_core.support.wording import format_count

current = frame.begin_page()
config = current.config
seq, d_head = current.batch.ids.shape[1], config.d_head
scale = current.run.score_scale
is_scaled = current.run.scales_scores
divisor = f"√{d_head}" if is_scaled else ""
PRODUCTS = [blocks.split_heads, blocks.dot_products_of_heads] if current.splits_heads else [blocks.dot_products]

render_opening(
    "scaled_scores",
    current,
    [Shape("Q", (seq, d_head), "query"), Shape("K", (seq, d_head), "key")],
    [Shape("scores", (seq, seq), "attention")],
)


def formula() -> str:
    """Q K^T, its division if the scores are scaled, and the mask."""
    product = rf"\overbrace{{Q}}^{{{seq}\times{d_head}}}\;\overbrace{{K^\top}}^{{{d_head}\times{seq}}}"
    scaled = rf"\frac{{{product}}}{{\sqrt{{{d_head}}}}}" if is_scaled else product
    return (
        rf"\begin{{gathered}} \underbrace{{S}}_{{{seq}\times{seq}}} = {scaled} + "
        rf"{latex_with_shape('M', (seq, seq))} \\[10pt] M_{{ij}} = "
        r"\begin{cases} 0 & \text{query } i \text{ may attend to key } j \\ -\infty & \text{masked} \end{cases} "
        r"\end{gathered}"
    )


def render_body() -> None:
    at = focus.render_focus_controls(
        current,
        "layer",
        "head",
        "token",
        "key_token",
        badge=lambda at: frame.render_recompute_badge(lambda: recompute.scores(current.run, at.layer)),
    )
    layer = current.trace.layers[at.layer]
    q, k, dots, scores = (x[at.sentence, at.head] for x in (layer.q, layer.k, layer.dot_products, layer.scores))
    edited = current.run.effects.cell_values("scores", at.layer)
    set_by_hand = [(row, key) for *head, row, key in edited if head == [at.sentence, at.head]]
    keys_set = [key for row, key in set_by_hand if row == at.token]
    question = longer_query_question(at, scores[at.token], dots[at.token], scale, keys_set)
    ask_first(question)
    tokens, dims = at.labels, dimensions(d_head)
    inspection = inspect_cell(current, at, head_slice("dot_products", at).cell(at.token, at.key_token))
    own_scales = scale != 1 and session().get(OWN_SCALES)
    render_plot(
        scenes.step_by_step(q, k, dots, scores, at, scale=scenes.Scale(scale, divisor), set_by_hand=set_by_hand,
                            own_scales=own_scales, theme=current_theme()),
        key="scores_plot",
        inspection=inspection,
    )  # fmt: skip
    if scale != 1:
        render_scales_toggle()
    computed = np.isfinite(scores) & (dots != 0)
    for cell in set_by_hand:
        computed[cell] = False

    def paler(start: str) -> str:
        """What the division does to the colours of the scores that it changes; "" where all of them are 0."""
        return f": {start} paler{', except those that you set' * bool(set_by_hand)}" if computed.any() else ""

    if scale == 1:
        scaling = "Division by √1 changes nothing." if is_scaled else "The dot products are not scaled."
    elif own_scales:
        scaling = f"Q Kᵀ has a colour scale of its own{paler('on one scale, the scaled scores would be')}."
    else:
        scaling = f"All steps share one colour scale{paler(f'divided by {divisor}, the scores are')}."
    if set_by_hand:
        scaling += f" You have set {format_count(len(set_by_hand), 'score')} of this head, instead of what is computed."
    st.caption(f"{variance_text(at, dots, scale)} {scaling}")
    render_depths(
        {
            "scores": NumberTable(scores, tokens, tokens),
            "dot products": NumberTable(dots, tokens, tokens),
            "Q": NumberTable(q, tokens, dims),
            "K": NumberTable(k, tokens, dims),
        },
        formula(),
        [*PRODUCTS, blocks.scale_and_mask],
        question,
        inspection,
    )


frame.run_as_fragment(render_body)
