"""Scenes of the embedding: rows taken from a table, and how large they are next to the positions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Int

from encoder_core.analysis import one_hot
from encoder_core.figures import ThemeName, Window, bars, heatmap, scale_of
from encoder_core.scenes.equation import equation

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
    *,
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    token: int,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """one-hot · E = the same rows looked up; the rows that the sentence takes are marked beside E.

    columns  the window that is drawn of E's dimensions; None draws all. The sum behind a cell of the product can be
             shown where no bins are drawn.
    """
    drawn = rows_drawn(ids, len(table))
    hot, used = one_hot_of(drawn, ids), table[drawn]
    product = None if columns and columns.size > 1 else (0, 1)
    row, in_use = int(np.searchsorted(drawn, ids[token])), np.searchsorted(drawn, np.unique(ids)).tolist()
    words, limit = [f"{index} {vocabulary[index]}" for index in drawn], scale_of(used)
    of_tokens: dict[str, Any] = {"marks": [(token, None)], "theme": theme}
    return [
        heatmap(hot, tokens, [str(index) for index in drawn], title="one-hot", column_axis="id",
                kind="weights", **of_tokens),
        "·",
        heatmap(used, words, columns, title="E", row_axis="id", limit=limit, marks=[(row, None)], flags=in_use,
                theme=theme),
        "=",
        heatmap(hot @ used, tokens, columns, title="one-hot · E", limit=limit, product_of=product, **of_tokens),
        "=",
        heatmap(looked_up, tokens, columns, title="lookup E[ids]", limit=limit, **of_tokens),
    ]  # fmt: skip


def rows_and_positions(
    rows: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    sizes: Mapping[str, float],
    *,
    scale: str,
    tokens: Sequence[str],
    token: int,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The scaled rows + the position encoding, and the sizes of both as bars; `scale` is the name of its bar."""
    return [
        *equation([(f"rows {scale}", rows), "+", ("position encoding", position)], tokens, token,
                  columns=columns, height=220, theme=theme),
        "",
        bars(np.array(list(sizes.values())), list(sizes), title="size (RMS)", x_axis="", y_axis="",
             marks=[list(sizes).index(scale)], show_values=True, height=220, theme=theme),
    ]  # fmt: skip
