"""Scenes of multi-head attention: Q cut into heads, the weights of all of them, and what each adds to the stream."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Bool, Float

from encoder_core.analysis import pooled
from encoder_core.figures import ThemeName, dimensions, heatmap, limit_of, mosaic, scale_of
from encoder_core.scenes.qkv import side_by_side

MOST_CELLS = 60_000  # a picture holds; larger ones are thinned, and the page says so


def head_names(heads: int) -> list[str]:
    """Short from seven heads on, so that they stay level above their tiles."""
    return [f"head {head + 1}" for head in range(heads)] if heads <= 6 else [str(head + 1) for head in range(heads)]


def block_of(cells: int) -> int:
    """How many rows and columns become one where squares of weights have this many cells."""
    return math.ceil(math.sqrt(cells / MOST_CELLS))


def step_of(cells: int) -> int:
    """Every which dimension is shown where matrices have this many cells."""
    return math.ceil(cells / MOST_CELLS)


def split(
    q: Float[np.ndarray, "seq qkv_dim"],
    of_heads: Float[np.ndarray, "head seq d_head"],
    *,
    tokens: Sequence[str],
    head: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """Q of all heads as one matrix → cut into heads → put back. One scale; `head` is outlined."""
    heads, seq, d_head = of_heads.shape
    tiles = partial(
        mosaic, row_titles=[""], column_titles=head_names(heads), rows=tokens, columns=dimensions(d_head),
        kind="signed", row_axis="query", column_axis="dimension", tile_row_axis="", title_colour="query",
        limit=scale_of(q), selected=(0, head), height=140, theme=theme,
    )  # fmt: skip

    def striped(matrix: Float[np.ndarray, "seq qkv_dim"], title: str) -> go.Figure:
        return tiles(matrix.reshape(seq, heads, d_head).swapaxes(0, 1)[None], title=title, gap=0)

    return [
        striped(q, "Q = x W_Q: a stripe for each head"),
        "split →",
        tiles(of_heads[None], title="every head has its Q", gap=max(1, d_head // 4)),
        "put back →",
        striped(side_by_side(of_heads), "Q again"),
    ]


def all_patterns(
    patterns: Float[np.ndarray, "batch head seq seq"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    *,
    title: str,
    tokens: Sequence[str],
    sentence: int,
    head: int,
    limit: float,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """The weights of every head, heads across and sentences down; the tile looked at is outlined.

    tokens  of the sentence; of several sentences, which have one axis, the places are numbered instead.
    limit   the end of the colour scale
    """
    batch, heads, seq, _ = patterns.shape
    block = block_of(patterns.size)
    names = list(tokens) if batch == 1 else [str(token + 1) for token in range(seq)]
    of_block = "" if block == 1 else f" {block} tokens from"
    return [
        mosaic(
            pooled(patterns, block), [""] if batch == 1 else [f"sentence {i + 1}" for i in range(batch)],
            head_names(heads), title=title + ("" if batch == 1 else ", sentences down"), title_colour="attention",
            rows=names[::block], columns=names[::block], row_axis="query" + of_block, column_axis="key" + of_block,
            tile_row_axis="sentence", tile_column_axis="head", limit=limit, mask=pooled(mask, block),
            selected=(sentence, head), height=int(np.clip(batch * 980 / heads, 130, max(230, 70 * batch))), theme=theme,
        ),
    ]  # fmt: skip


def added_up(
    contributions: Float[np.ndarray, "head seq d_model"],
    total: Float[np.ndarray, "seq d_model"],
    *,
    title: str,
    tokens: Sequence[str],
    head: int,
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """What each head adds to the stream, z_h W_O,h, and Σ = `total`, called `title`; all on one scale."""
    heads, every = len(contributions), step_of(contributions.size)
    dims = dimensions(total.shape[1])[::every]
    common: dict[str, Any] = {"row_axis": "token", "limit": scale_of(contributions, total), "height": 200,
                              "theme": theme}  # fmt: skip
    return [
        mosaic(
            contributions[None, :, :, ::every], [""], head_names(heads), title="z W_O of each head",
            rows=tokens, columns=dims, kind="signed", column_axis="dimension", tile_row_axis="", selected=(0, head),
            weight=int(np.clip(14 * heads, 24, 130)), **common,
        ),
        "Σ =",
        heatmap(total[:, ::every], tokens, dims, title=title, marks=[(token, None)], **common),
    ]  # fmt: skip


def lengths(
    norms: Float[np.ndarray, "head seq"],
    *,
    tokens: Sequence[str],
    head: int,
    token: int,
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """How much each head adds to each token: the length of the row it adds."""
    return [
        heatmap(norms, head_names(len(norms)), tokens, row_axis="head", column_axis="token", kind="weights",
                title="how much each head adds to each token: the length of its row", limit=limit_of(norms),
                marks=[(head, None), (head, token)], height=max(64, min(16 * len(norms), 220)), theme=theme),
    ]  # fmt: skip


def difference(
    before: Float[np.ndarray, "seq d_model"],
    after: Float[np.ndarray, "seq d_model"],
    *,
    titles: tuple[str, str],
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> list[go.Figure | str]:
    """before − after = difference, on one scale; `titles` are those of the first two."""
    show = partial(heatmap, rows=tokens, columns=dimensions(before.shape[1]), height=170, theme=theme,
                   limit=limit_of(before, after, before - after))  # fmt: skip
    first, second = titles
    return [show(before, title=first), "−", show(after, title=second), "=", show(before - after, title="difference")]
