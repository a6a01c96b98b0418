"""Two views of the attention weights as tiles: all heads, and their average; a click enlarges a tile."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.cells import Address, Looked, look, of_head
from dashboard.focus import Cell, Focus
from dashboard.frame import Table
from dashboard.model import Model
from dashboard.picture import picture
from dashboard.sections.full_stack.view import Depths, stack_code, which_head, which_token
from dashboard.weights_scale import weights_limits
from encoder_core import blocks
from encoder_core.analysis import patterns_of
from encoder_core.scenes import full_stack as scenes


def all_heads(current: Model, at: Focus, _: None) -> Depths:
    """The pattern of every head of every layer, and one of them enlarged."""
    patterns = patterns_of(current.trace, at.sentence)
    mask = current.trace.mask[at.sentence]
    draw = partial(scenes.every_head, patterns, mask, layer=at.layer, head=at.head)
    weights = patterns[at.layer, at.head]
    enlarged = of_head("pattern", at)
    looked = look(current, at, enlarged.cell(at.token, int(weights[at.token].argmax())))
    tiles = Address("pattern", (at.sentence,), tiles="layer and head")
    _tiles(at, patterns, weights, draw, [tiles, enlarged], looked)
    num_layers, num_heads, seq, _ = patterns.shape
    return Depths(
        {f"layer {at.layer + 1}, head {at.head + 1}": Table(patterns[at.layer, at.head], at.labels, at.labels)},
        rf"\begin{{aligned}} \underbrace{{A^{{(l,h)}}}}_{{{seq}\times{seq}}} &= \text{{softmax}}(S^{{(l,h)}}) \\"
        rf"l &= 1 \dots {num_layers}, \quad h = 1 \dots {num_heads} \end{{aligned}}",
        [stack_code(current)],
        which_head(
            f"which of these heads gives one single key the largest share of “{frame.plain(at.labels[at.token])}”?",
            patterns[:, :, at.token].max(axis=-1),
            "Its largest weight is {}.",
        ),
        looked,
    )


def head_average(current: Model, at: Focus, _: None) -> Depths:
    """The mean over the heads, layer by layer."""
    averages = patterns_of(current.trace, at.sentence).mean(axis=1)
    draw = partial(scenes.head_averages, averages, current.trace.mask[at.sentence], layer=at.layer)
    _tiles(at, averages, averages[at.layer], draw)
    seq, num_heads = len(at.labels), current.config.num_heads
    return Depths(
        {f"layer {at.layer + 1}, average": Table(averages[at.layer], at.labels, at.labels)},
        rf"\underbrace{{\bar A^{{(l)}}}}_{{{seq}\times{seq}}} = \frac{{1}}{{{num_heads}}} \sum_{{h=1}}^{{{num_heads}}}"
        r" A^{(l,h)}",
        [blocks.softmax, stack_code(current)],
        which_token(
            at,
            f"over all layers and heads, which key does “{frame.plain(at.labels[at.token])}” attend to most?",
            averages[:, at.token].mean(axis=0),
            "Its share is {} on average.",
        ),
    )


def _tiles(
    at: Focus,
    weights: Float[np.ndarray, "*tile query key"],
    enlarged: Float[np.ndarray, "query key"],
    draw: Callable[..., list[go.Figure | str]],
    cells: Sequence[Address | None] = (),
    looked: Looked | None = None,
) -> None:
    """The picture, with the choice of its colours below it. With many tokens, a block of cells becomes one."""
    size, seq = scenes.cells_in_one(weights.size), len(at.labels)

    def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
        in_tiles = cell._replace(row=cell.row * size, column=cell.column * size) if cell.tile else cell
        focus.follow(in_tiles, meta)

    area = st.container()
    of_tiles, of_enlarged = weights_limits(weights, enlarged)
    parts = draw(limits=(of_tiles, of_enlarged), tokens=at.labels, token=at.token, theme=frame.theme())
    pooled = f" With {seq} tokens, a small tile shows the largest of {size} × {size} weights." if size > 1 else ""
    with area:
        shown = [None if size > 1 and address and address.tiles else address for address in cells]
        picture(parts, key="full_stack_tiles_picture", cells=shown, looked=looked, on_click=clicked)
        st.caption(
            f"Click a tile to enlarge it. The largest weight of all is {weights.max():.2g}, of the enlarged tile "
            f"{enlarged.max():.2g}.{pooled}"
        )
