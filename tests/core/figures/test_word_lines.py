"""Attention as lines: which weights are drawn, in which order, and that the lines of all heads can be told apart."""

import numpy as np
import pytest

from encoder_core.figures import line_styles, theme_named, word_lines
from encoder_core.figures.word_lines import SMALLEST_WEIGHT, WordLine
from tests.contrast import contrast, rgb

MAX_HEADS = 16  # of the sidebar


def test_small_weights_are_not_drawn_and_large_ones_come_last():
    weights = np.array([[0.5, 0.0, 0.019, 0.481], [0.02, 0.9, 0.08, 0.0]], np.float32)
    lines = word_lines(weights)
    assert [line[:2] for line in lines] == [(1, 0), (1, 2), (0, 3), (0, 0), (1, 1)]
    assert lines[-1] == WordLine(1, 1, pytest.approx(0.9))
    assert min(line.weight for line in lines) >= np.float32(SMALLEST_WEIGHT)


def test_masked_query_has_no_lines():
    assert word_lines(np.zeros((2, 3), np.float32)) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_heads_differ_and_are_visible(theme):
    styles = line_styles(MAX_HEADS, theme)
    assert len(set(styles)) == MAX_HEADS
    background = rgb(theme_named(theme).background)
    for colour in {style.colour for style in styles}:
        assert contrast(rgb(colour), background) >= 3
    assert line_styles(1, theme) == [(theme_named(theme).attention, "solid")]
