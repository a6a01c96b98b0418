"""Finding the selected word again after a change of the text, the sentence or the tokenizer."""

import numpy as np
import pytest

from dashboard.selection.word_position import nearest_word, place_of_same_word

SENTENCE = ("The", "black", "cat", "jumped", "on", "the", "sofa", ",", "as", "it", "was", "tired")
PIECES = ("[CLS]", "the", "black", "cat", "jumped", "on", "the", "sofa", ",", "as", "it", "was", "tired", "[SEP]")


def real(tokens):
    return np.array([token != "[PAD]" for token in tokens])


@pytest.mark.parametrize(
    ("place", "before", "after", "expected"),
    [
        (9, SENTENCE, PIECES, 10),  # "it", one place later because of [CLS]
        (10, PIECES, SENTENCE, 9),
        (0, SENTENCE, PIECES, 1),  # the tokenizer converts to lower case
        (5, SENTENCE, PIECES, 6),  # the second occurrence of "the"
        (6, PIECES, SENTENCE, 5),
        (5, SENTENCE, ("a", "the", "b"), 1),  # "the" occurs only once
        (9, SENTENCE, ("it", "rains", "[PAD]", "[PAD]"), 0),
        (6, SENTENCE, ("it", "rains", "[PAD]", "[PAD]"), 1),  # "sofa" is missing: the nearest word, never padding
        (13, PIECES, ("[CLS]", "it", "[SEP]", "[PAD]"), 2),  # [SEP] is in both
        (0, PIECES, SENTENCE, 0),  # [CLS] is missing
        (3, ("a", "b", "[PAD]", "[PAD]"), ("c", "d", "e", "f"), 3),
        (1, ("a", "walking", "b"), ("[CLS]", "a", "walk", "##ing", "b", "[SEP]"), 2),  # by its first piece
        (3, ("[CLS]", "a", "walk", "##ing", "b", "[SEP]"), ("a", "walking", "b"), 1),  # from its second piece
        (4, ("x", "##y", "z", "x", "##y"), ("xy", "z", "xy"), 2),  # the second of two words of two pieces
        (7, ("a",), ("a", "b"), 1),  # beyond the end
    ],
)
def test_place_of_same_word(place, before, after, expected):
    assert place_of_same_word(place, before, after, real(after)) == expected


@pytest.mark.parametrize(
    ("place", "tokens", "expected"),
    [
        (0, PIECES, 1),
        (13, PIECES, 12),
        (5, PIECES, 5),
        (99, ("a", "b", "[PAD]"), 1),
        (0, ("[CLS]", "[SEP]", "[PAD]"), 0),  # nothing but special tokens
    ],
)
def test_nearest_word(place, tokens, expected):
    assert nearest_word(place, tokens, real(tokens)) == expected
