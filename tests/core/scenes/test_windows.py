"""Windows and bins of scenes whose matrices are too wide to draw every column."""

import numpy as np
import pytest

from encoder_core.figures import Product, Window
from encoder_core.scenes import residual_stream
from encoder_core.scenes.attention import multi_head
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.inputs import embedding


def test_the_lookup_is_a_product_only_without_bins():
    at = Focus(labels=("a", "b"))
    table, ids = np.eye(3, 8, dtype=np.float32), np.array([2, 0])
    for columns, product in ((None, Product(0, 1)), (Window(2, 6), Product(0, 1)), (Window(0, 8, 2), None)):
        parts = embedding.lookup(ids, table[ids], table, at, vocabulary=["x", "y", "z"], columns=columns)
        assert parts[4].product == product


@pytest.mark.parametrize(
    ("d_head", "heads", "size"), [(64, 4, 1), (16, 16, 1), (32, 12, 4), (64, 12, 8), (26, 12, 4), (300, 1, 4)]
)
def test_q_of_all_heads_has_bins_only_where_it_is_too_wide(d_head, heads, size):
    columns = multi_head.split_window(d_head, heads)
    assert (columns.places, columns.size) == (slice(0, d_head), size)
    assert len(columns) * heads <= (256 if size == 1 else 96)


@pytest.mark.parametrize(
    ("columns", "stages", "size", "cells"),
    [
        (Window(0, 64), 5, 1, 64),
        (Window(0, 64), 6, 1, 64),
        (Window(64, 128), 7, 2, 32),  # 34 cells for each stage
        (Window(0, 384, 6), 7, 12, 32),
        (Window(0, 64), 14, 4, 16),
        (Window(0, 4), 14, 1, 4),
    ],
)
def test_stages_side_by_side_have_bins_where_they_are_too_wide(columns, stages, size, cells):
    window = residual_stream.stage_window(columns, stages)
    assert (window.places, window.size, len(window)) == (columns.places, size, cells)


@pytest.mark.parametrize(
    ("columns", "d_model", "heads", "seq", "size"),
    [
        (Window(0, 64), 64, 4, 18, 1),
        (Window(0, 256), 256, 16, 64, 5),  # the limit is 60,000 of 262,144 cells
        (Window(64, 128), 384, 12, 20, 4),  # 21 cells for each head
        (Window(0, 384, 6), 384, 12, 20, 19),
    ],
)
def test_contributions_have_as_many_cells_as_fit(columns, d_model, heads, seq, size):
    window = multi_head.contribution_window(columns, d_model, heads, seq)
    assert (window.places, window.size) == (columns.places, size)
