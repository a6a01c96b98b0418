"""Scaled scores: the dot product of every query with every key, divided by sqrt(d_head), masked."""

import numpy as np
import streamlit as st

from dashboard import focus, frame
from dashboard.cells import look
from dashboard.frame import Question, Shape, Table, plain
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import blocks, recompute
from encoder_core.figures import dimensions, format_number
from encoder_core.scenes import scaled_scores as scenes
from encoder_core.scenes.position import head_slice

current = frame.begin()
config = current.config
seq, d_head = current.batch.ids.shape[1], config.d_head
scale = current.run.score_scale
divisor = "1" if scale == 1 else f"√{d_head}"
PRODUCTS = [blocks.split_heads, blocks.dot_products_of_heads] if current.splits_heads else [blocks.dot_products]

frame.heading(
    stage_named("scaled_scores"),
    "Each token puts its question to every token: the dot product of one :blue[**query**] row with one :red[**key**] "
    "row says how well they match. "
    + ("" if scale == 1 else "Division by $\\sqrt{d_{head}}$ makes their spread smaller; ")
    + ("The" if scale == 1 else "the")
    + " mask hides keys.",
    [Shape("Q", (seq, d_head), "query"), Shape("K", (seq, d_head), "key")],
    [Shape("scores", (seq, seq), "attention")],
)


def formula() -> str:
    """Q K^T, divided where the scores are scaled, and the mask."""
    product = rf"\overbrace{{Q}}^{{{seq}\times{d_head}}}\;\overbrace{{K^\top}}^{{{d_head}\times{seq}}}"
    scaled = product if scale == 1 else rf"\frac{{{product}}}{{\sqrt{{{d_head}}}}}"
    return (
        rf"\begin{{gathered}} \underbrace{{S}}_{{{seq}\times{seq}}} = {scaled} + M \\[10pt] M_{{ij}} = "
        r"\begin{cases} 0 & \text{query } i \text{ may attend to key } j \\ -\infty & \text{masked} \end{cases} "
        r"\end{gathered}"
    )


def body() -> None:
    at = focus.pick(
        current,
        "layer",
        "head",
        "token",
        "key_token",
        badge=lambda at: frame.recomputed(recompute.scores(current.run, at.layer)),
    )
    layer = current.trace.layers[at.layer]
    q, k, dots, scores = (x[at.sentence, at.head] for x in (layer.q, layer.k, layer.dot_products, layer.scores))
    scaled = dots * np.float32(scale)
    tokens, dims = at.labels, dimensions(d_head)
    edited = current.run.effects.of_tensor("scores", at.layer)
    set_by_hand = [(row, key) for *head, row, key in edited if head == [at.sentence, at.head]]
    looked = look(current, at, head_slice("dot_products", at).cell(at.token, at.key_token))
    picture(
        scenes.step_by_step(q, k, dots, scores, at, divisor=divisor, scale=scale, set_by_hand=set_by_hand,
                            tokens=tokens, theme=frame.theme()),
        key="scores_picture",
        looked=looked,
    )  # fmt: skip
    variance, divided = (format_number(x.var(axis=1).mean(), 3) for x in (dots, scaled))
    st.caption(f"Variance of a row of scores, on average: **{variance}** before the division, **{divided}** after it.")
    best = int(np.argmax(scores[at.token]))
    others = [i for i in np.argsort(-scores[at.token], kind="stable") if i != best][:2]
    order = sorted([best, *others])
    frame.depths(
        {
            "scores": Table(scores, tokens, tokens),
            "dot products": Table(dots, tokens, tokens),
            "Q": Table(q, tokens, dims),
            "K": Table(k, tokens, dims),
        },
        formula(),
        [*PRODUCTS, blocks.scale_and_mask],
        Question(
            f"which key does the query “{plain(tokens[at.token])}” match best?",
            [f"{i + 1} · {plain(tokens[i])}" for i in order],
            order.index(best),
            f"Its score is {format_number(scores[at.token, best], 3)}, the largest of its row.",
        ),
        looked,
    )


frame.interactive(body)
