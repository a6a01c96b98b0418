"""Edits of a model that is computed by hand: one head, identity projections, two tokens."""

import numpy as np
import pytest

from encoder_core import (
    Encoder,
    EncoderConfig,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
    residual_change,
)

CONFIG = EncoderConfig(
    vocab_size=3,
    d_model=2,
    num_heads=1,
    d_ff=2,
    num_layers=1,
    positions="none",
    use_bias=False,
    norm="pre",
    norm_eps=1e-12,
)
IDENTITY = np.eye(2, dtype=np.float32)
ONE = np.ones(2, np.float32)
PARAMETERS = {
    "token_embedding": np.array([[0, 0], [1, -1], [-1, 1]], np.float32),  # LayerNorm does not change the last two rows
    **{f"layers.0.attention.{name}.kernel": IDENTITY for name in ("query", "key", "value", "out")},
    "layers.0.mlp.up.kernel": 0 * IDENTITY,
    "layers.0.mlp.down.kernel": 0 * IDENTITY,
    **{f"layers.0.{norm}.{name}": ONE if name == "scale" else 0 * ONE for norm in ("norm1", "norm2")
       for name in ("scale", "bias")},
}  # fmt: skip
ENCODER = Encoder.from_parameters(CONFIG, PARAMETERS)
IDS = np.array([[1, 2]])


def first_layer(*edits, mask=None):
    return ENCODER.trace(IDS, mask, edits).layers[0]


def close(ours, expected):
    np.testing.assert_allclose(ours, expected, atol=2e-6)


def test_without_an_edit():
    layer = first_layer()
    close(layer.dot_products[0, 0], [[2, -2], [-2, 2]])
    close(layer.scores[0, 0], np.array([[2, -2], [-2, 2]]) / np.sqrt(2))


def test_set_score():
    """Scores ln 1 and ln 3: weights 1/4 and 3/4, and 1/4 (1, -1) + 3/4 (-1, 1) = (-1/2, 1/2)."""
    layer = first_layer(SetScore(0, 0, 0, 0, 0, 0.0), SetScore(0, 0, 0, 0, 1, float(np.log(3))))
    close(layer.pattern[0, 0, 0], [0.25, 0.75])
    close(layer.attn_out[0, 0], [-0.5, 0.5])
    close(layer.resid_mid[0, 0], [0.5, -0.5])


def test_set_score_comes_before_the_temperature():
    """ln 9 divided by 2 is ln 3."""
    scores = SetScore(0, 0, 0, 1, 0, 0.0), SetScore(0, 0, 0, 1, 1, float(np.log(9)))
    close(first_layer(Temperature(2.0), *scores).pattern[0, 0, 1], [0.25, 0.75])


def test_an_edited_masked_score_is_visible():
    assert first_layer(mask="causal").pattern[0, 0, 0, 1] == 0
    trace = ENCODER.trace(IDS, "causal", [SetScore(0, 0, 0, 0, 1, float(np.sqrt(2)))])
    close(trace.layers[0].pattern[0, 0, 0], [0.5, 0.5])  # the other score of the row is 2 / sqrt(2), the same
    assert not trace.mask[0, 0, 0, 1]


def test_unscaled():
    layer = first_layer(Unscaled())
    close(layer.scores[0, 0], [[2, -2], [-2, 2]])
    close(layer.pattern[0, 0, 0, 1], 1 / (1 + np.exp(4)))


def test_remove_the_residual_of_attention():
    """With equal scores the output of attention is the mean of both values, (0, 0)."""
    equal = [SetScore(0, 0, 0, query, key, 1.0) for query in range(2) for key in range(2)]
    close(first_layer(*equal).resid_mid[0], [[1, -1], [-1, 1]])
    close(first_layer(*equal, ResidualFactor(0, "attention")).resid_mid[0], 0)


def test_remove_the_residual_of_the_feed_forward_network():
    """Its weights are zero, so the sum is zero."""
    layer = first_layer(ResidualFactor(0, "mlp"))
    np.testing.assert_array_equal(layer.resid_post, np.zeros((1, 2, 2), np.float32))
    assert np.abs(layer.resid_mid).max() > 0.1


def test_half_a_residual():
    layer = first_layer(ResidualFactor(0, "mlp", 0.5))
    np.testing.assert_array_equal(layer.resid_post, 0.5 * layer.resid_mid)


@pytest.mark.parametrize(("matrix", "name"), [("W_Q", "q"), ("W_K", "k"), ("W_V", "v")])
def test_set_weight(matrix, name):
    """(1, -1) times [[1, -5], [0, 1]] is (1, -5 - 1)."""
    layer = first_layer(SetWeight(matrix, 0, 0, 0, 1, -5.0))
    close(getattr(layer, name)[0, 0], [[1, -6], [-1, 6]])


def test_set_weight_of_the_output_projection():
    layer = first_layer(SetWeight("W_O", 0, 0, 1, 0, 4.0))
    np.testing.assert_array_equal(layer.out_kernel, [[1, 0], [4, 1]])
    z = layer.z[0, 0]
    close(layer.attn_out[0], np.stack([z[:, 0] + 4 * z[:, 1], z[:, 1]], axis=1))


def test_inputs():
    close(ENCODER.trace(IDS, edits=[SetTokenEmbedding(2, 0, 7.0)]).embedded[0], [[1, -1], [7, 1]])
    close(ENCODER.trace(IDS, edits=[SetEmbedded(0, 1, 0, 7.0)]).embedded[0], [[1, -1], [7, 1]])
    replaced = ENCODER.trace(IDS, edits=[ReplaceToken(0, 1, 0)])
    close(replaced.embedded[0], [[1, -1], [0, 0]])
    assert replaced.ids.tolist() == [[1, 0]]


def test_hide_token():
    np.testing.assert_array_equal(first_layer(HideToken(0, 1)).pattern[0, 0], [[1, 0], [1, 0]])
    np.testing.assert_array_equal(first_layer(HideToken(0, 0), HideToken(0, 1)).pattern[0, 0], np.zeros((2, 2)))


def test_residual_change():
    """The length of (3, 4) - (0, 0) is 5. The other row does not change before the first layer."""
    before = ENCODER.trace(np.array([[0, 1]]))
    after = ENCODER.trace(np.array([[0, 1]]), edits=[SetEmbedded(0, 0, 0, 3.0), SetEmbedded(0, 0, 1, 4.0)])
    change = residual_change(before, after)
    assert change.shape == (2, 2)
    assert change.dtype == np.float64
    np.testing.assert_array_equal(change[0], [5, 0])
    assert change[1, 1] > 0.1
    with pytest.raises(ValueError, match=r"\(1, 2, 2, 1\) and \(1, 3, 2, 1\) are invalid"):
        residual_change(before, ENCODER.trace(np.array([[0, 1, 1]])))
