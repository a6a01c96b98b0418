"""Scenes of the embedding: the lookup of rows in a table, and the size of these rows next to the positions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis import one_hot
from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    Line,
    PanelStyle,
    Product,
    Selection,
    ThemeName,
    Window,
    bars,
    colour_limit,
    heatmap,
    parameter_slice,
)
from encoder_core.scenes.equation import EquationTerm, equation
from encoder_core.scenes.focus import POSITION_ENCODING, Focus, text_slice

MAX_ROWS = 64  # of a larger vocabulary, only the rows in use are visible
HEIGHT = 220
_ONE_HOT_WEIGHT = 28  # at least: each column of the one-hot matrix is to be wide enough to see, whatever their number


def table_ids(ids: Int[np.ndarray, "seq"], vocab: int) -> Int[np.ndarray, "row"]:
    """The ids whose rows of the table are visible: all ids, or for a large table those in use."""
    return np.arange(vocab) if vocab <= MAX_ROWS else np.unique(ids)


def one_hot_columns(columns: Int[np.ndarray, "column"], ids: Int[np.ndarray, "seq"]) -> Float[np.ndarray, "seq column"]:
    """These columns of the one-hot matrix, in ascending order.

    If all ids are among them, the other columns are 0, and the product with the table does not need them.
    """
    return one_hot(np.searchsorted(columns, ids), len(columns))


def lookup(
    ids: Int[np.ndarray, "seq"],
    rows: Float[np.ndarray, "seq d_model"],
    table: Float[np.ndarray, "vocab d_model"],
    at: Focus,
    *,
    vocabulary: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """one-hot · E = `rows`, the rows of E looked up. The rows of E in use have a bar beside them.

    columns  the window of the dimensions that is drawn; None draws all. With bins, the result is not the product of
             the numbers on screen

    A click on a row of E selects the first token with this id.
    """
    visible = table_ids(ids, len(table))
    hot, used = one_hot_columns(visible, ids), table[visible]
    row, in_use = int(np.searchsorted(visible, ids[at.token])), np.searchsorted(visible, np.unique(ids)).tolist()
    share = "" if len(visible) == len(table) else f"{len(visible)} of {len(table):,}"
    titles = [f"one-hot ({share} columns)", f"E ({share} rows)"] if share else ["one-hot", "E"]
    id_names = [str(index) for index in visible]
    words = [vocabulary[index] for index in visible]  # some recipes have no words, but the ids themselves
    row_names = [name if word == name else f"{name} {word}" for name, word in zip(id_names, words, strict=True)]
    selects: list[Selection] = [{"token": int(np.argmax(ids == index))} if index in ids else {} for index in visible]
    token_row = [(at.token, None)]
    style = HeatmapStyle(limit=colour_limit(used), theme=theme)
    table_style = replace(style, row_axis=AxisMeaning("id", selects=selects), row_flags=in_use)
    shows = text_slice("token_embedding", at)
    product = heatmap(hot @ used, at.labels, columns, title="one-hot · E", marks=token_row, shows=shows, style=style)
    return [
        heatmap(hot, at.labels, id_names, title=titles[0], marks=token_row,
                style=HeatmapStyle(column_axis="id", kind="weights", theme=theme,
                                   weight=max(_ONE_HOT_WEIGHT, min(40, len(visible))))),
        "·",
        heatmap(used, row_names, columns, title=titles[1], marks=[(row, None)],
                shows=parameter_slice("token_embedding", visible.tolist()), style=table_style),
        "=",
        product if columns and columns.size > 1 else product.with_product(Product(0, 1)),
        "=",
        heatmap(rows, at.labels, columns, title="lookup E[ids]", marks=token_row, shows=shows, style=style),
    ]  # fmt: skip


def rows_and_positions(
    rows: Float[np.ndarray, "seq d_model"],
    position: Float[np.ndarray, "seq d_model"],
    sizes: Mapping[str, float],
    at: Focus,
    *,
    scale: str,
    in_use: bool,
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """The scaled rows + the position encoding, and the sizes of both as bars.

    scale   the name of the scale, which is also the name of its bar
    in_use  whether the model has this scale, so that the rows are those of the trace
    """
    scaled = EquationTerm(f"rows {scale}", rows, text_slice("scaled_embedding", at) if in_use else None)
    return [
        *equation([scaled, "+", EquationTerm("position encoding", position, POSITION_ENCODING)], at, columns=columns,
                  height=HEIGHT, theme=theme),
        "",
        bars(np.array(list(sizes.values())), list(sizes), title="size (RMS)", marks=[list(sizes).index(scale)],
             show_values=True, style=PanelStyle(height=HEIGHT, theme=theme)),
    ]  # fmt: skip
