"""Scenes of multi-head attention: Q cut into heads, the weights of all of them, and what each adds to the stream."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import WHOLE, Line, Panel, TensorSlice, ThemeName, Window, heatmap, limit_of, mosaic, scale_of
from encoder_core.scenes.position import Position, block_slice
from encoder_core.scenes.qkv import side_by_side

MOST_CELLS = 60_000  # a picture holds; in larger ones several become one, and the page says so
SPLIT_ACROSS, ADDED_ACROSS = 96, 256  # cells of all heads beside each other, where a matrix is too wide to draw all


def head_names(heads: int) -> list[str]:
    """Short from seven heads on, so that they stay level above their tiles."""
    return [f"head {head + 1}" for head in range(heads)] if heads <= 6 else [str(head + 1) for head in range(heads)]


def block_of(cells: int) -> int:
    """How many rows and columns become one where squares of weights have this many cells."""
    return math.ceil(math.sqrt(cells / MOST_CELLS))


def in_split(d_head: int, heads: int) -> Window:
    """What is drawn of each head's columns of Q: all, or, where Q is too wide, all in bins."""
    columns = Window(0, d_head)
    return columns if d_head * heads <= WHOLE else columns.fitted(max(1, SPLIT_ACROSS // heads))


def in_added(columns: Window, d_model: int, heads: int, seq: int) -> Window:
    """The same columns, in as many cells as there is room for in the tile of a head."""
    room = MOST_CELLS // (heads * seq) if d_model <= WHOLE else ADDED_ACROSS // heads
    return columns.fitted(max(1, room))


def split(
    q: Float[np.ndarray, "seq qkv_dim"],
    of_heads: Float[np.ndarray, "head seq d_head"],
    at: Position,
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """Q of all heads as one matrix → cut into heads → put back. One scale; the head looked at is outlined."""
    heads, seq, d_head = of_heads.shape
    columns = in_split(d_head, heads)
    tiles = partial(
        mosaic, row_titles=[""], column_titles=head_names(heads), rows=tokens, columns=columns,
        kind="signed", row_axis="query", column_axis="dimension", tile_row_axis="", title_colour="query",
        limit=scale_of(q), selected=(0, at.head), shows=_head_tiles("q", at), height=140, theme=theme,
    )  # fmt: skip

    def striped(matrix: Float[np.ndarray, "seq qkv_dim"], title: str) -> Panel:
        return tiles(matrix.reshape(seq, heads, d_head).swapaxes(0, 1)[None], title=title, gap=0)

    return [
        striped(q, "Q = x W_Q: a stripe for each head"),
        "split →",
        tiles(of_heads[None], title="every head has its Q", gap=max(1, len(columns) // 4)),
        "put back →",
        striped(side_by_side(of_heads), "Q again"),
    ]


def all_patterns(
    patterns: Float[np.ndarray, "batch head seq seq"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    at: Position,
    *,
    title: str,
    tokens: Sequence[str],
    limit: float,
    theme: ThemeName = "light",
) -> Line:
    """The weights of every head, heads across and sentences down; the tile looked at is outlined.

    tokens  of the sentence; of several sentences, which have one axis, the places are numbered instead.
    limit   the end of the colour scale
    """
    batch, heads, seq, _ = patterns.shape
    names = list(tokens) if batch == 1 else [str(token + 1) for token in range(seq)]
    places = Window(0, seq, block_of(patterns.size), tuple(names))
    tiles = TensorSlice("pattern", ("tile row", "tile column", "row", "column"), at.layer)
    return [
        mosaic(
            patterns, [""] if batch == 1 else [f"sentence {i + 1}" for i in range(batch)],
            head_names(heads), title=title + ("" if batch == 1 else ", sentences down"), title_colour="attention",
            rows=places, columns=places, tile_row_axis="sentence", tile_column_axis="head", limit=limit, mask=mask,
            selected=(at.sentence, at.head), shows=tiles,
            height=int(np.clip(batch * 980 / heads, 130, max(230, 70 * batch))), theme=theme,
        ),
    ]  # fmt: skip


def added_up(
    contributions: Float[np.ndarray, "head seq d_model"],
    attn_out: Float[np.ndarray, "seq d_model"],
    at: Position,
    *,
    biased: bool,
    tokens: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """What each head adds to the stream, z_h W_O,h; their sum, plus b_O where there is one, is attn_out. One scale.

    columns  the window that is drawn of the dimensions; None draws all.
    """
    heads, seq, d_model = contributions.shape
    columns = columns or Window(0, d_model)
    common: dict[str, Any] = {"row_axis": "token", "limit": scale_of(contributions, attn_out), "height": 200,
                              "theme": theme}  # fmt: skip
    return [
        mosaic(
            contributions[None], [""], head_names(heads), title="z W_O of each head", rows=tokens,
            columns=in_added(columns, d_model, heads, seq), kind="signed", column_axis="dimension", tile_row_axis="",
            selected=(0, at.head), weight=int(np.clip(14 * heads, 24, 130)),
            shows=_head_tiles("head_contributions", at), **common,
        ),
        "Σ + b\n=" if biased else "Σ =",
        heatmap(attn_out, tokens, columns, title="attn_out", marks=[(at.token, None)],
                shows=block_slice("attn_out", at), **common),
    ]  # fmt: skip


def lengths(
    norms: Float[np.ndarray, "head seq"],
    at: Position,
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """How much each head adds to each token: the length of the row it adds."""
    return [
        heatmap(norms, head_names(len(norms)), tokens, row_axis="head", column_axis="token", kind="weights",
                title="how much each head adds to each token: the length of its row", limit=limit_of(norms),
                marks=[(at.head, None), (at.head, at.token)], height=max(64, min(16 * len(norms), 220)), theme=theme),
    ]  # fmt: skip


def difference(
    before: Float[np.ndarray, "seq d_model"],
    after: Float[np.ndarray, "seq d_model"],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    columns: Window | None = None,
    theme: ThemeName = "light",
) -> Line:
    """before − after = difference, on one scale; `titles` are those of the first two.

    columns  the window that is drawn of the dimensions; None draws all.
    """
    show = partial(heatmap, rows=tokens, columns=columns, height=170, theme=theme,
                   limit=scale_of(before, after, before - after))  # fmt: skip
    first, second = titles
    return [show(before, title=first), "−", show(after, title=second), "=", show(before - after, title="difference")]


def _head_tiles(tensor: str, at: Position) -> TensorSlice:
    """The rows of all heads of a sentence, a column of tiles a head."""
    return TensorSlice(tensor, (at.sentence, "tile column", "row", "column"), at.layer)
