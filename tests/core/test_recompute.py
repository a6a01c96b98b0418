"""The badge finds what is equal equal, and what was changed different."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, Temperature, recompute


def test_embedding_is_recomputed_as_a_one_hot_product_and_its_scale():
    config = EncoderConfig(d_model=9, num_heads=3, embedding_scale="sqrt_d")
    encoder = Encoder.random(config)
    ids = np.array([[4, 1, 4]])
    trace, table, hot = encoder.trace(ids), encoder.parameters()["token_embedding"], np.eye(config.vocab_size)[ids]
    assert recompute.embedding(trace, hot, table, 3.0) < 1e-6
    assert recompute.embedding(trace, hot, table, 6.0) == pytest.approx(0.5)  # shown is half of what that scale gives
    assert recompute.embedding(trace, hot[:, ::-1][:, [0, 0, 0]], table, 3.0) > 0.1


def test_positions_are_recomputed_as_the_sum():
    trace = Encoder.random(EncoderConfig(d_model=8, num_heads=2)).trace(np.array([[1, 2, 3]]))
    assert recompute.positions(trace) < 1e-6
    assert recompute.positions(trace._replace(position_encoding=np.zeros_like(trace.position_encoding))) > 0.1


@pytest.mark.parametrize("use_bias", [True, False])
def test_projections_are_recomputed_from_x_and_the_kernels(use_bias):
    config = EncoderConfig(d_model=12, num_heads=3, num_layers=2, norm="pre", use_bias=use_bias)
    encoder = Encoder.random(config)
    parameters, layer = encoder.parameters(), encoder.trace(np.array([[1, 2, 3, 4]])).layers[1]
    names = [f"layers.1.attention.{name}" for name in ("query", "key", "value")]
    kernels = [parameters[f"{name}.kernel"] for name in names]
    biases = [parameters[f"{name}.bias"] for name in names] if use_bias else []
    assert recompute.projections(layer, kernels, biases) < 1e-5
    assert recompute.projections(layer, [2 * kernel for kernel in kernels], biases) > 0.1
    if use_bias:
        assert recompute.projections(layer, kernels) > 1e-4


def attention_of(**choices):
    """An encoder of three heads, its bias of W_O in layer 1, and that layer's trace under a causal mask."""
    encoder = Encoder.random(EncoderConfig(d_model=12, num_heads=3, num_layers=2, **choices))
    layer = encoder.trace(np.array([[1, 2, 3, 4]]), "causal").layers[1]
    return encoder, encoder.parameters().get("layers.1.attention.out.bias"), layer


def test_softmax_is_recomputed_at_its_temperature():
    encoder, _, layer = attention_of()
    assert recompute.softmax(layer) < 1e-6
    assert recompute.softmax(layer, 0.2) > 0.01
    sharper = encoder.trace(np.array([[1, 2, 3, 4]]), "causal", [Temperature(0.2)]).layers[1]
    assert recompute.softmax(sharper, 0.2) < 1e-6


def test_weighted_values_are_recomputed_from_the_pattern_and_the_values():
    _, _, layer = attention_of()
    assert recompute.weighted_values(layer) < 1e-6
    assert recompute.weighted_values(layer._replace(v=2 * layer.v)) == pytest.approx(0.5)


@pytest.mark.parametrize("use_bias", [True, False])
def test_multi_head_is_recomputed_as_the_sum_of_the_heads(use_bias):
    _, bias, layer = attention_of(use_bias=use_bias)
    assert recompute.multi_head(layer, bias) < 1e-5
    assert recompute.multi_head(layer._replace(concat=layer.concat[..., ::-1]), bias) > 0.1
    if use_bias:
        assert recompute.multi_head(layer) > 1e-3
