"""The sublayers in NumPy, by hand: the badge and the what-ifs of the pages rest on them."""

import math

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, recompute
from encoder_core.sublayers import activate, add_and_norm, attention, feed_forward, layer_norm


def test_layer_norm_of_one_to_four():
    """Mean 2.5, variance 5/4; then times 2, plus 1."""
    x = np.array([[1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]])
    steps = layer_norm(x, np.full(4, 2.0), np.ones(4), 1e-12)
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
    """[1, -2] W_up = [1, -2, -1], ReLU leaves [1, 0, 0], and the first row of W_down plus its bias comes out."""
    parameters = {
        "layers.0.mlp.up.kernel": np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]),
        "layers.0.mlp.down.kernel": np.array([[5.0, 6.0], [7.0, 8.0], [9.0, 10.0]]),
        "layers.0.mlp.down.bias": np.array([0.5, 0.0]),
    }
    steps = feed_forward(np.array([[1.0, -2.0]]), parameters, 0, "relu")
    np.testing.assert_allclose(steps.pre, [[1, -2, -1]])
    np.testing.assert_allclose(steps.act, [[1, 0, 0]])
    np.testing.assert_allclose(steps.out, [[5.5, 6]])


def test_attention_with_equal_scores_averages_the_visible_values():
    identity, zeros = np.eye(2), np.zeros((2, 2))
    name = "layers.0.attention"
    kernels = {"query": zeros, "key": zeros, "value": identity, "out": identity}
    parameters = {f"{name}.{part}.kernel": kernel for part, kernel in kernels.items()}
    mask = np.array([[[True, False], [True, True]]])
    out = attention(np.array([[2.0, 4.0], [6.0, 8.0]]), parameters, 0, mask, 1.0)
    np.testing.assert_allclose(out, [[2, 4], [4, 6]])


CONFIGS = {
    "post": EncoderConfig(d_model=12, num_heads=3, d_ff=16, num_layers=2),
    "pre": EncoderConfig(
        d_model=12, num_heads=3, d_ff=16, num_layers=2, norm="pre", final_norm=True, activation="gelu"
    ),
    "no biases": EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=2, use_bias=False, activation="gelu_tanh"),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_everything_shown_is_found_again(name):
    config = CONFIGS[name]
    encoder = Encoder.random(config)
    parameters = encoder.parameters()
    trace = encoder.trace(["a cat on a sofa", "it slept"], "causal+padding")
    for layer, steps in enumerate(trace.layers):
        assert recompute.add_and_norm(trace, layer, parameters, config) < 1e-5
        again = feed_forward(steps.mlp_in, parameters, layer, config.activation)
        assert recompute.feed_forward(steps, again) < 1e-5
        for sentence in range(2):
            assert recompute.block(trace, layer, sentence, parameters, config, config.d_head**-0.5) < 1e-5


@pytest.mark.parametrize("name", CONFIGS)
def test_a_wrong_norm_is_noticed(name):
    config = CONFIGS[name]
    encoder = Encoder.random(config)
    wrong = encoder.parameters() | {"layers.1.norm2.bias": np.full(config.d_model, 0.1, np.float32)}
    trace = encoder.trace("a cat")
    assert recompute.add_and_norm(trace, 1, wrong, config) > 1e-3
    assert recompute.block(trace, 1, 0, wrong, config, config.d_head**-0.5) > 1e-3


@pytest.mark.parametrize("name", ["post", "pre"])
def test_sums_are_sums_and_norms_follow_the_order_of_the_block(name):
    config = CONFIGS[name]
    trace = Encoder.random(config).trace("a cat on a sofa")
    for norm in ("norm1", "norm2"):
        shown = add_and_norm(trace, 1, norm, config.norm)
        np.testing.assert_allclose(shown.total, shown.residual + shown.sublayer, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(shown.norm_in, shown.total if name == "post" else shown.residual)
    final = add_and_norm(trace, 1, "final_norm", config.norm)
    assert final.total is None
    np.testing.assert_array_equal(final.norm_in, trace.layers[-1].resid_post)
