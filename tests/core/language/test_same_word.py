"""The same word in several sentences, with values that are computed by hand."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, TokenBatch
from encoder_core.analysis.language import different_words_similarity, same_word_similarity, shared_words
from tests.core.language.traces import trace_with


def shared_words_of(*sentences):
    seq = max(map(len, sentences))
    tokens = [[*sentence, *["[PAD]"] * (seq - len(sentence))] for sentence in sentences]
    real = np.array([[token != "[PAD]" for token in sentence] for sentence in tokens])
    return shared_words(TokenBatch(tuple(map(tuple, tokens)), real.astype(int), real, (0,) * len(tokens)))


def test_function_words_come_last():
    words = shared_words_of(
        ["[CLS]", "the", "bank", "of", "the", "river", ".", "[SEP]"],
        ["[CLS]", "to", "the", "river", "bank", ".", "[SEP]"],
    )
    assert [word.token for word in words] == ["bank", "river", "the"]
    assert words[0].places == ((0, 2), (1, 4))
    assert words[2].places == ((0, 1), (1, 2))


def test_the_places_of_a_word():
    words = shared_words_of(["cat", "x"], ["y", "z"], ["a", "b", "cat", "cat"])
    assert words == [("cat", ((0, 0), (2, 2)))]


def test_words_of_more_sentences_come_first():
    words = shared_words_of(["cat", "dog", "fox"], ["fox", "cat", "dog"], ["dog"])
    assert [word.token for word in words] == ["dog", "cat", "fox"]


def test_sentences_without_shared_words():
    assert shared_words_of(["[CLS]", "a", "##b", ".", "[SEP]"], ["[CLS]", "A", "##b", ".", "[SEP]"]) == []
    assert shared_words_of(["cat", "cat"]) == []


STAGES = np.zeros((3, 2, 2, 4))
STAGES[0, 0] = [[1, 0, 0, 0], [0, 1, 0, 0]]
STAGES[0, 1] = [[0, 1, 0, 0], [2, 0, 0, 0]]
STAGES[1, 0] = [[1, 0, 0, 0], [0, 1, 0, 0]]
STAGES[1, 1] = [[3, 4, 0, 0], [1, 1, 0, 0]]
STAGES[2, 0] = [[1, 0, 0, 0], [0, 1, 0, 0]]
STAGES[2, 1] = [[1, 0, 0, 0], [-5, 0, 0, 0]]
TOKENS = [["bank", "x"], ["y", "bank"]]


def test_cosines_by_hand():
    trace = trace_with(TOKENS, stages=STAGES)
    np.testing.assert_allclose(same_word_similarity(trace, (0, 0), (1, 1)), [1, 0.5**0.5, -1], rtol=1e-6)
    np.testing.assert_allclose(same_word_similarity(trace, (1, 1), (0, 0)), [1, 0.5**0.5, -1], rtol=1e-6)


def test_different_words_leave_the_same_word_out():
    """bank-y, x-y and x-bank: 0, 1, 0; then 0.6, 0.8, 0.707; then 1, 0, 0."""
    trace = trace_with(TOKENS, stages=STAGES)
    similarity = different_words_similarity(trace, (0, 0), (1, 1))
    np.testing.assert_allclose(similarity, [1 / 3, (1.4 + 0.5**0.5) / 3, 1 / 3], rtol=1e-6)


def test_sentences_without_different_words():
    trace = trace_with([["bank", ","], ["bank", "."]], stages=STAGES)
    assert np.isnan(different_words_similarity(trace, (0, 0), (1, 0))).all()


def test_without_positions_the_first_cosine_is_one():
    encoder = Encoder.random(EncoderConfig(d_model=16, num_heads=2, d_ff=16, num_layers=2, positions="none"))
    trace = encoder.trace(["a bank", "b bank"], "padding")
    cosines = same_word_similarity(trace, (0, 1), (1, 1))
    np.testing.assert_allclose(cosines[0], 1, rtol=1e-6)
    assert (cosines[1:] < 0.999).all()
    assert cosines.shape == (3,)


def test_padding_is_no_place():
    trace = trace_with([["bank", "x"], ["bank", "[PAD]"]], stages=STAGES, real=[[True, True], [True, False]])
    for similarity in (same_word_similarity, different_words_similarity):
        similarity(trace, (0, 0), (1, 0))
        with pytest.raises(ValueError, match=r"second=\(1, 1\) is invalid: allowed are places of tokens that are not"):
            similarity(trace, (0, 0), (1, 1))
