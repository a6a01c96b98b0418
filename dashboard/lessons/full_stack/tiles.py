"""Two views of the attention weights as tiles: all heads, and their average; a click enlarges a tile."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.full_stack.view import Depths, stack_code, which_head, which_token
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.selection.weights_scale import weights_limits
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import patterns_of, visible_keys
from encoder_core.figures import Line
from encoder_core.scenes import full_stack as scenes
from encoder_core.scenes.position import head_slice


def all_heads(current: Model, at: Focus, _: None) -> Depths:
    """The pattern of every head of every layer, and one of them enlarged."""
    patterns = patterns_of(current.trace, at.sentence)
    draw = partial(scenes.every_head, patterns, visible_keys(current.trace, at.sentence), at)
    weights = patterns[at.layer, at.head]
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, int(weights[at.token].argmax())))
    _tiles(at, patterns, weights, draw, inspection)
    num_layers, num_heads, seq, _ = patterns.shape
    return Depths(
        {f"layer {at.layer + 1}, head {at.head + 1}": Table(patterns[at.layer, at.head], at.labels, at.labels)},
        rf"\begin{{aligned}} \underbrace{{A^{{(l,h)}}}}_{{{seq}\times{seq}}} &= \text{{softmax}}(S^{{(l,h)}}) \\"
        rf"l &= 1 \dots {num_layers}, \quad h = 1 \dots {num_heads} \end{{aligned}}",
        [stack_code(current)],
        which_head(
            f"for the query “{plain(at.labels[at.token])}”, which of these heads gives a key the largest weight?",
            patterns[:, :, at.token].max(axis=-1),
            "Its largest weight is {}.",
        ),
        inspection,
    )


def head_average(current: Model, at: Focus, _: None) -> Depths:
    """The mean over the heads, layer by layer."""
    averages = patterns_of(current.trace, at.sentence).mean(axis=1)
    draw = partial(scenes.head_averages, averages, np.any(visible_keys(current.trace, at.sentence), axis=1), at)
    _tiles(at, averages, averages[at.layer], draw)
    seq, num_heads = len(at.labels), current.config.num_heads
    return Depths(
        {f"layer {at.layer + 1}, average": Table(averages[at.layer], at.labels, at.labels)},
        rf"\underbrace{{\bar A^{{(l)}}}}_{{{seq}\times{seq}}} = \frac{{1}}{{{num_heads}}} \sum_{{h=1}}^{{{num_heads}}}"
        r" A^{(l,h)}",
        [blocks.softmax, stack_code(current)],
        which_token(
            at,
            f"over all layers and heads, which of these keys does “{plain(at.labels[at.token])}” attend to most?",
            averages[:, at.token].mean(axis=0),
            "Its share is {} on average.",
        ),
    )


def _tiles(
    at: Focus,
    weights: Float[np.ndarray, "*tile query key"],
    enlarged: Float[np.ndarray, "query key"],
    draw: Callable[..., Line],
    inspection: Inspection | None = None,
) -> None:
    """The picture, with the choice of its colours below it. With many tokens, a block of cells becomes one."""
    size, seq = scenes.cells_in_one(weights.size), len(at.labels)
    area = st.container()
    of_tiles, of_enlarged = weights_limits(weights, enlarged)
    parts = draw(limits=(of_tiles, of_enlarged), tokens=at.labels, theme=current_theme())
    pooled = f" With {seq} tokens, a small tile shows the largest of {size} × {size} weights." if size > 1 else ""
    with area:
        plot(parts, key="full_stack_tiles_plot", inspection=inspection)
        st.caption(
            f"Click a tile to enlarge it. The largest weight of all is {weights.max():.2g}, of the enlarged tile "
            f"{enlarged.max():.2g}.{pooled}"
        )
