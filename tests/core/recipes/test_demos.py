"""The smaller examples of the tutorials, with numbers that can be checked by hand."""

import numpy as np
import pytest

from encoder_core import RECIPES, Encoder
from encoder_core.analysis import one_hot

NANOLM, NNX = RECIPES["nanolm"].demos, RECIPES["nnx"].demos


def traced(demo, seed=0):
    batch = demo.inputs(seed)
    return Encoder.from_parameters(demo.config, demo.parameters(seed)).trace(batch.inputs, batch.mask)


def test_the_worked_example_of_nanolm():
    """Query token 2 is [0.9, 1.0, 1.1, 1.2]; its scores are (0.45 + 0.60 + 0.77 + 0.96) / 2 = 1.39, and so on."""
    demo = NANOLM["worked example"]
    np.testing.assert_allclose(demo.table, np.arange(1, 21).reshape(5, 4) / 10)
    trace = traced(demo)
    assert trace.ids.tolist() == [[1, 2, 3]]
    layer = trace.layers[0]
    np.testing.assert_allclose(layer.q[0, 0, 1], [0.9, 1.0, 1.1, 1.2], rtol=1e-6)
    np.testing.assert_allclose(layer.scores[0, 0, 1], [1.39, 2.23, 3.07], rtol=1e-6)
    np.testing.assert_allclose(layer.pattern[0, 0, 1], [0.11518, 0.26680, 0.61801], atol=5e-6)
    np.testing.assert_allclose(layer.z[0, 0, 1], [1.10113, 1.20113, 1.30113, 1.40113], atol=5e-6)
    np.testing.assert_allclose(layer.attn_out, layer.z[:, 0], rtol=1e-6)


def test_the_one_hot_demo_of_nanolm():
    demo = NANOLM["one-hot"]
    table = demo.parameters()["token_embedding"]
    assert table.shape == (10, 3)
    trace = traced(demo)
    vector = one_hot(trace.ids, 10)[0, 0]
    assert vector.tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(vector @ table, table[2])
    np.testing.assert_array_equal(trace.token_embedding[0, 0], table[2])


def test_the_attention_demo_of_nnx():
    layer = traced(NNX["attention"]).layers[0]
    rows = layer.resid_pre[0]
    assert rows.shape == (5, 4)
    for array in (layer.q, layer.k, layer.v):
        np.testing.assert_allclose(array[0, 0], rows, rtol=1e-6)
    scores = np.where(np.tri(5, dtype=bool), rows @ rows.T / 2, -np.inf).astype(float)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(layer.pattern[0, 0], weights, rtol=1e-5)
    np.testing.assert_allclose(layer.z[0, 0], weights @ rows, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("name", "d_ff"), [("multi-head", None), ("block", 64)])
def test_the_larger_demos_of_nnx(name, d_ff):
    demo = NNX[name]
    trace = traced(demo, seed=1)
    assert trace.layers[0].pattern.shape == (2, 4, 10, 10)
    assert trace.output.shape == (2, 10, 16)
    assert (trace.mask == np.tri(10, dtype=bool)).all()
    if d_ff:
        assert demo.config.d_ff == d_ff
        assert demo.config.dropout == 0.1


def test_demos_are_named_and_described():
    assert list(NNX) == ["attention", "multi-head", "block"]
    assert list(NANOLM) == ["worked example", "one-hot"]
    for recipe in RECIPES.values():
        for name, demo in recipe.demos.items():
            assert demo.name == name
            assert demo.title
            assert demo.description
            assert demo.inputs().description
