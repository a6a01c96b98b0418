"""Tokens and embedding lookup: text becomes tokens, tokens become ids, ids become rows of a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from dashboard import focus, frame
from dashboard.focus import Cell
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.stages import stage_named
from dashboard.strip import strip
from encoder_core import blocks, recompute
from encoder_core.analysis import one_hot, root_mean_square
from encoder_core.figures import bars, dimensions, heatmap, limit_of

MOST_ROWS = 64  # of a larger vocabulary, only the rows in use are drawn

current = frame.begin()
config, trace, batch = current.config, current.trace, current.batch
table = current.encoder.parameters()["token_embedding"]
(vocab, d_model), seq = table.shape, batch.ids.shape[1]
hot = one_hot(batch.ids, vocab)
root = f"√{d_model}"
scales = {"inv_sqrt_d": d_model**-0.5, "none": 1.0, "sqrt_d": d_model**0.5}
spoken = {"inv_sqrt_d": f"÷ {root}", "none": "as they are", "sqrt_d": f"× {root}"}

frame.heading(
    stage_named("embedding"),
    "A network reads numbers, not words: the text is cut into tokens, each token has a number, its **id**, and the id "
    "says which row of the embedding table stands for the token. A token that occurs twice gets the same row twice.",
    [Shape("ids", (seq,)), Shape("table E", (vocab, d_model))],
    [Shape("token embedding", (seq, d_model))],
)


@st.fragment
def body() -> None:
    at = focus.pick(
        current,
        "token",
        badge=lambda at: frame.recomputed(recompute.embedding(trace, hot, table, scales[config.embedding_scale])),
    )
    strip(batch.tokens, batch.ids, batch.real, (at.sentence, at.token))
    lookup_picture(at)
    scale_picture(at)
    numbers(at)


def lookup_picture(at: focus.Focus) -> None:
    """One-hot times E, and the lookup that gives the same rows."""
    ids, tokens, dims = batch.ids[at.sentence], at.labels, dimensions(d_model)
    used = np.unique(ids)
    shown = np.arange(vocab) if vocab <= MOST_ROWS else used
    words = [f"{index} {current.tokenizer.vocabulary[index]}" for index in shown]
    looked_up = trace.token_embedding[at.sentence]
    product = hot[at.sentence] @ table
    limit, row, theme = limit_of(table[shown]), int(np.searchsorted(shown, ids[at.token])), frame.theme()
    rows: dict[str, Any] = {"limit": limit, "marks": [(at.token, None)], "theme": theme}

    def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
        """A click on a row of E goes to the first token that takes it."""
        if meta["row_axis"] != "id":
            focus.follow(cell, meta)
        elif shown[cell.row] in ids:
            focus.follow(cell._replace(row=int(np.argmax(ids == shown[cell.row]))), {"row_axis": "token"})

    picture(
        [
            heatmap(hot[at.sentence][:, shown], tokens, [str(index) for index in shown], title="one-hot",
                    column_axis="id", kind="weights", marks=[(at.token, None)], theme=theme),
            "·",
            heatmap(table[shown], words, dims, title="E", row_axis="id", limit=limit,
                    marks=[(row, None)], flags=np.searchsorted(shown, used).tolist(), theme=theme),
            "=",
            heatmap(product, tokens, dims, title="one-hot · E", **rows),
            "=",
            heatmap(looked_up, tokens, dims, title="lookup E[ids]", **rows),
        ],
        key="embedding_picture",
        on_click=clicked,
    )  # fmt: skip
    padded = " [PAD] fills up a shorter sentence: it has a row like any token." if not batch.real.all() else ""
    only_used = "" if len(shown) == vocab else f" Only the {len(shown)} of its {vocab:,} rows in use are drawn."
    st.caption(
        "Each row of the one-hot matrix is 0 everywhere and 1 at the token's id, so the product picks that row of E. "
        f"The bars beside E mark the rows that this sentence takes.{only_used}{padded} Largest difference between "
        f"product and lookup: **{np.abs(product - looked_up).max():.2g}**. The product multiplies "
        f"**{seq * vocab * d_model:,}** pairs of numbers; the lookup multiplies none and copies **{seq * d_model:,}**."
    )


def scale_picture(at: focus.Focus) -> None:
    """The rows under each scale, next to the position encoding that is added to them on the next page."""
    st.subheader("How large are the rows next to the positions?", anchor=False)
    rows, position = trace.token_embedding[at.sentence], trace.position_encoding
    chosen = st.segmented_control(
        "Rows",
        list(scales),
        default=config.embedding_scale,
        format_func=lambda scale: spoken[scale] + (" (this model)" if scale == config.embedding_scale else ""),
        key=f"embedding_rows_{config.embedding_scale}",
        persist_state="session",
        required=True,
        label_visibility="collapsed",
    )
    scaled, _ = blocks.embed(rows, scales[chosen], position)
    sizes = {spoken[name]: root_mean_square(rows) * scale for name, scale in scales.items()}
    sizes["positions"] = root_mean_square(position)
    dims, limit, theme = dimensions(d_model), limit_of(scaled, position), frame.theme()
    one_scale: dict[str, Any] = {"limit": limit, "marks": [(at.token, None)], "height": 220, "theme": theme}
    picture(
        [
            heatmap(scaled, at.labels, dims, title=f"rows {spoken[chosen]}", **one_scale),
            "+",
            heatmap(position, at.labels, dims, title="position encoding", **one_scale),
            "",
            bars(np.array(list(sizes.values())), list(sizes), title="size (RMS)", x_axis="", y_axis="",
                 marks=[list(scales).index(chosen)], show_values=True, height=220, theme=theme),
        ],
        key="embedding_scale_picture",
    )  # fmt: skip
    ratio = sizes[spoken[chosen]] / (sizes["positions"] or np.inf)
    measured = f"**{ratio:.3g} times** the position encoding" if ratio else "and there is no position encoding"
    st.caption(
        f"Both heatmaps share one scale; the bars are root mean squares. The rows {spoken[chosen]}: {measured}. The "
        "paper multiplies by √d_model, so that the words outweigh the positions; some code divides, and the positions "
        "outweigh the words. What the model does is set in the sidebar, under More choices."
    )


def numbers(at: focus.Focus) -> None:
    """Tables, formula, code and the question."""
    tokens, dims, words = at.labels, dimensions(d_model), list(current.tokenizer.vocabulary)
    frame.depths(
        {
            "rows": Table(trace.token_embedding[at.sentence], tokens, dims),
            "scaled rows": Table(trace.scaled_embedding[at.sentence], tokens, dims),
            "one-hot": Table(hot[at.sentence], tokens, words),
            "E": Table(table, words, dims),
        },
        rf"\underbrace{{X}}_{{{seq}\times{d_model}}} = s\cdot"
        rf"\overbrace{{\mathrm{{onehot}}(ids)}}^{{{seq}\times{vocab}}}\;"
        rf"\overbrace{{E}}^{{{vocab}\times{d_model}}} = s\cdot E[ids] \\[4pt] s = {scales[config.embedding_scale]:.4g}",
        [blocks.lookup, blocks.embed],
        question(at),
    )


def question(at: focus.Focus) -> Question:
    """About a token that occurs twice, or, where none does, about the cost."""
    ids, rows = batch.ids[at.sentence], trace.token_embedding[at.sentence]
    numbers, counts = np.unique(ids[batch.real[at.sentence]], return_counts=True)
    if counts.max() == 1:
        products = (seq * d_model, seq * vocab * d_model, seq * vocab * d_model**2)
        return Question(
            "how many multiplications does the product one-hot · E take?",
            [f"{count:,}" for count in products],
            1,
            f"{seq} × {vocab} × {d_model}, nearly all of them by 0. The lookup takes none.",
        )
    one, other = np.flatnonzero(ids == numbers[counts.argmax()])[:2]
    apart = float(np.abs(rows[one] - rows[other]).max())
    return Question(
        f"tokens {one + 1} and {other + 1} are both “{frame.plain(at.labels[one])}”. How do their rows differ here?",
        ["not at all", "a little, because they stand in different places", "completely"],
        0 if apart == 0 else 1,
        f"Both have id {ids[one]} and take the same row: the largest difference is {apart:g}. What tells them apart "
        "comes on the next page.",
    )


body()
