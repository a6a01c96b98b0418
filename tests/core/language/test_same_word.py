"""The same word in two sentences, by hand."""

import numpy as np

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis.language import different_words, same_word, shared_words
from tests.core.language.made import trace_with


def found_in(*sentences):
    seq = max(map(len, sentences))
    tokens = [[*sentence, *["[PAD]"] * (seq - len(sentence))] for sentence in sentences]
    return shared_words(tokens, np.array([[token != "[PAD]" for token in sentence] for sentence in tokens]))


def test_words_of_content_come_before_words_of_grammar():
    found = found_in(
        ["[CLS]", "the", "bank", "of", "the", "river", ".", "[SEP]"],
        ["[CLS]", "to", "the", "river", "bank", ".", "[SEP]"],
    )
    assert [word.token for word in found] == ["bank", "river", "the"]
    assert found[0].places == ((0, 2), (1, 4))
    assert found[2].places == ((0, 1), (1, 2))


def test_a_word_has_a_place_in_each_sentence_that_has_it():
    found = found_in(["cat", "x"], ["y", "z"], ["a", "b", "cat", "cat"])
    assert found == [("cat", ((0, 0), (2, 2)))]


def test_a_word_of_more_sentences_comes_first_then_the_one_that_appears_first():
    found = found_in(["cat", "dog", "fox"], ["fox", "cat", "dog"], ["dog"])
    assert [word.token for word in found] == ["dog", "cat", "fox"]


def test_nothing_is_shared():
    assert found_in(["[CLS]", "a", "##b", ".", "[SEP]"], ["[CLS]", "A", "##b", ".", "[SEP]"]) == []
    assert found_in(["cat", "cat"]) == []


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
    np.testing.assert_allclose(same_word(trace, (0, 0), (1, 1)), [1, 0.5**0.5, -1], rtol=1e-6)
    np.testing.assert_allclose(same_word(trace, (1, 1), (0, 0)), [1, 0.5**0.5, -1], rtol=1e-6)


def test_different_words_leave_the_same_word_out():
    """bank-y, x-y and x-bank: 0, 1, 0; then 0.6, 0.8, 0.707; then 1, 0, 0."""
    trace = trace_with(TOKENS, stages=STAGES)
    np.testing.assert_allclose(different_words(trace, 0, 1), [1 / 3, (1.4 + 0.5**0.5) / 3, 1 / 3], rtol=1e-6)


def test_sentences_of_one_same_word_have_no_different_ones():
    trace = trace_with([["bank", ","], ["bank", "."]], stages=STAGES)
    assert np.isnan(different_words(trace, 0, 1)).all()


def test_in_a_random_encoder_only_place_and_context_set_them_apart():
    encoder = Encoder.random(EncoderConfig(d_model=16, num_heads=2, d_ff=16, num_layers=2, positions="none"))
    trace = encoder.trace(["a bank", "b bank"], "padding")
    cosines = same_word(trace, (0, 1), (1, 1))
    np.testing.assert_allclose(cosines[0], 1, rtol=1e-6)
    assert (cosines[1:] < 0.999).all()
    assert cosines.shape == (3,)
