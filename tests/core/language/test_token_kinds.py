"""Words, punctuation and special tokens."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis.language import SENTENCES, is_punctuation, special_tokens_and_query, word_mask
from encoder_core.inputs.tokenizer import split_words

TOKENS = ["[CLS]", "the", "##s", ",", "[UNK]", "…", "[MASK]", "€", "[SEP]", "[PAD]"]


@pytest.mark.parametrize(
    ("token", "expected"),
    [(",", True), ("。", True), ("...", True), ("'s", False), ("a", False), ("7", False), ("€", False), ("", False)],
)
def test_punctuation(token, expected):
    assert is_punctuation(token) is expected


def test_words_are_neither_special_nor_padding_nor_punctuation():
    real = np.array([True] * 9 + [False])
    assert [TOKENS[i] for i in np.flatnonzero(word_mask(TOKENS, real))] == ["the", "##s", "[UNK]", "[MASK]", "€"]
    with_signs = word_mask(TOKENS, real, punctuation=True)
    assert [TOKENS[i] for i in np.flatnonzero(with_signs)] == ["the", "##s", ",", "[UNK]", "…", "[MASK]", "€"]
    real[1] = False
    assert not word_mask(TOKENS, real)[1]


def test_special_tokens_and_query():
    assert special_tokens_and_query(TOKENS, 3) == [0, 3, 8, 9]


def test_the_sentences_are_many_and_of_many_lengths():
    lengths = [len(split_words(sentence)) for sentence in SENTENCES]
    assert len(set(SENTENCES)) == len(SENTENCES) == 40
    assert min(lengths) == 2
    assert 16 <= max(lengths) <= 40
    for sign, least in ((",", 15), ("?", 4), ("!", 2), (".", 25), (";", 2)):
        assert sum(sign in sentence for sentence in SENTENCES) >= least
    Encoder.random(EncoderConfig(vocab_size=512, max_len=64)).trace(SENTENCES)
