"""Scaled scores: the dot product of every query with every key, divided by sqrt(d_head), masked."""

import numpy as np
import streamlit as st

from dashboard import focus, frame
from dashboard.cells import look
from dashboard.frame import Question, Shape, Table, plain
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import blocks, recompute
from encoder_core.figures import dimensions
from encoder_core.scenes import scaled_scores as scenes
from encoder_core.scenes.position import head_slice

current = frame.begin()
config = current.config
seq, d_head = current.batch.ids.shape[1], config.d_head
scale = current.shown.score_scale
divisor = "1" if scale == 1 else f"√{d_head}"
PRODUCTS = [blocks.split_heads, blocks.dot_products_of_heads] if current.splits_heads else [blocks.dot_products]

frame.heading(
    stage_named("scaled_scores"),
    "Each token puts its question to every token: the dot product of one :blue[**query**] row with one :red[**key**] "
    "row says how well they match. Division by $\\sqrt{d_{head}}$ keeps the numbers moderate; the mask hides keys.",
    [Shape("Q", (seq, d_head), "query"), Shape("K", (seq, d_head), "key")],
    [Shape("scores", (seq, seq), "attention")],
)


@st.fragment
def body() -> None:
    at = focus.pick(
        current,
        "layer",
        "head",
        "token",
        "key_token",
        badge=lambda at: frame.recomputed(recompute.scores(current.shown, at.layer)),
    )
    layer = current.trace.layers[at.layer]
    q, k, dots, scores = (x[at.sentence, at.head] for x in (layer.q, layer.k, layer.dot_products, layer.scores))
    scaled = dots * np.float32(scale)
    tokens, dims = at.labels, dimensions(d_head)
    edited = current.shown.effects.of_tensor("scores", at.layer)
    set_by_hand = [(row, key) for *head, row, key in edited if head == [at.sentence, at.head]]
    looked = look(current, at, head_slice("dot_products", at).cell(at.token, at.key_token))
    picture(
        scenes.step_by_step(q, k, dots, scores, at, divisor=divisor, scale=scale, set_by_hand=set_by_hand,
                            tokens=tokens, theme=frame.theme()),
        key="scores_picture",
        looked=looked,
    )  # fmt: skip
    variance, divided = dots.var(axis=1).mean(), scaled.var(axis=1).mean()
    st.caption(
        f"Variance of a row of scores, on average: **{variance:.3g}** before the division, **{divided:.3g}** after it."
    )
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
        rf"\underbrace{{S}}_{{{seq}\times{seq}}} = \frac{{\overbrace{{Q}}^{{{seq}\times{d_head}}}\;"
        rf"\overbrace{{K^\top}}^{{{d_head}\times{seq}}}}}{{\sqrt{{{d_head}}}}}",
        [*PRODUCTS, blocks.scale_and_mask],
        Question(
            f"which key does the query “{plain(tokens[at.token])}” match best?",
            [f"{i + 1} · {plain(tokens[i])}" for i in order],
            order.index(best),
            f"Its score is {scores[at.token, best]:.3g}, the largest of its row.",
        ),
        looked,
    )


body()
