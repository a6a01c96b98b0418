"""The pairs of tokens that a head connects, with weights and kinds that are set by hand."""

import numpy as np
import pytest

from encoder_core.analysis.language import head_pairs, pair_kinds, pair_weights
from encoder_core.analysis.language.head_pairs import KINDS
from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.corpus.word_classes import has_class
from encoder_core.inputs.tokenizer import split_words
from encoder_core.trace import SentenceTrace

CAT = ("[CLS]", "The", "cat", "sat", ",", "the", "[SEP]")


def traced(tokens, weights, visible=None):
    """A sentence with one layer and one head, which has these weights."""
    seq = len(tokens)
    visible = np.ones((seq, seq), bool) if visible is None else visible
    pattern = np.array(weights, np.float32)[None, None]
    return SentenceTrace(tuple(tokens), np.zeros((2, seq, 2), np.float32), pattern, visible)


def kinds_of(sources):
    return {kind.kind: kind for kind in head_pairs(sources, 0, 0)}


def test_the_kinds_of_pairs_by_hand():
    kinds = dict(zip(KINDS, pair_kinds(CAT), strict=True))
    places = {kind: [tuple(map(int, at)) for at in np.argwhere(mask)] for kind, mask in kinds.items()}
    assert places["same word"] == [(1, 5), (5, 1)]
    assert places["det → noun"] == [(1, 2), (5, 2)]
    assert places["noun → det"] == [(2, 1), (2, 5)]
    assert places["verb → noun"] == [(3, 2)]
    assert places["noun → verb"] == [(2, 3)]
    assert places["pron → noun"] == places["adj → noun"] == places["prep → noun"] == []
    assert places["next"] == [(1, 2), (2, 3), (3, 4), (4, 5)]
    assert places["[SEP]"] == [(query, 6) for query in range(1, 6)]


def test_a_word_of_two_classes_is_in_both_but_not_a_pair_with_itself():
    (kinds,) = [dict(zip(KINDS, pair_kinds(("play", "play")), strict=True))]
    np.testing.assert_array_equal(kinds["verb → noun"], [[False, True], [True, False]])


def test_shares_and_pairs_by_hand():
    """Three queries: it -> cat, cat -> it and sat -> sat are strongest."""
    source = pair_weights([traced(("it", "cat", "sat"), [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [0, 0.25, 0.75]])])
    kinds = kinds_of([source])
    assert [kind for kind in KINDS if kind in kinds] == list(kinds)
    assert set(kinds) == {"previous", "next", "itself", "pron → noun", "verb → noun", "noun → verb"}
    shares = {name: kind.share for name, kind in kinds.items()}
    assert shares == {"previous": 0.5, "next": 0.5, "itself": pytest.approx(1 / 3), "pron → noun": 1, "verb → noun": 0,
                      "noun → verb": 0}  # fmt: skip
    np.testing.assert_allclose([kind.uniform for kind in kinds.values()], 1 / 3)
    assert kinds["previous"].queries == 2
    assert kinds["pron → noun"].strongest == (("it", "cat", 0.5, 1, 0.5, 0, 0, 0, 1),)
    assert [(pair.query, pair.mean) for pair in kinds["itself"].strongest] == [
        ("sat", 0.75),
        ("it", 0.25),
        ("cat", 0.25),
    ]


def test_nearly_equal_weights_are_told_apart():
    kinds = kinds_of([pair_weights([traced(("it", "cat"), [[0.50001, 0.49999], [0, 1]])])])  # both 0.5 in float16
    assert (kinds["itself"].share, kinds["next"].share) == (1, 0)


def test_pairs_of_the_same_words_are_averaged_and_single_ones_left_out():
    first = traced(("The", "cat"), [[0.5, 0.5], [0, 1]])
    second = traced(("the", "cat"), [[0.25, 0.75], [0, 1]])
    third = traced(("a", "cat"), [[0, 1], [0, 1]])
    (pair,) = kinds_of([pair_weights([first, second, third])])["det → noun"].strongest
    assert pair == ("the", "cat", 0.625, 2, 0.75, 0, 1, 0, 1)
    (pair,) = kinds_of([pair_weights([third, first]), pair_weights([second])])["det → noun"].strongest
    assert pair == ("the", "cat", 0.625, 2, 0.75, 1, 0, 0, 1)


def test_special_tokens_are_keys_but_no_queries_and_masked_pairs_do_not_count():
    uniform = np.full((7, 7), 1 / 7)
    kinds = kinds_of([pair_weights([traced(CAT, uniform)])])
    assert kinds["[CLS]"].queries == kinds["[SEP]"].queries == 5
    assert kinds["[SEP]"].share == 1  # all weights are equal, so each is the largest
    assert kinds["[SEP]"].uniform == pytest.approx(1 / 7)
    causal = kinds_of([pair_weights([traced(CAT, np.tri(7) / np.arange(1, 8)[:, None], np.tri(7, dtype=bool))])])
    assert "next" not in causal
    assert "[SEP]" not in causal
    assert causal["itself"].uniform == pytest.approx(np.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6]))


def test_most_words_of_the_sentences_have_a_class():
    words = {word.lower() for sentence in load_sentences() for word in split_words(sentence) if word.isalpha()}
    classes = ("determiner", "noun", "pronoun", "verb", "adjective", "preposition")
    without = sorted(word for word in words if not any(has_class(word, name) for name in classes))
    assert without == [
        "and", "as", "because", "but", "down", "how", "i", "me", "not", "so", "there", "today", "too", "very", "we",
        "what", "when", "where", "who", "why", "yesterday", "you",
    ]  # fmt: skip


def test_sentences_without_a_query_have_no_pairs():
    """Special tokens are no queries; a sentence of nothing else may stand alone or beside others."""
    nothing = pair_weights([traced(("[SEP]", "[SEP]"), [[0.5, 0.5], [0.5, 0.5]])])
    some = pair_weights([traced(("it", "cat"), [[0.25, 0.75], [0.5, 0.5]])])
    assert head_pairs([nothing], 0, 0) == []
    assert [kind.kind for kind in head_pairs([some, nothing], 0, 0)] == [
        kind.kind for kind in head_pairs([some], 0, 0)
    ]  # fmt: skip
    assert head_pairs([nothing, some], 0, 0)[0].strongest[0].source == 1
