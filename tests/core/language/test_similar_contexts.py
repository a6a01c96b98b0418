"""The nearest vectors in many sentences, with cosines that are computed by hand."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.analysis.language import compare_contexts, context_vectors, nearest_contexts, same_word_shares
from encoder_core.trace import SentenceTrace


def traced(tokens, *stages):
    """A sentence with these vectors at each stage; its patterns do not matter here."""
    seq = len(tokens)
    vectors = np.array(stages, np.float32)
    return SentenceTrace(tuple(tokens), vectors, np.zeros((1, 1, seq, seq), np.float32), np.ones((seq, seq), bool))


# Two stages in a plane. Directions from [1, 0]: cat 0°, sat 90°; The 180°, cat 45°; dog 60° (3-4-5 triangle for Cat).
SOURCE = context_vectors([
    traced(["cat", "sat"], [[2, 0], [0, 3]], [[0, 1], [1, 0]]),
    traced(["The", "Cat"], [[-1, 0], [3, 4]], [[4, 3], [0, 5]]),
])  # fmt: skip
QUERY = np.array([[5, 0], [7, 0]], np.float32)


def places(result):
    return [(c.source, c.sentence, c.position, c.same_word) for c in result.nearest]


def test_cosines_by_hand():
    comparison = compare_contexts(QUERY, "cat", [SOURCE])
    np.testing.assert_allclose(comparison.cosines, [[1, 0, -1, 0.6], [0, 1, 0.8, 0]], atol=1e-6)
    nearest = nearest_contexts(comparison, 0)
    assert places(nearest) == [(0, 0, 0, True), (0, 1, 1, True), (0, 0, 1, False), (0, 1, 0, False)]
    np.testing.assert_allclose(nearest.nearest[1].cosines, [0.6, 0], atol=1e-6)
    assert [place[:3] for place in places(nearest_contexts(comparison, 1, count=2))] == [(0, 0, 1), (0, 1, 0)]


def test_share_of_the_same_word_among_as_many_nearest_as_it_occurs():
    """Both cats are nearest at stage 0, neither at stage 1."""
    np.testing.assert_array_equal(same_word_shares(compare_contexts(QUERY, "CAT", [SOURCE])), [1, 0])
    assert np.isnan(same_word_shares(compare_contexts(QUERY, "horse", [SOURCE]))).all()


def test_own_sentence_is_left_out():
    comparison = compare_contexts(QUERY, "cat", [SOURCE], excluded=[("cat", "sat")])
    assert places(nearest_contexts(comparison, 0)) == [(0, 1, 1, True), (0, 1, 0, False)]
    np.testing.assert_array_equal(same_word_shares(comparison), [1, 0])


def test_each_other_word_once():
    twice = context_vectors([traced(["sat", "sat", "dog", "cat"], [[1, 1], [1, 2], [1, 3], [1, 0]])])
    comparison = compare_contexts(QUERY[:1], "cat", [twice])
    assert places(nearest_contexts(comparison, 0, other_words=True)) == [(0, 0, 0, False), (0, 0, 2, False)]


def test_places_of_several_sources():
    other = context_vectors([traced(["cat"], [[1, 0]], [[1, 0]])])
    comparison = compare_contexts(QUERY, "cat", [SOURCE, other])
    assert places(nearest_contexts(comparison, 1, count=2)) == [(0, 0, 1, False), (1, 0, 0, True)]
    np.testing.assert_allclose(same_word_shares(comparison), [1, 1 / 3])


def test_equal_cosines_keep_the_order_of_the_sentences_and_are_counted():
    many = context_vectors([traced(["a", "b", "c"], [[1, 0], [2, 0], [0, 1]]), traced(["a"], [[3, 0]])])
    result = nearest_contexts(compare_contexts(QUERY[:1], "a", [many]), 0, count=2)
    assert [place[1:3] for place in places(result)] == [(0, 0), (0, 1)]
    assert result.equal == 1


def test_zeros_have_cosine_zero():
    zeros = context_vectors([traced(["a"], [[0, 0]])])
    for vectors in (QUERY[:1], 0 * QUERY[:1]):
        assert compare_contexts(vectors, "a", [zeros]).cosines.tolist() == [[0]]


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("sizes", [{}, {"d_model": 96, "num_heads": 3, "norm": "pre", "final_norm": True}])
def test_sentences_that_share_a_pass_have_the_numbers_of_their_own_trace(mask, sizes):
    texts = ["The cat sat.", "A", "The dog and the cat ran into the garden, because it was hot.", "It ran."] * 3
    tokenizer = WordTokenizer.from_texts(texts)
    config = {"d_model": 32, "num_heads": 4, "d_ff": 64, "num_layers": 2, "vocab_size": len(tokenizer)} | sizes
    encoder = Encoder.random(EncoderConfig(**config), tokenizer=tokenizer)
    batches = [tokenizer(text) for text in texts]
    results = list(encoder.trace_sentences(batches, mask))
    assert len(results) == len(texts)
    for text, result in zip(texts, results, strict=True):
        trace = encoder.trace(text, mask)
        assert result.tokens == trace.tokens[0]
        stages = [trace.embedded[0], *(layer.resid_post[0] for layer in trace.layers)]
        np.testing.assert_allclose(result.stages, stages, atol=1e-5)
        np.testing.assert_allclose(result.patterns, [layer.pattern[0] for layer in trace.layers], atol=1e-6)
        np.testing.assert_array_equal(result.visible, trace.mask[0, 0])


def test_the_arrays_of_a_sentence_are_read_only_and_its_own():
    encoder = Encoder.random(EncoderConfig(vocab_size=20, d_model=8, num_heads=2, num_layers=1))
    for trace in encoder.trace_sentences(["a b c", "c a"]):
        for array in trace[1:]:
            assert not array.flags.writeable
            assert array.base is None  # a view keeps the arrays of all sentences of the pass in memory


@pytest.mark.parametrize("texts", [["one two", "three"], ["one", "two"]])
def test_a_batch_of_several_sentences_is_refused(texts):
    encoder = Encoder.random(EncoderConfig(), tokenizer=WordTokenizer.from_texts(texts))
    with pytest.raises(ValueError, match=r"batches\[1\] .* one sentence, without padding"):
        encoder.trace_sentences([encoder.tokenizer("one"), encoder.tokenizer(texts)])


def test_a_sentence_with_padding_is_refused():
    encoder = Encoder.random(EncoderConfig(), tokenizer=WordTokenizer.from_texts("one two"))
    both = encoder.tokenizer(["one two", "one"])
    padded = both._replace(tokens=both.tokens[1:], ids=both.ids[1:], real=both.real[1:], truncated=(0,))
    with pytest.raises(ValueError, match="without padding"):
        encoder.trace_sentences([padded])
