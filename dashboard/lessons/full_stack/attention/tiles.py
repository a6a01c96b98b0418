"""Two views of the attention weights as tiles: all heads, and their averages; a click enlarges a tile."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.attention.attention_questions import average_question, switched_off_question
from dashboard.lessons.full_stack.view import Depths, stack_code
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, resolve_focus
from dashboard.selection.inspected_cell import Inspection, inspect_cell
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import stack_patterns, visible_keys
from encoder_core.figures import Line
from encoder_core.scenes.attention import stack_attention as scenes
from encoder_core.scenes.focus import head_slice, layer_slice
from encoder_core.support.number_format import format_fixed, latex_range, latex_with_shape
from encoder_core.support.wording import head_name


def render_all_heads(current: Model, at: Focus, _: None) -> Depths:
    """The pattern of every head of every layer, one of them enlarged."""
    question = switched_off_question(current, at)
    ask_first(question, "All heads")
    patterns = stack_patterns(current.trace, at.sentence)
    draw = partial(scenes.every_head, patterns, visible_keys(current.trace, at.sentence), at)
    weights = patterns[at.layer, at.head]
    key_token = resolve_focus(current).key_token  # without a picker in this view: the one of the other pages
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, key_token))
    _render_tiles(at, patterns, weights, draw, inspection)
    num_layers, num_heads, seq, _ = patterns.shape
    return Depths(
        {head_name(at.layer, at.head): NumberTable(patterns[at.layer, at.head], at.labels, at.labels)},
        rf"\begin{{aligned}} \underbrace{{A^{{(l,h)}}}}_{{{seq}\times{seq}}} &= \text{{softmax}}("
        rf"{latex_with_shape('S^{(l,h)}', (seq, seq))}) \\"
        rf"l &= {latex_range(1, num_layers)}, \quad h = {latex_range(1, num_heads)} \end{{aligned}}",
        [stack_code(current)],
        question,
        inspection,
    )


def render_head_averages(current: Model, at: Focus, _: None) -> Depths:
    """The mean pattern of the heads of each layer."""
    question = average_question(current, at)
    ask_first(question, "Head average")
    averages = stack_patterns(current.trace, at.sentence).mean(axis=1)
    draw = partial(scenes.head_averages, averages, np.any(visible_keys(current.trace, at.sentence), axis=1), at)
    key_token = resolve_focus(current).key_token  # without a picker in this view, too
    inspection = inspect_cell(current, at, layer_slice("mean_pattern", at).cell(at.token, key_token))
    _render_tiles(at, averages, averages[at.layer], draw, inspection)
    seq, num_heads = len(at.labels), current.config.num_heads
    return Depths(
        {f"layer {at.layer + 1}, average": NumberTable(averages[at.layer], at.labels, at.labels)},
        rf"\underbrace{{\bar A^{{(l)}}}}_{{{seq}\times{seq}}} = \frac{{1}}{{{num_heads}}} \sum_{{h=1}}^{{{num_heads}}}"
        rf" {latex_with_shape('A^{(l,h)}', (seq, seq))}",
        [blocks.softmax, stack_code(current)],
        question,
        inspection,
    )


def _render_tiles(
    at: Focus,
    weights: Float[np.ndarray, "*tile query key"],
    enlarged: Float[np.ndarray, "query key"],
    draw: Callable[..., Line],
    inspection: Inspection,
) -> None:
    """Render the tiles, with the choice of colours below. With many tokens, a block of cells is drawn as one."""
    size, seq = scenes.bin_size(weights.size), len(at.labels)
    parts = draw(limit=weights_limit(weights), theme=current_theme())
    block = f" With {seq} tokens, a cell of a small tile shows the largest of {size} × {size} weights."
    render_plot(parts, key="full_stack_tiles_plot", inspection=inspection)
    st.caption(
        f"Click a tile to enlarge it. The largest weight is {format_fixed(weights.max(), 2)} over all tiles and "
        f"{format_fixed(enlarged.max(), 2)} in the enlarged one.{block if size > 1 else ''}"
    )
    render_weights_toggle()
