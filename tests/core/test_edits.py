"""Traces with edits: temperature and head factors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, HeadFactor, Temperature
from tests.core.reference import relative_difference

CONFIG = EncoderConfig(d_model=48, num_heads=3, num_layers=3)
ENCODER = Encoder.random(CONFIG, seed=1)
IDS = np.random.default_rng(0).integers(0, 128, (2, 9))


def softmax(scores: np.ndarray) -> np.ndarray:
    exp = np.exp(scores.astype(np.float64) - scores.max(-1, keepdims=True))
    return exp / exp.sum(-1, keepdims=True)


@given(st.floats(0.05, 100), st.sampled_from([None, "causal"]))
def test_temperature_divides_the_scores_of_every_layer(value, mask):
    for layer in ENCODER.trace(IDS, mask, [Temperature(value)]).layers:
        assert relative_difference(layer.pattern, softmax(layer.scores / value)) < 1e-4
    plain, edited = ENCODER.trace(IDS, mask).layers[0], ENCODER.trace(IDS, mask, [Temperature(value)]).layers[0]
    np.testing.assert_array_equal(edited.scores, plain.scores)


def test_low_and_high_temperatures():
    low = ENCODER.trace(IDS, "causal", [Temperature(0.001)]).layers[0]
    high = ENCODER.trace(IDS, None, [Temperature(1000.0)]).layers[0]
    assert np.median(low.pattern.max(-1)) > 0.999
    np.testing.assert_array_equal(low.pattern.argmax(-1), low.scores.argmax(-1))
    np.testing.assert_allclose(high.pattern, 1 / 9, rtol=0.05)


def test_temperatures_multiply():
    once = ENCODER.trace(IDS, edits=[Temperature(6.0)])
    twice = ENCODER.trace(IDS, edits=[Temperature(2.0), Temperature(3.0)])
    np.testing.assert_array_equal(once.output, twice.output)


@given(st.integers(0, 2), st.integers(0, 2), st.floats(-10, 10, width=32))
def test_a_head_factor_scales_its_contribution_and_no_other(layer, head, factor):
    plain = ENCODER.trace(IDS).layers
    edited = ENCODER.trace(IDS, edits=[HeadFactor(layer, head, factor)]).layers
    for before in range(layer):
        np.testing.assert_array_equal(edited[before].resid_post, plain[before].resid_post)
    np.testing.assert_array_equal(edited[layer].pattern, plain[layer].pattern)
    factors = np.ones(3, np.float32)
    factors[head] = factor
    expected = plain[layer].head_contributions * factors[:, None, None]
    np.testing.assert_allclose(edited[layer].head_contributions, expected, rtol=1e-4, atol=1e-5)
    removed = (1 - np.float32(factor)) * plain[layer].head_contributions[:, head]
    np.testing.assert_allclose(edited[layer].attn_out, plain[layer].attn_out - removed, rtol=1e-4, atol=1e-5)


def test_a_head_that_is_switched_off():
    """The output is equal to that of a model in which the rows of W_O of this head are zero."""
    parameters = dict(ENCODER.parameters())
    name = "layers.1.attention.out.kernel"
    parameters[name] = parameters[name].copy()
    parameters[name][16:32] = 0
    without = Encoder.from_parameters(CONFIG, parameters).trace(IDS)
    off = ENCODER.trace(IDS, edits=[HeadFactor(layer=1, head=1)])
    np.testing.assert_allclose(off.output, without.output, rtol=1e-5, atol=1e-6)
    assert np.abs(off.output - ENCODER.trace(IDS).output).max() > 1e-2
    assert (off.layers[1].z[:, 1] == 0).all()


def test_with_all_heads_off_attention_adds_the_bias():
    off = ENCODER.trace(IDS, edits=[HeadFactor(0, head) for head in range(3)]).layers[0]
    bias = ENCODER.parameters()["layers.0.attention.out.bias"]
    np.testing.assert_array_equal(off.attn_out, np.broadcast_to(bias, off.attn_out.shape))


def test_edits_without_effect():
    plain = ENCODER.trace(IDS).output
    same = ENCODER.trace(IDS, edits=[Temperature(1.0), HeadFactor(2, 2, 1.0)]).output
    np.testing.assert_array_equal(plain, same)
    np.testing.assert_array_equal(ENCODER.trace(IDS).output, plain)  # an edit does not change the encoder


@pytest.mark.parametrize("value", [0, -1, 1e-4, 1e4, math.nan, math.inf, "1", None, True])
def test_invalid_temperatures(value, unchecked):
    with pytest.raises(
        ValueError, match=r"Temperature\(value=.*is invalid: allowed are numbers from 0.001 to 1000"
    ) as error:
        ENCODER.trace(IDS, edits=[Temperature(value)])
    assert repr(value) in str(error.value)


def test_temperatures_whose_product_is_invalid():
    with pytest.raises(ValueError, match=r"is invalid: allowed are numbers from 0.001 to 1000"):
        ENCODER.trace(IDS, edits=[Temperature(0.01), Temperature(0.01)])


@pytest.mark.parametrize(
    ("edit", "parts"),
    [
        (HeadFactor(3, 0), ["layer=3", "0 to 2"]),
        (HeadFactor(-1, 0), ["layer=-1", "0 to 2"]),
        (HeadFactor(0, 3), ["head=3", "0 to 2"]),
        (HeadFactor(0, -1), ["head=-1", "0 to 2"]),
        (HeadFactor(0, 0, math.nan), ["factor=nan", "-1000 to 1000"]),
        (HeadFactor(0, 0, 1e30), ["factor=1e+30", "-1000 to 1000"]),
    ],
)
def test_invalid_heads_and_factors(edit, parts):
    with pytest.raises(ValueError, match="HeadFactor") as error:
        ENCODER.trace(IDS, edits=[edit])
    assert all(part in str(error.value) for part in parts)


@pytest.mark.parametrize(
    ("layer", "head", "factor"), [(0.5, 0, 0), (0, "1", 0), (True, 0, 0), (0, 0, "0"), (0, 0, None)]
)
def test_invalid_types(layer, head, factor, unchecked):
    with pytest.raises(ValueError, match="HeadFactor"):
        ENCODER.trace(IDS, edits=[HeadFactor(layer, head, factor)])
