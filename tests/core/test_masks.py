"""Attention masks in every form: names, arrays, padding, and their effect on traces."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, EncoderTrace, HeadFactor, WordTokenizer
from encoder_core.inputs.masks import attention_mask
from tests.core.reference import random_parameters
from tests.core.strategies import VOCAB, configs, seeds

REAL = np.array([[True, True, True], [True, True, False]])


def assert_finite(trace: EncoderTrace) -> None:
    for index, layer in enumerate(trace.layers):
        for name, array in layer._asdict().items():
            is_valid = np.isfinite(array) | ((name == "scores") & np.isneginf(array))
            assert is_valid.all(), f"layer {index}, {name}"
        assert np.isfinite(layer.head_contributions).all()
    assert np.isfinite(trace.output).all()
    assert trace.logits is None or np.isfinite(trace.logits).all()


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        (None, [[1, 1, 1], [1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]),
        ("causal", [[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
        ("padding", [[1, 1, 1], [1, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 0], [1, 1, 0]]),
        ("causal+padding", [[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0], [1, 1, 0]]),
    ],
)
def test_named_masks(name, first, second):
    mask = attention_mask(name, REAL, num_heads=2)
    np.testing.assert_array_equal(mask, [[first] * 2, [second] * 2])


@pytest.mark.parametrize("dtype", [bool, np.int32, np.float32])
@pytest.mark.parametrize(
    "shape", [(3, 3), (2, 3, 3), (2, 1, 3), (2, 4, 3, 3), (2, 1, 3, 3), (1, 4, 3, 3), (1, 1, 1, 3)]
)
def test_array_masks_of_every_shape(shape, dtype):
    array = (np.arange(math.prod(shape)) % 5 < 2).reshape(shape).astype(dtype)  # no two rows or columns alike
    by_axes = {2: (1, 1, 3, 3), 3: (2, 1, *shape[1:]), 4: shape}[len(shape)]
    expected = np.broadcast_to(array.reshape(by_axes).astype(bool), (2, 4, 3, 3))
    np.testing.assert_array_equal(attention_mask(array, REAL, num_heads=4), expected)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("casual", ["'casual'", "'causal'", "'padding'", "'causal+padding'"]),
        (np.ones((3, 4), bool), ["(3, 4)", "batch=2", "heads=4", "seq=3", "(batch, heads, seq, seq)"]),
        (np.ones((4, 3, 3), bool), ["(4, 3, 3)", "batch=2"]),
        (np.ones((2, 2, 3, 3), bool), ["(2, 2, 3, 3)", "heads=4"]),
        (np.ones(3, bool), ["(3,)"]),
        (REAL, ["(2, 3)", "mask[:, None] of shape (batch, 1, seq)"]),
        ([HeadFactor(0, 0)], ["mask=[HeadFactor(layer=0, head=0, factor=0.0)] is invalid", "edits=[HeadFactor(0, 0)]"]),
        (HeadFactor(0, 0), ["mask=HeadFactor(", "edits=[HeadFactor(0, 0)]"]),
        (np.full((3, 3), 2), ["mask value 2 is invalid", "True (1) and False (0)"]),
        (np.full((3, 3), 0.5), ["mask value 0.5 is invalid", "True (1) and False (0)"]),
        (np.full((3, 3), np.nan), ["True (1) and False (0)"]),
        (np.full((3, 3), "yes"), ["True (1) and False (0)"]),
        ([[1], [1, 1], [1, 1, 1]], ["rows of different lengths", "rows of one length"]),
    ],
)
def test_invalid_masks(spec, message, unchecked):
    with pytest.raises(ValueError, match="mask") as error:
        attention_mask(spec, REAL, num_heads=4)
    assert all(part in str(error.value) for part in message)


@given(configs(max_layers=4), st.integers(1, 64), st.integers(1, 3), seeds)
def test_random_masks_give_finite_traces(config, seq, batch, seed):
    rng = np.random.default_rng(seed)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    mask = rng.random((batch, config.num_heads, seq, seq)) < 0.3
    mask[:, :, rng.integers(seq)] = False
    trace = encoder.trace(rng.integers(0, VOCAB, (batch, seq)), mask)
    assert_finite(trace)
    np.testing.assert_array_equal(trace.mask, mask)
    fully_masked = ~mask.any(-1)
    for layer in trace.layers:
        assert (layer.pattern[~mask] == 0).all()
        assert (layer.pattern[fully_masked] == 0).all()
        assert (layer.z[fully_masked] == 0).all()
        np.testing.assert_allclose(layer.pattern.sum(-1), ~fully_masked, rtol=1e-5)


def test_with_every_key_masked_attention_adds_the_bias():
    encoder = Encoder.random(EncoderConfig())
    trace = encoder.trace(np.array([[1, 2, 3]]), np.zeros((3, 3), bool))
    assert_finite(trace)
    for index, layer in enumerate(trace.layers):
        bias = encoder.parameters()[f"layers.{index}.attention.out.bias"]
        np.testing.assert_array_equal(layer.attn_out, np.broadcast_to(bias, layer.attn_out.shape))


@given(configs(max_layers=6), st.integers(2, 64), seeds)
def test_with_a_causal_mask_tokens_do_not_depend_on_later_ones(config, seq, seed):
    rng = np.random.default_rng(seed)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    ids = rng.integers(0, VOCAB, (1, seq))
    cut = int(rng.integers(1, seq))
    changed = ids.copy()
    changed[0, cut:] = (changed[0, cut:] + 1) % VOCAB
    before, after = encoder.trace(ids, "causal"), encoder.trace(changed, "causal")
    np.testing.assert_array_equal(before.output[0, :cut], after.output[0, :cut])
    if config.d_model >= 8:  # in narrower models, norms can give two words the same row
        unmasked = encoder.trace(ids).output[0, :cut], encoder.trace(changed).output[0, :cut]
        assert (unmasked[0] != unmasked[1]).any()


@settings(max_examples=settings().max_examples // 2)
@given(configs(max_layers=6), st.lists(st.integers(1, 64), min_size=2, max_size=3), st.booleans(), seeds)
def test_a_padded_batch_gives_the_same_numbers_as_single_sentences(config, lengths, causal, seed):
    rng = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(VOCAB - 2)]
    encoder = Encoder.from_parameters(
        config, random_parameters(config, rng), tokenizer=WordTokenizer(words[: VOCAB - 2])
    )
    texts = [" ".join(rng.choice(words, length)) for length in lengths]
    together = encoder.trace(texts, "causal+padding" if causal else "padding")
    assert together.ids.shape == (len(texts), max(lengths))
    for index, (text, length) in enumerate(zip(texts, lengths, strict=True)):
        alone = encoder.trace(text, "causal" if causal else None)
        assert together.real[index].tolist() == [True] * length + [False] * (max(lengths) - length)
        # The output has a size of about 1; unscaled scores of six layers round it to 2.2e-6.
        np.testing.assert_allclose(together.output[index, :length], alone.output[0], rtol=2e-5, atol=1e-5)
        here, there = together.layers[-1].pattern[index, :, :length, :length], alone.layers[-1].pattern[0]
        np.testing.assert_allclose(here, there, rtol=2e-5, atol=2e-6)


def test_padding_without_a_mask_changes_real_tokens():
    encoder = Encoder.random(EncoderConfig(), tokenizer=WordTokenizer(["a", "b", "c"]))
    alone = encoder.trace("a b").output[0]
    assert np.abs(encoder.trace(["a b", "c b a c"]).output[0, :2] - alone).max() > 1e-2
    np.testing.assert_allclose(encoder.trace(["a b", "c b a c"], "padding").output[0, :2], alone, atol=1e-6)
