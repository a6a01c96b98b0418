"""Tokens and embedding lookup: text becomes tokens, tokens become ids, ids become rows of a table."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.components.token_strip import token_strip
from dashboard.inspect.depths import render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons import embedding as sections
from dashboard.lessons.embedding import arithmetic, scales
from dashboard.lessons.embedding.nearest_words import nearest
from dashboard.lessons.embedding.tables import tables
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.axis_window import Wide
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.config import embedding_factors
from encoder_core.explain import recompute
from encoder_core.figures import WHOLE, format_number
from encoder_core.pretrained import nearest_words
from encoder_core.scenes import embedding as scenes
from encoder_core.scenes.position import text_slice

current = frame.begin()
config, trace, batch = current.config, current.trace, current.batch
table = current.parameters["token_embedding"]
(vocab, d_model), seq = table.shape, batch.ids.shape[1]
factor = embedding_factors(d_model)[config.embedding_scale]
dims = Wide("dims", d_model, whole=WHOLE)

frame.heading(
    stage_named("embedding"),
    "A network reads numbers, not words: the text is cut into tokens, each token has a number, its **id**, and the id "
    "says which row of the embedding table stands for the token. A token that occurs twice gets the same row twice."
    + sections.source_of_rows(current),
    [Shape("ids", (seq,)), Shape("table E", (vocab, d_model))],
    [Shape("token embedding", (seq, d_model))],
)


def body() -> None:
    apart = recompute.embedding(current.run)
    at = focus.pick(current, "token", wide=[dims], badge=lambda at: frame.recomputed(apart))
    token_strip(batch.tokens, batch.ids, batch.real, (at.sentence, at.token))
    inspection = inspect_cell(current, at, text_slice("token_embedding", at).cell(at.token, 0))
    lookup_picture(at, inspection)
    scales.scales(current, at, dims.window(), inspection)
    cosines = nearest(current, at)
    render_depths(
        tables(current, at) | cosines,
        rf"\underbrace{{X}}_{{{seq}\times{d_model}}} = s\cdot"
        rf"\overbrace{{\mathrm{{onehot}}(ids)}}^{{{seq}\times{vocab}}}\;"
        rf"\overbrace{{E}}^{{{vocab}\times{d_model}}} = s\cdot E[ids] \\[4pt] s = {factor:.4g} \\[12pt] "
        + arithmetic.FORMULA,
        [blocks.lookup, blocks.embed, nearest_words],
        question(at),
        inspection,
    )


def lookup_picture(at: focus.Focus, inspection: Inspection) -> None:
    """One-hot times E, and the lookup that gives the same rows."""
    ids, rows = batch.ids[at.sentence], trace.token_embedding[at.sentence]
    drawn = scenes.rows_drawn(ids, vocab)
    parts = scenes.lookup(ids, rows, table, at, tokens=at.labels, vocabulary=current.vocabulary,
                          columns=dims.window(), theme=current_theme())  # fmt: skip
    plot(parts, key="embedding_plot", inspection=inspection)
    apart = np.abs(scenes.one_hot_of(drawn, ids) @ table[drawn] - rows).max()
    padded = sections.of_padding(current)
    only_used = "" if len(drawn) == vocab else f" Only the {len(drawn)} of its {vocab:,} rows in use are drawn."
    st.caption(
        "Each row of the one-hot matrix is 0 everywhere and 1 at the token's id, so the product picks that row of E. "
        f"The bars beside E mark the rows that this sentence takes.{only_used}{padded} Largest difference between "
        f"product and lookup: **{format_number(apart, 2)}**. The product multiplies **{seq * vocab * d_model:,}** "
        f"pairs of numbers; the lookup multiplies none and copies **{seq * d_model:,}**."
    )


def question(at: focus.Focus) -> Question:
    """About a token that occurs twice, or, where none does, about the cost."""
    ids, rows = batch.ids[at.sentence], trace.token_embedding[at.sentence]
    numbers, counts = np.unique(ids[batch.real[at.sentence]], return_counts=True)
    if counts.max() == 1:
        products = (seq * d_model, seq * vocab * d_model, seq * vocab * d_model**2)
        why = f"{seq} × {vocab} × {d_model}, all but {seq} × {d_model} of them by 0. The lookup takes none."
        asked = "how many multiplications does the product one-hot · E take?"
        return Question(asked, [f"{count:,}" for count in products], 1, why)
    one, other = np.flatnonzero(ids == numbers[counts.argmax()])[:2]
    apart = float(np.abs(rows[one] - rows[other]).max())
    return Question(
        f"tokens {one + 1} and {other + 1} are both “{plain(at.labels[one])}”. How do their rows differ here?",
        ["not at all", "a little, because they stand in different places", "completely"],
        0,
        f"Both have id {ids[one]} and take the same row: the largest difference is {format_number(apart, 3)}. "
        + (
            "This model adds nothing for their positions."
            if config.positions == "none"
            else "Their positions, on the next page, tell them apart."
        ),
    )


frame.interactive(body)
