"""The options that a tutorial "as written" needs, each by itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, Run
from encoder_core.explain import recompute
from encoder_core.inputs.positions import sinusoids
from tests.core.reference import random_parameters, relative_difference
from tests.core.test_identities import activation, linear

IDS = np.random.default_rng(0).integers(0, 128, (2, 9))


def encoder_of(**choices) -> Encoder:
    config = EncoderConfig(d_model=24, num_heads=3, num_layers=3, d_ff=40, **choices)
    return Encoder.from_parameters(config, random_parameters(config, np.random.default_rng(1)))


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_activation_after_the_second_linear_layer(name, norm):
    """Once, after the second linear layer; nothing happens between the two (dropout does nothing here)."""
    encoder = encoder_of(activation=name, activation_after="second_linear", norm=norm)
    trace = encoder.trace(IDS)
    for index, layer in enumerate(trace.layers):
        pre = linear(encoder, f"layers.{index}.mlp.up", layer.mlp_in)
        out = activation(name, linear(encoder, f"layers.{index}.mlp.down", pre))
        assert relative_difference(layer.mlp_pre, pre) < 2e-6
        np.testing.assert_array_equal(layer.mlp_act, layer.mlp_pre)
        assert relative_difference(layer.mlp_out, out) < 5e-6
        run = Run(trace, encoder.config, encoder.parameters())
        assert recompute.feed_forward(run, index) < 1e-5
        assert recompute.encoder_layer(run, index, 1) < 1e-5
    once = replace(encoder.config, activation_after="first_linear")
    assert recompute.feed_forward(Run(trace, once, encoder.parameters()), 0) > 0.01


@pytest.mark.parametrize(
    ("after", "act", "out"), [("second_linear", -1, -0.04550), ("first_linear", -0.15866, -0.31731)]
)
def test_gelu_of_minus_one_by_hand(after, act, out):
    """One neuron that reads -1 and hands it on with weight 1, no biases: GELU(-1) = -1 x 0.15866, in one place or the
    other. With weight 2 the two orders differ: GELU(-2) = -2 x 0.02275, but 2 GELU(-1) = -0.31731."""
    config = EncoderConfig(
        vocab_size=1, d_model=2, num_heads=1, d_ff=1, num_layers=1, positions="none", use_bias=False,
        activation="gelu", activation_after=after,
    )  # fmt: skip
    parameters = dict(Encoder.random(config).parameters())
    parameters["layers.0.mlp.up.kernel"] = np.array([[-0.5], [0.5]])
    parameters["layers.0.mlp.down.kernel"] = np.array([[1.0, 2.0]])
    parameters["token_embedding"] = np.array([[5.0, 0.0]])
    parameters["layers.0.attention.out.kernel"] = np.zeros((2, 2))
    layer = Encoder.from_parameters(config, parameters).trace(np.array([[0]])).layers[0]
    np.testing.assert_allclose(layer.mlp_pre, -1, rtol=1e-5)  # the norm of [5, 0] is [1, -1]
    np.testing.assert_allclose(layer.mlp_act, act, rtol=1e-4)
    np.testing.assert_allclose(layer.mlp_out[0, 0], [-0.15866, out], rtol=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_read_out_of_the_input_shows_each_block_as_if_it_were_the_first(norm):
    choices = {"norm": norm, "final_norm": norm == "pre", "output_head": True}
    stack, apart = (
        encoder_of(**choices).trace(IDS, "causal"),
        encoder_of(**choices, attention_read_out="input").trace(IDS, "causal"),
    )
    np.testing.assert_array_equal(stack.output, apart.output)
    np.testing.assert_array_equal(stack.logits, apart.logits)
    for ours, theirs in zip(stack.layers[0], apart.layers[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    encoder = encoder_of(**choices)
    for index in (1, 2):
        layer = apart.layers[index]
        np.testing.assert_array_equal(layer.resid_pre, apart.embedded)
        assert np.abs(layer.pattern - stack.layers[index].pattern).max() > 0.01
        only = {
            name.replace(f"layers.{index}.", "layers.0."): array
            for name, array in encoder.parameters().items()
            if name.startswith(f"layers.{index}.") or not name.startswith("layers.")
        }
        alone = EncoderConfig(d_model=24, num_heads=3, num_layers=1, d_ff=40, **choices)
        first = Encoder.from_parameters(alone, only).trace(IDS, "causal").layers[0]
        for ours, theirs in zip(layer, first, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("d_model", [1, 2, 7, 20])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
def test_a_frequency_for_each_dimension(d_model, layout):
    encoding = sinusoids(5, d_model, layout, "dimensions")
    order = range(d_model) if layout == "interleaved" else [*range(0, d_model, 2), *range(1, d_model, 2)]
    for column, dimension in enumerate(order):
        function = math.cos if dimension % 2 else math.sin
        expected = [function(position / 10_000 ** (2 * dimension / d_model)) for position in range(5)]
        np.testing.assert_allclose(encoding[:, column], expected, atol=1e-6)


def test_without_biases_on_queries_keys_and_values():
    encoder = encoder_of(qkv_bias=False)
    names = [name for name in encoder.parameters() if name.startswith("layers.0.attention") and name.endswith("bias")]
    assert names == ["layers.0.attention.out.bias"]
    layer = encoder.trace(IDS).layers[0]
    q = layer.attn_in.astype(float) @ encoder.parameters()["layers.0.attention.query.kernel"]
    np.testing.assert_allclose(layer.q.swapaxes(1, 2).reshape(2, 9, 24), q, rtol=1e-4, atol=1e-5)
    assert encoder.num_parameters == encoder_of().num_parameters - 3 * 3 * 24
    none = encoder_of(use_bias=False)
    assert encoder_of(use_bias=False, qkv_bias=False).parameters().keys() == none.parameters().keys()
