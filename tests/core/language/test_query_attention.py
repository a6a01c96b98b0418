"""The attention weights of one query in all heads, and the heads with the largest weights."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis.language import attention_from, strongest_heads
from tests.core.language.traces import trace_with

WEIGHTS = np.array([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]], [[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]]], np.float32)


def test_the_row_of_a_query_in_every_head():
    patterns = np.zeros((2, 2, 2, 3, 3))  # layer, sentence, head, query, key
    patterns[:, 1, :, 2] = WEIGHTS
    trace = trace_with([["a", "b", "c"]] * 2, patterns)
    np.testing.assert_array_equal(attention_from(trace, 2, 1), WEIGHTS)
    assert not attention_from(trace, 2, 0).any()


def test_the_strongest_heads_of_a_key_by_hand():
    assert [head[:3] for head in strongest_heads(WEIGHTS, 1, count=3)] == [(0, 1, 1), (0, 0, 1), (1, 1, 1)]
    assert strongest_heads(WEIGHTS, 1, count=1)[0].weight == pytest.approx(0.8)


def test_each_head_occurs_once_among_the_strongest_heads():
    heads = strongest_heads(WEIGHTS, count=9)
    assert [head[:3] for head in heads] == [(1, 0, 0), (0, 1, 1), (1, 1, 2), (0, 0, 0)]
    np.testing.assert_allclose([head.weight for head in heads], [0.9, 0.8, 0.6, 0.5])


def test_excluded_keys():
    heads = strongest_heads(WEIGHTS, excluded=[0, 1])
    assert [head[:3] for head in heads] == [(1, 1, 2), (0, 0, 2), (0, 1, 2)]
    assert strongest_heads(WEIGHTS, excluded=[0, 1, 2]) == []


@pytest.mark.parametrize(("query", "sentence"), [(2, 0), (-1, 0), (0, 1)])
def test_an_invalid_query_or_sentence(query, sentence):
    trace = Encoder.random(EncoderConfig()).trace("one word")
    with pytest.raises(ValueError, match="is invalid: allowed are 0 to"):
        attention_from(trace, query, sentence)


def test_the_rows_of_a_trace():
    trace = Encoder.random(EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=3)).trace(["a b c", "a"], "padding")
    rows = attention_from(trace, 1)
    assert rows.shape == (3, 2, 3)
    np.testing.assert_allclose(rows.sum(axis=-1), 1, atol=1e-6)
    np.testing.assert_array_equal(rows[2, 1], trace.layers[2].pattern[0, 1, 1])
