"""Scenes of the embedding: rows taken from a table, and how large they are next to the positions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis import one_hot
from encoder_core.figures import (
    AxisMeaning,
    Line,
    Product,
    Selection,
    ThemeName,
    Window,
    bars,
    heatmap,
    parameter_slice,
    scale_of,
)
from encoder_core.scenes.equation import Term, equation
from encoder_core.scenes.position import POSITION_ENCODING, Position, text_slice

MOST_ROWS = 64  # of a larger vocabulary, only the rows in use are drawn


def rows_drawn(ids: Int[np.ndarray, "seq"], vocab: int) -> Int[np.ndarray, "drawn"]:
    """The ids whose rows of the table are drawn: all of them, or, of a large table, those in use."""
    return np.arange(vocab) if vocab <= MOST_ROWS else np.unique(ids)


def one_hot_of(rows: Int[np.ndarray, "drawn"], ids: Int[np.ndarray, "seq"]) -> Float[np.ndarray, "seq drawn"]:
    """The columns of one-hot that belong to these rows of the table, in order; where all ids are among them, the others
    hold nothing but 0, and add nothing to the product."""
    return one_hot(np.searchsorted(rows, ids), len(rows))


def lookup(
    ids: Int[np.ndarray, "seq"],
    looked_up: Float[np.ndarray, "seq d_model"],
    table: Float[np.ndarray, "vocab d_model"],
    at: Position,
    *,
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """one-hot · E = the same rows looked up; the rows that the sentence takes are marked beside E.

    columns  the window that is drawn of E's dimensions; None draws all. The sum behind a cell of the product can be
             shown where no bins are drawn.
    A click on a row of E selects the first token that takes it.
    """
    drawn = rows_drawn(ids, len(table))
    hot, used = one_hot_of(drawn, ids), table[drawn]
    product = None if columns and columns.size > 1 else Product(0, 1)
    row, in_use = int(np.searchsorted(drawn, ids[at.token])), np.searchsorted(drawn, np.unique(ids)).tolist()
    words, limit = [f"{index} {vocabulary[index]}" for index in drawn], scale_of(used)
    of_tokens: dict[str, Any] = {"marks": [(at.token, None)], "theme": theme}
    looks_up: list[Selection] = [{"token": int(np.argmax(ids == index))} if index in ids else {} for index in drawn]
    return [
        heatmap(hot, tokens, [str(index) for index in drawn], title="one-hot", column_axis="id",
                kind="weights", **of_tokens),
        "·",
        heatmap(used, words, columns, title="E", row_axis=AxisMeaning("id", selects=looks_up), limit=limit,
                marks=[(row, None)], flags=in_use, shows=parameter_slice("token_embedding", drawn.tolist()),
                theme=theme),
        "=",
        heatmap(hot @ used, tokens, columns, title="one-hot · E", limit=limit, product=product,
                shows=text_slice("token_embedding", at), **of_tokens),
        "=",
        heatmap(looked_up, tokens, columns, title="lookup E[ids]", limit=limit,
                shows=text_slice("token_embedding", at), **of_tokens),
    ]  # fmt: skip


def rows_and_positions(
    rows: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    sizes: Mapping[str, float],
    at: Position,
    *,
    scale: str,
    in_use: bool,
    tokens: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """The scaled rows + the position encoding, and the sizes of both as bars; `scale` is the name of its bar.

    in_use  whether it is the scale of the model, so that the rows are those of the trace
    """
    scaled = Term(f"rows {scale}", rows, text_slice("scaled_embedding", at) if in_use else None)
    return [
        *equation([scaled, "+", Term("position encoding", position, POSITION_ENCODING)], tokens, at.token,
                  columns=columns, height=220, theme=theme),
        "",
        bars(np.array(list(sizes.values())), list(sizes), title="size (RMS)", x_axis="", y_axis="",
             marks=[list(sizes).index(scale)], show_values=True, height=220, theme=theme),
    ]  # fmt: skip
