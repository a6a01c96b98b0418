"""The sublayers in NumPy, with values that are computed by hand."""

import math

import numpy as np
import pytest

from encoder_core import (
    Encoder,
    EncoderConfig,
    HeadFactor,
    HideToken,
    ResidualFactor,
    Run,
    SetScore,
    SetWeight,
    Temperature,
)
from encoder_core.explain import recompute
from encoder_core.explain.sublayers import activate, add_and_norm, attention, feed_forward_steps, layer_norm_steps


def test_layer_norm_of_one_to_four():
    """Mean 2.5, variance 5/4; then times 2, plus 1."""
    x = np.array([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]])
    steps = layer_norm_steps(x, np.full(4, 2.0), np.ones(4), 1e-12)
    np.testing.assert_allclose(steps.mean, [2.5, 25])
    np.testing.assert_allclose(steps.variance, [1.25, 125])
    np.testing.assert_allclose(steps.normalised, [np.array([-3, -1, 1, 3]) / math.sqrt(5)] * 2)
    np.testing.assert_allclose(steps.output, 2 * steps.normalised + 1)


def test_activations_at_zero_one_and_minus_one():
    """GELU(x) = x Phi(x), with Phi(1) = 0.841345 and Phi(-1) = 0.158655."""
    x = np.array([-1.0, 0.0, 1.0])
    np.testing.assert_allclose(activate(x, "relu"), [0, 0, 1])
    np.testing.assert_allclose(activate(x, "gelu"), [-0.158655, 0, 0.841345], atol=1e-6)
    np.testing.assert_allclose(activate(x, "gelu_tanh"), [-0.158808, 0, 0.841192], atol=1e-6)


def test_feed_forward_by_hand():
    """[1, -2] W_up = [1, -2, -1], its ReLU is [1, 0, 0], and the output is the first row of W_down plus the bias."""
    parameters = {
        "layers.0.mlp.up.kernel": np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
        "layers.0.mlp.down.kernel": np.array([[5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]),
        "layers.0.mlp.down.bias": np.array([0.5, 0.0]),
    }
    steps = feed_forward_steps(np.array([[1.0, -2.0]]), parameters, 0, "relu")
    np.testing.assert_allclose(steps.pre, [[1, -2, -1]])
    np.testing.assert_allclose(steps.act, [[1, 0, 0]])
    np.testing.assert_allclose(steps.out, [[5.5, 6]])


def averaging(*edits):
    """One head with equal scores and a causal mask; W_V and W_O are identities."""
    identity, zeros = np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)
    kernels = {"query": zeros, "key": zeros, "value": identity, "out": identity}
    config = EncoderConfig(vocab_size=4, d_model=2, num_heads=1, d_ff=2, num_layers=1, use_bias=False)
    parameters = Encoder.random(config).parameters()
    parameters |= {f"layers.0.attention.{part}.kernel": kernel for part, kernel in kernels.items()}
    encoder = Encoder.from_parameters(config, parameters)
    return encoder.run(np.array([[1, 2]]), "causal", edits)


ROWS = np.array([[2.0, 4.0], [6.0, 8.0]])


def test_attention_with_equal_scores_averages_the_visible_values():
    np.testing.assert_allclose(attention(ROWS, averaging(), 0, 0), [[2, 4], [4, 6]])


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([HeadFactor(0, 0, -0.5)], [[-1, -2], [-2, -3]]),
        ([HideToken(0, 0)], [[0, 0], [6, 8]]),
        ([SetScore(0, 0, 0, 1, 0, math.log(3))], [[2, 4], [3, 5]]),  # weights 3/4 and 1/4
        ([SetScore(0, 0, 0, 1, 0, math.log(9)), Temperature(2.0)], [[2, 4], [3, 5]]),
        ([SetScore(0, 0, 0, 0, 1, math.log(3))], [[5, 7], [4, 6]]),  # an edited masked score: 1/4 and 3/4
        ([SetWeight("W_V", 0, 0, 0, 0, 3.0)], [[6, 4], [12, 6]]),
    ],
)
def test_attention_with_edits(edits, expected):
    np.testing.assert_allclose(attention(ROWS, averaging(*edits), 0, 0), expected)


def test_the_sum_of_a_norm_with_a_residual_factor():
    """-2 times the residual of attention, and 3 times that of the feed-forward network."""
    run = averaging(ResidualFactor(0, "attention", -2.0), ResidualFactor(0, "mlp", 3.0))
    layer = run.trace.layers[0]
    first, second = (add_and_norm(run, 0, name) for name in ("norm1", "norm2"))
    np.testing.assert_allclose(first.total, -2 * layer.resid_pre + layer.attn_out, rtol=1e-6)
    np.testing.assert_allclose(second.total, 3 * layer.mlp_in + layer.mlp_out, rtol=1e-6)
    np.testing.assert_array_equal(second.residual, layer.mlp_in)


CONFIGS = {
    "post": EncoderConfig(d_model=12, num_heads=3, d_ff=16, num_layers=2),
    "pre": EncoderConfig(
        d_model=12, num_heads=3, d_ff=16, num_layers=2, norm="pre", final_norm=True, activation="gelu"
    ),
    "no biases": EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=2, use_bias=False, activation="gelu_tanh"),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_recomputation_agrees_with_the_trace(name):
    config = CONFIGS[name]
    encoder = Encoder.random(config)
    run = encoder.run(["a cat on a sofa", "it slept"], "causal+padding")
    for layer in range(config.num_layers):
        assert recompute.add_and_norm(run, layer) < 1e-5
        assert recompute.feed_forward(run, layer) < 1e-5
        for sentence in range(2):
            assert recompute.encoder_layer(run, layer, sentence) < 1e-5


@pytest.mark.parametrize("name", CONFIGS)
def test_recomputation_disagrees_with_a_wrong_norm(name):
    config = CONFIGS[name]
    encoder = Encoder.random(config)
    wrong = encoder.parameters() | {"layers.1.norm2.bias": np.full(config.d_model, 0.1, np.float32)}
    run = Run(encoder.trace("a cat"), config, wrong)
    assert recompute.add_and_norm(run, 1) > 1e-3
    assert recompute.encoder_layer(run, 1, 0) > 1e-3


@pytest.mark.parametrize("name", ["post", "pre"])
def test_sums_are_sums_and_norms_follow_the_order_of_the_layer(name):
    config = CONFIGS[name]
    encoder = Encoder.random(config)
    run = encoder.run("a cat on a sofa")
    for norm in ("norm1", "norm2"):
        shown = add_and_norm(run, 1, norm)
        np.testing.assert_allclose(shown.total, shown.residual + shown.sublayer, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(shown.norm_in, shown.total if name == "post" else shown.residual)
    final = add_and_norm(run, 1, "final_norm")
    assert final.total is None
    np.testing.assert_array_equal(final.norm_in, run.trace.layers[-1].resid_post)
