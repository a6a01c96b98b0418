"""The same numbers as PyTorch in double precision, and as Flax, over the whole range of the walkthrough.

Measured with 2500 random encoders of at least d_model 8: outputs differ from PyTorch's in double precision by at most
4e-6 of the largest magnitude (PyTorch's own single precision: 3e-6), and attention weights by 3e-6.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig
from tests.core.reference import random_parameters, relative_difference, run_flax_attention, run_torch
from tests.core.strategies import VOCAB, configs, seeds

TOLERANCE = 1e-5
# A norm over a few nearly equal features divides by a very small number: any library loses digits.
NARROW, NARROW_TOLERANCE = 8, 1e-2


def random_mask(rng: np.random.Generator, config: EncoderConfig, batch: int, seq: int) -> np.ndarray:
    """Each query may attend to about half of the keys, but at least to one: PyTorch gives NaN for none."""
    mask = rng.random((batch, config.num_heads, seq, seq)) < 0.5
    np.put_along_axis(mask, rng.integers(0, seq, (*mask.shape[:3], 1)), True, axis=-1)
    return mask


def assert_same_as_torch(config: EncoderConfig, seq: int, batch: int, masked: str | None, seed: int) -> None:
    rng = np.random.default_rng(seed)
    parameters = random_parameters(config, rng)
    ids = rng.integers(0, VOCAB, (batch, seq))
    mask = random_mask(rng, config, batch, seq) if masked == "random" else masked
    trace = Encoder.from_parameters(config, parameters).trace(ids, mask)
    reference = run_torch(config, parameters, ids, trace.mask)
    assert relative_difference(trace.embedded, reference.embedded) < 5e-7
    tolerance = NARROW_TOLERANCE if config.d_model < NARROW else TOLERANCE
    assert relative_difference(trace.layers[0].pattern, reference.first_pattern) < TOLERANCE
    assert len(trace.layers) == len(reference.resid_post)
    for layer, resid_post in zip(trace.layers, reference.resid_post, strict=True):
        assert relative_difference(layer.resid_post, resid_post) < tolerance
    assert relative_difference(trace.output, reference.output) < tolerance
    if config.output_head:
        assert relative_difference(trace.logits, reference.logits) < tolerance


@given(configs(), st.integers(1, 64), st.integers(1, 3), st.sampled_from([None, "causal", "random"]), seeds)
def test_random_encoders_agree_with_pytorch(config, seq, batch, masked, seed):
    assert_same_as_torch(config, seq, batch, masked, seed)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
@pytest.mark.parametrize("use_bias", [True, False])
def test_every_type_of_layer_agrees_with_pytorch(norm, activation, use_bias):
    config = EncoderConfig(
        vocab_size=VOCAB,
        d_model=60,
        num_heads=5,
        d_ff=100,
        num_layers=6,
        norm=norm,
        final_norm=norm == "pre",
        activation=activation,
        use_bias=use_bias,
    )
    assert_same_as_torch(config, seq=20, batch=2, masked="random", seed=1)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
@pytest.mark.parametrize("layout", ["interleaved", "concatenated"])
@pytest.mark.parametrize("scale", ["none", "sqrt_d", "inv_sqrt_d"])
def test_every_type_of_embedding_agrees_with_pytorch(positions, layout, scale):
    config = EncoderConfig(
        vocab_size=VOCAB, d_model=45, num_heads=3, positions=positions, position_layout=layout, embedding_scale=scale
    )
    assert_same_as_torch(config, seq=33, batch=1, masked=None, seed=2)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_largest_encoder_agrees_with_pytorch(norm):
    config = EncoderConfig(
        vocab_size=VOCAB, d_model=256, num_heads=16, d_ff=1024, num_layers=12, norm=norm, final_norm=True
    )
    assert_same_as_torch(config, seq=64, batch=2, masked="causal", seed=3)


@settings(max_examples=max(2, settings().max_examples // 10))  # Flax compiles for each example
@given(configs(max_layers=2, free_qkv_dim=True), st.integers(1, 64), st.integers(1, 2), st.booleans(), seeds)
def test_attention_of_any_width_agrees_with_flax(config, seq, batch, masked, seed):
    """`qkv_dim` may differ from d_model, as in nanolm: heads of 4 features in a model of width 256."""
    config = replace(config, scale_scores=True)  # Flax always scales
    rng = np.random.default_rng(seed)
    parameters = random_parameters(config, rng)
    mask = random_mask(rng, config, batch, seq) if masked else None
    trace = Encoder.from_parameters(config, parameters).trace(rng.integers(0, VOCAB, (batch, seq)), mask)
    for index, layer in enumerate(trace.layers):
        theirs = run_flax_attention(config, parameters, index, layer.attn_in, trace.mask)
        assert relative_difference(layer.attn_out, theirs) < TOLERANCE


@pytest.mark.parametrize(("d_model", "num_heads", "qkv_dim"), [(20, 4, None), (48, 3, None), (256, 8, 32), (7, 1, 5)])
def test_attention_agrees_with_flax(d_model, num_heads, qkv_dim):
    config = EncoderConfig(vocab_size=VOCAB, d_model=d_model, num_heads=num_heads, qkv_dim=qkv_dim, num_layers=2)
    rng = np.random.default_rng(4)
    parameters = random_parameters(config, rng)
    trace = Encoder.from_parameters(config, parameters).trace(rng.integers(0, VOCAB, (2, 10)), "causal")
    for index, layer in enumerate(trace.layers):
        theirs = run_flax_attention(config, parameters, index, layer.attn_in, trace.mask)
        assert relative_difference(layer.attn_out, theirs) < 2e-6
