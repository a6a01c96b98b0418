"""Traces with edits are equal to traces with other parameters, ids, masks or configurations."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import (
    Dropout,
    Encoder,
    EncoderConfig,
    EncoderTrace,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Unscaled,
    WordTokenizer,
)
from tests.core.reference import random_parameters

SMALL = EncoderConfig(vocab_size=30, d_model=20, num_heads=5, d_ff=24, num_layers=3)
CONFIGS = [
    SMALL,
    replace(SMALL, norm="pre", final_norm=True, output_head=True, qkv_dim=35, positions="learned"),
    replace(SMALL, d_model=150, embedding_scale="sqrt_d", attention_read_out="input"),  # the larger capacity
]
ENCODERS = [Encoder.from_parameters(config, random_parameters(config, np.random.default_rng(1))) for config in CONFIGS]
IDS = np.random.default_rng(0).integers(0, 30, (2, 7))
cells = st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 19), st.integers(0, 3))
values = st.floats(-3, 3, width=32)


def assert_same(ours: EncoderTrace, theirs: EncoderTrace) -> None:
    """Every number of both traces is the same."""
    for name in ("mask", "token_embedding", "scaled_embedding", "embedded", "output"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    for index, (here, there) in enumerate(zip(ours.layers, theirs.layers, strict=True)):
        for name, array in here._asdict().items():
            np.testing.assert_array_equal(array, getattr(there, name), err_msg=f"layer {index}: {name}")
    assert (ours.logits is None) == (theirs.logits is None)
    if ours.logits is not None:
        np.testing.assert_array_equal(ours.logits, theirs.logits)


@given(st.sampled_from(ENCODERS), st.sampled_from(["W_Q", "W_K", "W_V", "W_O"]), cells, values)
def test_a_weight_edit_is_equal_to_other_parameters(encoder, matrix, cell, value):
    layer, head, row, column = cell
    if matrix == "W_O":
        row, column = column, row
    edits = [SetWeight(matrix, layer, head, row, column, value), SetTokenEmbedding(int(IDS[0, 3]), column, value)]
    parameters = {name: array.copy() for name, array in encoder.parameters().items()}
    kernel = {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "out"}[matrix]
    kernel_array = parameters[f"layers.{layer}.attention.{kernel}.kernel"]
    heads = np.split(kernel_array, 5, axis=0 if matrix == "W_O" else 1)  # views
    heads[head][row, column] = value
    parameters["token_embedding"][IDS[0, 3], column] = value
    other = Encoder.from_parameters(encoder.config, parameters)
    assert_same(encoder.trace(IDS, "causal", edits), other.trace(IDS, "causal"))
    before, edited = encoder.parameters(), encoder.run(IDS, "causal", edits).edited_parameters
    for name, array in parameters.items():
        np.testing.assert_array_equal(edited[name], array)
    assert sum(edited[name] is not before[name] for name in before) == 2


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_replaced_token_is_equal_to_other_ids(encoder):
    other = IDS.copy()
    other[1, 2], other[0, 0] = 7, 29
    edits = [ReplaceToken(1, 2, 5), ReplaceToken(1, 2, 7), ReplaceToken(0, 0, 29)]
    edited = encoder.trace(IDS, edits=edits)
    np.testing.assert_array_equal(edited.ids, other)
    assert_same(edited, encoder.trace(other))


def test_the_word_of_a_replaced_token():
    encoder = Encoder.random(ENCODERS[0].config)
    edited = encoder.trace(["one two three", "four"], "padding", [ReplaceToken(0, 1, 5), ReplaceToken(1, 0, 2)])
    assert edited.tokens == (("one", "four", "three"), ("one", "[PAD]", "[PAD]"))
    np.testing.assert_array_equal(edited.ids, [[2, 5, 4], [2, 0, 0]])
    unknown = encoder.trace("one two", edits=[ReplaceToken(0, 0, 20)])
    assert unknown.tokens == (("[20]", "two"),)


def test_replaced_padding_stays_masked():
    texts, edits = ["one two three", "four"], [ReplaceToken(1, 2, 3)]
    batch = WordTokenizer.from_texts(texts)(texts)
    plain, edited = ENCODERS[0].trace(batch, "padding"), ENCODERS[0].trace(batch, "padding", edits)
    np.testing.assert_array_equal(edited.real, plain.real)
    np.testing.assert_array_equal(edited.output[1, 0], plain.output[1, 0])


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_hidden_token_is_equal_to_another_mask(encoder):
    mask = np.broadcast_to(np.tri(7, dtype=bool), (2, 7, 7)).copy()
    mask[1, :, 3] = False
    assert_same(encoder.trace(IDS, "causal", [HideToken(1, 3)]), encoder.trace(IDS, mask))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_an_edit_of_embedded(encoder):
    edits = [SetEmbedded(1, 2, 3, 9.0), SetEmbedded(1, 2, 3, -1.5)]
    edited, plain = encoder.trace(IDS, edits=edits), encoder.trace(IDS)
    expected = plain.embedded.copy()
    expected[1, 2, 3] = -1.5
    np.testing.assert_array_equal(edited.embedded, expected)
    np.testing.assert_array_equal(edited.scaled_embedding, plain.scaled_embedding)
    assert np.abs(edited.output[1] - plain.output[1]).max() > 1e-3
    np.testing.assert_array_equal(edited.output[0], plain.output[0])


def test_embedded_is_set_after_dropout():
    encoder = Encoder.random(replace(SMALL, dropout=0.5))
    edited = encoder.trace(IDS, edits=[SetEmbedded(0, 1, 2, 4.0), Dropout(0)])
    plain = encoder.trace(IDS, edits=[Dropout(0)])
    assert edited.embedded[0, 1, 2] == 4
    assert (edited.embedded != plain.embedded).sum() == 1


@pytest.mark.parametrize("encoder", ENCODERS)
def test_unscaled_is_the_configuration_without_the_scale(encoder):
    other = Encoder.from_parameters(replace(encoder.config, scale_scores=False), encoder.parameters())
    assert_same(encoder.trace(IDS, "causal", [Unscaled()]), other.trace(IDS, "causal"))
    assert_same(other.trace(IDS, edits=[Unscaled()]), other.trace(IDS))


@given(st.sampled_from(ENCODERS[:2]), st.tuples(*map(st.integers, [0] * 5, [1, 2, 4, 6, 6])), values)
def test_an_edited_score_changes_its_row_and_later_tensors(encoder, cell, value):
    batch, layer, head, query, key = cell
    plain, edited = encoder.trace(IDS, "causal"), encoder.trace(IDS, "causal", [SetScore(*cell, value)])
    np.testing.assert_array_equal(edited.output[1 - batch], plain.output[1 - batch])
    for earlier in range(layer):
        np.testing.assert_array_equal(edited.layers[earlier].resid_post, plain.layers[earlier].resid_post)
    here, before = edited.layers[layer], plain.layers[layer]
    expected = before.scores.copy()
    expected[batch, head, query, key] = value
    np.testing.assert_array_equal(here.scores, expected)
    np.testing.assert_array_equal(here.dot_products, before.dot_products)
    others = np.ones(expected.shape[:3], bool)
    others[batch, head, query] = False
    np.testing.assert_array_equal(here.pattern[others], before.pattern[others])
    rows = np.arange(7) != query
    np.testing.assert_array_equal(here.resid_post[batch, rows], before.resid_post[batch, rows])
    exp = np.exp(expected[batch, head, query].astype(float) - expected[batch, head, query].max())
    np.testing.assert_allclose(here.pattern[batch, head, query], exp / exp.sum(), atol=1e-6)


def test_the_later_of_two_edits_of_a_cell_applies():
    first, second = SetScore(0, 1, 2, 3, 4, 1.0), SetScore(0, 1, 2, 3, 4, 2.0)
    encoder = ENCODERS[0]
    assert_same(encoder.trace(IDS, edits=[first, second]), encoder.trace(IDS, edits=[second]))
    first, second = SetWeight("W_Q", 1, 2, 3, 1, 1.0), SetWeight("W_Q", 1, 2, 3, 1, 2.0)
    assert_same(encoder.trace(IDS, edits=[first, second]), encoder.trace(IDS, edits=[second]))


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("sublayer", ["attention", "mlp"])
def test_without_the_residual_the_sum_is_the_sublayer(encoder, sublayer):
    plain = encoder.trace(IDS)
    edited = encoder.trace(IDS, edits=[ResidualFactor(1, sublayer)])
    np.testing.assert_array_equal(edited.layers[0].resid_post, plain.layers[0].resid_post)
    here = edited.layers[1]
    if sublayer == "attention":
        np.testing.assert_array_equal(here.resid_mid, here.attn_out)
    elif encoder.config.norm == "pre":
        np.testing.assert_array_equal(here.resid_post, here.mlp_out)
    else:
        rows = here.mlp_out.astype(float)
        deviation = np.sqrt(rows.var(axis=-1, keepdims=True) + encoder.config.norm_eps)
        normal = (rows - rows.mean(axis=-1, keepdims=True)) / deviation
        scale, shift = (encoder.parameters()[f"layers.1.norm2.{name}"] for name in ("scale", "bias"))
        np.testing.assert_allclose(here.resid_post, normal * scale + shift, atol=1e-4)
    assert np.abs(edited.output - plain.output).max() > 1e-3


def test_residual_factors_multiply():
    half = ResidualFactor(0, "attention", 0.5)
    once = ENCODERS[0].trace(IDS, edits=[ResidualFactor(0, "attention", 0.25)])
    assert_same(ENCODERS[0].trace(IDS, edits=[half, half]), once)


def test_edits_of_many_types_in_any_order():
    edits = [
        SetTokenEmbedding(int(IDS[0, 1]), 0, 2.0),
        SetWeight("W_V", 0, 1, 2, 3, 0.5),
        ReplaceToken(0, 0, int(IDS[0, 1])),
        HideToken(0, 2),
        SetEmbedded(0, 3, 4, 1.0),
        Unscaled(),
        SetScore(0, 1, 0, 3, 2, 0.5),
        HeadFactor(1, 4, 0.0),
        ResidualFactor(2, "mlp"),
    ]
    forth, back = ENCODERS[0].trace(IDS, edits=edits), ENCODERS[0].trace(IDS, edits=edits[::-1])
    assert_same(forth, back)
    assert forth.token_embedding[0, 0, 0] == 2  # the replaced token, looked up in the edited table
    assert forth.layers[1].pattern[0, 0, 3, 2] > 0  # the key is hidden, but its score is set
    assert (forth.layers[1].head_contributions[0, 4] == 0).all()
