"""The examples worked by hand: the tutorial's own numbers, and the encoder's."""

import numpy as np
import pytest

from encoder_core import RECIPES, Encoder
from encoder_core.recipes.by_hand import worked_attention, worked_lookup

ROWS = [[0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2], [1.3, 1.4, 1.5, 1.6]]


def test_the_tutorials_numbers():
    worked = worked_attention(ROWS[1], ROWS)
    assert worked.products[0] == pytest.approx([0.45, 0.6, 0.77, 0.96])
    assert worked.dot_products == pytest.approx([2.78, 4.46, 6.14])
    assert worked.scores == pytest.approx([1.39, 2.23, 3.07])
    assert worked.weights == pytest.approx([0.11518, 0.26680, 0.61801], abs=5e-6)
    assert worked.weighted[2] == pytest.approx(np.multiply(ROWS[2], worked.weights[2]))
    assert worked.output == pytest.approx([1.10113, 1.20113, 1.30113, 1.40113], abs=5e-6)


@pytest.mark.parametrize("query", [0, 1, 2])
def test_the_encoder_gives_the_same(query):
    demo = RECIPES["nanolm"].demos["worked example"]
    layer = Encoder.from_parameters(demo.config, demo.parameters()).trace(*demo.inputs()[:2]).layers[0]
    worked = worked_attention(ROWS[query], ROWS)
    np.testing.assert_allclose(layer.scores[0, 0, query], worked.scores, rtol=1e-6)
    np.testing.assert_allclose(layer.pattern[0, 0, query], worked.weights, rtol=1e-6)
    np.testing.assert_allclose(layer.attn_out[0, query], worked.output, rtol=1e-6)


def test_large_scores_stay_finite():
    worked = worked_attention([100.0] * 4, [[100.0] * 4, [-100.0] * 4])
    assert worked.weights == [1.0, 0.0]
    assert worked.output == [100.0] * 4


def test_a_one_hot_vector_picks_a_row():
    table = [[1.0, -2.0], [3.0, 4.5], [0.0, 7.0]]
    products, sums = worked_lookup(1, table)
    assert products == [[0.0, 3.0, 0.0], [0.0, 4.5, 0.0]]
    assert sums == table[1]
