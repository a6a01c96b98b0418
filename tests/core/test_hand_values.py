"""Numbers that are computed by hand."""

import math
from functools import partial

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig
from encoder_core.blocks import ACTIVATIONS, LayerNorm, embed, lookup, scale_and_mask, softmax
from encoder_core.blocks.capacity import Dims, head_feature_mask
from encoder_core.inputs.positions import sinusoid_angles, sinusoids
from tests.core.reference import sinusoid

jitted_softmax = jax.jit(softmax)


def test_softmax_of_zero_and_one_is_one_and_e_over_their_sum():
    rows = jitted_softmax(np.array([[0.0, 1.0], [1.0, 0.0]]))
    e = math.e
    np.testing.assert_allclose(rows, [[1 / (1 + e), e / (1 + e)], [e / (1 + e), 1 / (1 + e)]], rtol=1e-6)


def test_softmax_stays_finite_where_exp_overflows():
    rows = jitted_softmax(np.array([[1000.0, 1001.0], [-1001.0, -1000.0]]))
    e = math.e
    np.testing.assert_allclose(rows, [[1 / (1 + e), e / (1 + e)]] * 2, rtol=1e-6)


def test_softmax_of_masked_keys_and_rows_is_zero():
    rows = jitted_softmax(np.array([[0.0, -np.inf, 0.0], [-np.inf] * 3, [5.0, -np.inf, -np.inf]]))
    np.testing.assert_array_equal(rows, [[0.5, 0, 0.5], [0, 0, 0], [1, 0, 0]])


def test_scale_and_mask():
    dots = np.array([[[2.0, 4.0], [6.0, 8.0]]])
    mask = np.array([[[True, False], [True, True]]])
    np.testing.assert_array_equal(jax.jit(scale_and_mask)(dots, 0.5, mask), [[[1, -np.inf], [3, 4]]])


@partial(jax.jit, static_argnames="d_model")
def normalised(rows, d_model: int, eps: float):
    """The rows after a new `LayerNorm`, of which the first `d_model` features are active."""
    return LayerNorm(rows.shape[-1])(rows, Dims(d_model=d_model, d_head=1, num_layers=1), eps)


def test_layer_norm_of_one_to_four():
    """Mean 2.5, variance 5/4: (1 - 2.5) / sqrt(5/4) = -3 / sqrt(5), and so on."""
    rows = np.array([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [7.0, 7.0, 7.0, 7.0]])
    normed = normalised(rows, d_model=4, eps=1e-12)
    one_row = np.array([-3, -1, 1, 3]) / math.sqrt(5)
    np.testing.assert_allclose(normed, [one_row, one_row, [0, 0, 0, 0]], rtol=1e-6)


def test_layer_norm_adds_eps_to_the_variance():
    """The variance 1 plus eps 3 is 4, and its root 2."""
    normed = normalised(np.array([[4.0, 6.0]]), d_model=2, eps=3.0)
    np.testing.assert_allclose(normed, [[-0.5, 0.5]], rtol=1e-6)


def test_layer_norm_uses_active_features_only():
    rows = np.array([[1.0, 2.0, 3.0, 4.0, 0.0, 0.0]])
    normed = np.asarray(normalised(rows, d_model=4, eps=1e-12))
    np.testing.assert_allclose(normed[:, :4], [np.array([-3, -1, 1, 3]) / math.sqrt(5)], rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "at_minus_one", "at_one", "at_two"),
    [
        ("relu", 0.0, 1.0, 2.0),
        ("gelu", -0.15865525, 0.84134475, 1.95449974),  # x times the standard normal distribution function
        ("gelu_tanh", -0.15880801, 0.84119199, 1.95459769),
    ],
)
def test_activations(name: str, at_minus_one: float, at_one: float, at_two: float):
    values = jax.jit(ACTIVATIONS[name])(np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_allclose(values, [at_minus_one, 0.0, at_one, at_two], rtol=1e-5)


def test_sinusoids_of_width_four():
    """Angles are pos and pos / 100."""
    s, c = math.sin, math.cos
    interleaved = [[s(p), c(p), s(p / 100), c(p / 100)] for p in range(4)]
    concatenated = [[s(p), s(p / 100), c(p), c(p / 100)] for p in range(4)]
    np.testing.assert_allclose(sinusoids(4, 4), interleaved, rtol=1e-6)
    np.testing.assert_allclose(sinusoids(4, 4, "concatenated"), concatenated, rtol=1e-6)
    np.testing.assert_allclose(sinusoid_angles(4, 4), [[p, p / 100] for p in range(4)], rtol=1e-12)


@given(st.integers(1, 64), st.integers(1, 256), st.sampled_from(["interleaved", "concatenated"]), st.data())
def test_every_sinusoid_agrees_with_the_paper(seq, d_model, layout, data):
    encoding = sinusoids(seq, d_model, layout)
    position, dimension = data.draw(st.integers(0, seq - 1)), data.draw(st.integers(0, d_model - 1))
    assert encoding.shape == (seq, d_model)
    assert encoding[position, dimension] == pytest.approx(sinusoid(position, dimension, d_model, layout), abs=1e-6)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.integers(1, 64).map(lambda half: 2 * half))
def test_the_dot_product_of_two_positions_depends_on_their_distance_only(first, distance, shift, d_model):
    rows = sinusoids(64, d_model).astype(np.float64)
    dot, shifted_dot = rows[first] @ rows[first + distance], rows[first + shift] @ rows[first + shift + distance]
    assert dot == pytest.approx(shifted_dot, abs=1e-5 * d_model)


def test_lookup_is_a_one_hot_product():
    table = np.arange(30, dtype=np.float32).reshape(10, 3)
    ids = np.array([[2, 0, 9], [2, 2, 5]], np.int32)
    one_hot = np.eye(10, dtype=np.float32)[ids]
    np.testing.assert_array_equal(lookup(table, ids), one_hot @ table)
    np.testing.assert_array_equal(lookup(table, ids)[0], [[6, 7, 8], [0, 1, 2], [27, 28, 29]])


def test_embed_scales_then_adds():
    scaled, embedded = embed(np.array([[1.0, 2.0]]), 3.0, np.array([[10.0, 20.0]]))
    np.testing.assert_array_equal(scaled, [[3, 6]])
    np.testing.assert_array_equal(embedded, [[13, 26]])


@pytest.mark.parametrize(("name", "factor"), [("none", 1), ("sqrt_d", 3), ("inv_sqrt_d", 1 / 3)])
def test_embedding_scales(name, factor):
    config = EncoderConfig(d_model=9, num_heads=3, embedding_scale=name, positions="none")
    trace = Encoder.random(config).trace(np.array([[4, 1]]))
    np.testing.assert_allclose(trace.scaled_embedding, factor * trace.token_embedding, rtol=1e-6)


def test_the_features_of_a_head_are_adjacent():
    head_features = jax.jit(lambda: head_feature_mask(Dims(d_model=4, d_head=2, num_layers=1), 2, 4))()
    np.testing.assert_array_equal(head_features, [[1, 1, 0, 0], [0, 0, 1, 1]])


def attention_only(d_model: int, num_heads: int, **parameters: np.ndarray) -> Encoder:
    """One post-norm layer without positions and biases. Projections are identities unless `parameters` has them."""
    config = EncoderConfig(
        vocab_size=5, d_model=d_model, num_heads=num_heads, d_ff=1, num_layers=1, positions="none", use_bias=False
    )
    kernels = {f"layers.0.attention.{name}.kernel": np.eye(d_model) for name in ("query", "key", "value", "out")}
    other = {
        "layers.0.mlp.up.kernel": np.zeros((d_model, 1)),
        "layers.0.mlp.down.kernel": np.zeros((1, d_model)),
    }
    norms = {
        f"layers.0.norm{i}.{name}": np.full(d_model, name == "scale") for i in (1, 2) for name in ("scale", "bias")
    }
    return Encoder.from_parameters(config, kernels | other | norms | parameters)


def test_worked_example_with_identity_projections():
    """Embeddings 0.1 to 2.0, tokens 1, 2, 3; the query is token 2: [0.9, 1.0, 1.1, 1.2].

    Its first score is (0.45 + 0.60 + 0.77 + 0.96) / 2 = 1.39.
    """
    table = np.arange(1, 21).reshape(5, 4) / 10
    layer = attention_only(4, 1, token_embedding=table).trace(np.array([[1, 2, 3]])).layers[0]
    np.testing.assert_allclose(layer.q[0, 0, 1], [0.9, 1.0, 1.1, 1.2], rtol=1e-6)
    np.testing.assert_allclose(layer.dot_products[0, 0, 1], [2.78, 4.46, 6.14], rtol=1e-6)
    np.testing.assert_allclose(layer.scores[0, 0, 1], [1.39, 2.23, 3.07], rtol=1e-6)
    np.testing.assert_allclose(layer.pattern[0, 0, 1], [0.11518, 0.26680, 0.61801], atol=5e-6)
    np.testing.assert_allclose(layer.z[0, 0, 1], [1.10113, 1.20113, 1.30113, 1.40113], atol=5e-6)
    np.testing.assert_allclose(layer.attn_out, layer.z[:, 0], rtol=1e-6)
    np.testing.assert_allclose(layer.resid_mid[0, 1], [2.00113, 2.20113, 2.40113, 2.60113], atol=1e-5)


def test_two_heads_of_width_one():
    """Tokens [1, 0] and [0, 1]: the queries and keys of each head are one feature, 0 or 1.

    Head 0, query 0: scores [1, 0], weights [e, 1] / (1 + e), output e / (1 + e). Query 1: scores [0, 0], output 1/2.
    """
    table = np.array([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]])
    layer = attention_only(2, 2, token_embedding=table).trace(np.array([[0, 1]])).layers[0]
    sharp = [math.e / (1 + math.e), 1 / (1 + math.e)]
    np.testing.assert_allclose(layer.pattern[0], [[sharp, [0.5, 0.5]], [[0.5, 0.5], sharp[::-1]]], rtol=1e-6)
    np.testing.assert_allclose(layer.concat[0], [[sharp[0], 0.5], [0.5, sharp[0]]], rtol=1e-6)


def test_head_contributions_by_hand():
    """z is 2 in head 0 and 3 in head 1. The first row of W_O belongs to head 0, the second to head 1."""
    out = np.array([[10.0, 0.0], [0.0, 100.0]])
    table = np.array([[2, 3], [0, 0], [0, 0], [0, 0], [0, 0]])
    encoder = attention_only(2, 2, token_embedding=table, **{"layers.0.attention.out.kernel": out})
    layer = encoder.trace(np.array([[0]])).layers[0]
    np.testing.assert_allclose(layer.head_contributions[0, :, 0], [[20, 0], [0, 300]], rtol=1e-6)
    np.testing.assert_allclose(layer.attn_out[0, 0], [20, 300], rtol=1e-6)
