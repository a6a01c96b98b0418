"""Errors for edits that do not fit the model or the input: they name edit, field, value and allowed values."""

import math
import re

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
)

CONFIG = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, num_layers=3, qkv_dim=12)
ENCODER = Encoder.random(CONFIG)
IDS = np.array([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (SetTokenEmbedding(9, 0, 1.0), "id=9 is invalid: allowed are 0 to 8"),
        (SetTokenEmbedding(0, 8, 1.0), "dimension=8 is invalid: allowed are 0 to 7"),
        (SetTokenEmbedding(0, 0, math.nan), "value=nan is invalid: allowed are numbers from -1e+06 to 1e+06"),
        (ReplaceToken(2, 0, 0), "batch=2 is invalid: allowed are 0 to 1"),
        (ReplaceToken(0, 5, 0), "position=5 is invalid: allowed are 0 to 4"),
        (ReplaceToken(0, 0, -1), "id=-1 is invalid: allowed are 0 to 8"),
        (HideToken(-1, 0), "batch=-1 is invalid: allowed are 0 to 1"),
        (HideToken(0, 5), "position=5 is invalid: allowed are 0 to 4"),
        (SetEmbedded(2, 0, 0, 1.0), "batch=2 is invalid: allowed are 0 to 1"),
        (SetEmbedded(0, 5, 0, 1.0), "position=5 is invalid: allowed are 0 to 4"),
        (SetEmbedded(0, 0, 8, 1.0), "dimension=8 is invalid: allowed are 0 to 7"),
        (SetEmbedded(0, 0, 0, -math.inf), "value=-inf is invalid: allowed are numbers from"),
        (SetWeight("W_Q", 3, 0, 0, 0, 1.0), "layer=3 is invalid: allowed are 0 to 2"),
        (SetWeight("W_Q", 0, 2, 0, 0, 1.0), "head=2 is invalid: allowed are 0 to 1"),
        (SetWeight("W_Q", 0, 0, 8, 0, 1.0), "row=8 is invalid: allowed are 0 to 7"),
        (SetWeight("W_Q", 0, 0, 0, 6, 1.0), "column=6 is invalid: allowed are 0 to 5"),
        (SetWeight("W_O", 0, 0, 6, 0, 1.0), "row=6 is invalid: allowed are 0 to 5"),
        (SetWeight("W_O", 0, 0, 0, 8, 1.0), "column=8 is invalid: allowed are 0 to 7"),
        (SetWeight("W_K", 0, 0, 0, 0, 1e7), "value=10000000.0 is invalid: allowed are numbers from"),
        (SetScore(2, 0, 0, 0, 0, 1.0), "batch=2 is invalid: allowed are 0 to 1"),
        (SetScore(0, 3, 0, 0, 0, 1.0), "layer=3 is invalid: allowed are 0 to 2"),
        (SetScore(0, 0, 2, 0, 0, 1.0), "head=2 is invalid: allowed are 0 to 1"),
        (SetScore(0, 0, 0, 5, 0, 1.0), "query=5 is invalid: allowed are 0 to 4"),
        (SetScore(0, 0, 0, 0, 5, 1.0), "key=5 is invalid: allowed are 0 to 4"),
        (SetScore(0, 0, 0, 0, 0, -math.inf), "value=-inf is invalid: allowed are numbers from"),
        (ResidualFactor(3, "mlp"), "layer=3 is invalid: allowed are 0 to 2"),
        (ResidualFactor(0, "mlp", 1e4), "factor=10000.0 is invalid: allowed are numbers from -1000 to 1000"),
    ],
)
def test_invalid_indices_and_values(edit, message):
    with pytest.raises(ValueError, match=re.escape(f"{edit!r}: {message}")):
        ENCODER.trace(IDS, edits=[edit])


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (SetWeight, ("W_X", 0, 0, 0, 0, 1.0), "matrix='W_X' is invalid: allowed are 'W_Q', 'W_K', 'W_V', 'W_O'"),
        (ResidualFactor, (0, "norm"), "sublayer='norm' is invalid: allowed are 'attention', 'mlp'"),
        (ReplaceToken, (0, 0, 1.0), "id=1.0 is invalid: allowed are 0 to 8"),
        (HideToken, (True, 0), "batch=True is invalid: allowed are 0 to 1"),
        (SetEmbedded, (0, 0, 0, "1"), "value='1' is invalid: allowed are numbers"),
    ],
)
def test_invalid_types(kind, arguments, message, unchecked):
    with pytest.raises(ValueError, match=re.escape(message)):
        ENCODER.trace(IDS, edits=[kind(*arguments)])


def test_embeddings_have_no_ids_to_replace():
    rows = ENCODER.trace(IDS).token_embedding
    with pytest.raises(ValueError, match=r"ReplaceToken.*embeddings as inputs have no ids"):
        ENCODER.trace(rows, edits=[ReplaceToken(0, 0, 1)])
    edited = ENCODER.trace(rows, edits=[SetEmbedded(0, 0, 0, 1.0), SetTokenEmbedding(0, 0, 1.0)])
    assert edited.embedded[0, 0, 0] == 1
