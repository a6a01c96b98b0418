"""Runs to export: one size, so that the operations of their notebooks are compiled once."""

from dataclasses import replace

import numpy as np

from encoder_core import (
    RECIPES,
    Dropout,
    Encoder,
    EncoderConfig,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
    WordTokenizer,
)
from encoder_core.export import Pretrained, Random, SomeRecipe, Subject

TEXT = ("The black cat jumped on the sofa", 'It was """tired""" \\ <b>')
TOKENIZER = WordTokenizer.from_texts(TEXT)
CONFIG = EncoderConfig(vocab_size=len(TOKENIZER), max_len=16, d_model=8, num_heads=2, d_ff=12, num_layers=2)
SEQ = TOKENIZER(TEXT).ids.shape[1]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
ALL_EDITS = (
    SetTokenEmbedding(3, 2, 1.5),
    SetWeight("W_O", 1, 1, 2, 5, 0.7),
    ReplaceToken(0, 2, 5),
    HideToken(0, 1),
    SetEmbedded(1, 0, 3, 2.0),
    Unscaled(),
    SetScore(0, 1, 0, 3, 4, -5.0),
    Temperature(0.5),
    HeadFactor(1, 1, 0.0),
    ResidualFactor(0, "mlp", 0.5),
    Dropout(4, 0.3),
)


def random_subject(mask="padding", edits=(), seed=0, **fields):
    encoder = Encoder.random(replace(CONFIG, **fields), seed, tokenizer=TOKENIZER)
    return Subject(encoder.run(TOKENIZER(TEXT), mask, edits), Random(seed), TEXT)


def recipe_subject(name, variant, seed=1):
    inputs, mask, _ = RECIPES[name].inputs(seed)
    return Subject(Encoder.recipe(name, variant, seed).run(inputs, mask), SomeRecipe(name, variant, seed))


def minilm_subject():
    encoder = Encoder.pretrained(MINILM, offline=True)
    return Subject(encoder.run(list(TEXT), "padding"), Pretrained(MINILM), TEXT)


def custom_mask():
    return np.random.default_rng(0).random((2, 2, SEQ, SEQ)) > 0.5
