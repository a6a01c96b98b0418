"""Neighbours in a table of six rows of two numbers, by hand."""

import weakref
from unittest.mock import patch

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.pretrained import direction_of, nearest_words

VOCABULARY = ("[PAD]", "king", "queen", "man", "woman", "##ing", "nothing")
TABLE = np.array([[3, 4], [4, 3], [3, 4], [1, 0], [0, 1], [6, 8], [0, 0]], np.float32)


def _rounded(neighbours):
    return [(other.word, round(other.cosine, 6), other.dot, other.length) for other in neighbours]


def test_king_less_man_and_woman_is_queen():
    """(4, 3) - (1, 0) + (0, 1) = (3, 4), of length 5: just the row of queen."""
    np.testing.assert_array_equal(direction_of(TABLE, VOCABULARY, ["king", "woman"], ["man"]), [3, 4])
    neighbours = nearest_words(TABLE, VOCABULARY, ["king", "woman"], ["man"])
    assert _rounded(neighbours) == [("queen", 1.0, 25.0, 5.0), ("nothing", 0.0, 0.0, 0.0)]


def test_the_nearest_words_of_an_encoder_are_those_of_its_table():
    config = EncoderConfig(vocab_size=8, d_model=2, num_heads=1, d_ff=1, num_layers=1)
    table = np.concatenate([TABLE, [[9, 9]]])  # a row that its tokenizer never uses
    parameters = Encoder.random(config).parameters() | {"token_embedding": table}
    encoder = Encoder.from_parameters(config, parameters, tokenizer=WordTokenizer(VOCABULARY[1:6]))
    with_unknown = ("[PAD]", "[UNK]", *VOCABULARY[1:6])
    for arguments, options in (((["queen", "man"], ["king"], 2), {}), ((["man"],), {"include_terms": True})):
        expected = nearest_words(table, with_unknown, *arguments, **options)
        assert [each.word for each in encoder.nearest_words(*arguments, **options)] == [each.word for each in expected]
    with pytest.raises(ValueError, match="this encoder has no tokenizer"):
        Encoder.random(config).nearest_words(["man"])


def test_the_words_of_the_question_stand_between_the_others_when_asked_for():
    """king: 4 * 3 + 3 * 4 = 24 of 5 * 5; woman: 4 of 5 * 1; man: 3 of 5 * 1."""
    neighbours = nearest_words(TABLE, VOCABULARY, ["king", "woman"], ["man"], include_terms=True)
    assert _rounded(neighbours) == [
        ("queen", 1.0, 25.0, 5.0),
        ("king", 0.96, 24.0, 5.0),
        ("woman", 0.8, 4.0, 1.0),
        ("man", 0.6, 3.0, 1.0),
        ("nothing", 0.0, 0.0, 0.0),
    ]
    assert [other.word for other in nearest_words(TABLE, VOCABULARY, ["king"], count=2, include_terms=True)] == [
        "king",
        "queen",
        "man",  # 4 of 5, and woman 3 of 5
    ]


def test_count_does_not_count_the_words_of_the_question():
    neighbours = nearest_words(TABLE, VOCABULARY, ["woman"], count=1, include_terms=True)
    assert [other.word for other in neighbours] == ["woman", "queen"]
    assert nearest_words(TABLE, VOCABULARY, ["woman"], count=0) == []


def test_an_inner_piece_is_a_word_only_beside_another():
    assert "##ing" not in [other.word for other in nearest_words(TABLE, VOCABULARY, ["queen"])]
    with_two = nearest_words(np.vstack([TABLE, [[3, 4]]]), (*VOCABULARY, "##ed"), ["##ing"], count=2)
    assert [other.word for other in with_two] == ["queen", "##ed"]


@pytest.mark.parametrize("words", [["[PAD]"], ["king"], ["man", "woman"]])
def test_a_special_token_is_no_neighbour(words):
    assert "[PAD]" not in [other.word for other in nearest_words(TABLE, VOCABULARY, words)]


def test_what_points_the_other_way_comes_last():
    """- man = (-1, 0): woman and the row of zeros are at right angles, king -4/5, queen -3/5."""
    neighbours = nearest_words(TABLE, VOCABULARY, [], ["man"])
    assert _rounded(neighbours) == [
        ("woman", 0.0, 0.0, 1.0),
        ("nothing", 0.0, 0.0, 0.0),
        ("queen", -0.6, -3.0, 5.0),
        ("king", -0.8, -4.0, 5.0),
    ]


def test_rows_without_a_word_are_left_out():
    """A table may have more rows than there are words, and the last row would be the nearest."""
    table = np.vstack([TABLE, [[3, 4]]]).astype(np.float32)
    assert len(nearest_words(table, VOCABULARY, ["queen"])) == 4


def _lengths(table):
    return [other.length for other in nearest_words(table, VOCABULARY, ["queen"])]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.float16, bool])
def test_tables_of_other_types_are_computed_as_floats(kind, unchecked):
    words, table = ["a", "b", "c"], np.array([[100, 100], [100, 0], [0, 120]]).astype(kind)
    numbers = table.astype(float)
    sums = numbers[0] - numbers[1] - numbers[2]
    np.testing.assert_array_equal(direction_of(table, words, ["a"], ["b", "c"]), sums)
    nearest, expected = (nearest_words(each, words, ["a"], ["b"], include_terms=True) for each in (table, numbers))
    assert nearest == expected


def test_the_lengths_of_a_read_only_table_are_computed_once():
    table = TABLE.copy()
    table.setflags(write=False)
    with patch.object(np, "einsum", wraps=np.einsum) as computed:
        assert _lengths(table) == _lengths(table) == _lengths(TABLE)
    assert computed.call_count == 2  # the other one is of TABLE, which can change


def test_a_table_that_changes_has_the_lengths_of_its_numbers():
    table = TABLE.copy()
    first = _lengths(table)
    table *= 2
    table.setflags(write=False)
    assert _lengths(table) == [2 * length for length in first]
    table.setflags(write=True)
    table *= 2
    assert _lengths(table) == [4 * length for length in first]


def test_the_lengths_do_not_keep_their_table_alive():
    table = TABLE.copy()
    table.setflags(write=False)
    _lengths(table)
    reference = weakref.ref(table)
    del table
    assert reference() is None


@pytest.mark.parametrize("function", [nearest_words, direction_of])
@pytest.mark.parametrize(
    ("words", "message"), [([], "at least one"), (["king", "prince"], "'prince' is not in the vocab")]
)
def test_what_has_no_row(function, words, message):
    with pytest.raises(ValueError, match=message):
        function(TABLE, VOCABULARY, words)


@pytest.mark.parametrize(
    ("plus", "minus"), [(["king"], ["king"]), (["king", "man"], ["man", "king"]), (["nothing"], [])]
)
def test_a_direction_of_zeros_has_no_nearest_word(plus, minus):
    assert not direction_of(TABLE, VOCABULARY, plus, minus).any()
    with pytest.raises(ValueError, match="no direction is left: the rows of the words cancel each other, or are all 0"):
        nearest_words(TABLE, VOCABULARY, plus, minus)


def test_words_cancel_each_other_in_any_order():
    table = np.array([[0.1], [0.4], [0.2]], np.float32)
    assert direction_of(table, ["a", "b", "c"], ["a", "b", "c"], ["b", "c", "a"]).any()  # by rounding
    with pytest.raises(ValueError, match="no direction is left"):
        nearest_words(table, ["a", "b", "c"], ["a", "b", "c"], ["b", "c", "a"])


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("is_read_only", [False, True])
def test_a_table_with_a_number_that_is_not_finite(number, is_read_only):
    table = TABLE.copy()
    table[3, 1] = number
    table.setflags(write=not is_read_only)
    with pytest.raises(ValueError, match="table: the rows of the words give a direction that is not finite"):
        direction_of(table, VOCABULARY, ["king"], ["man"])
    for words in (["king"], ["king"]):  # also the second time
        with pytest.raises(ValueError, match=r"table: the length of row 3 is (nan|inf): allowed are rows of a finite"):
            nearest_words(table, VOCABULARY, words)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"plus": "king"}, "plus='king' is invalid: allowed are lists of words"),
        ({"minus": "man"}, "minus='man' is invalid: allowed are lists of words"),
        ({"plus": [1]}, r"plus\[0\]=1 is invalid: allowed for plus are lists of words"),
        ({"plus": None}, "plus=None is invalid: allowed are lists of words"),
        ({"count": -1}, "count=-1 is invalid: allowed are whole numbers from 0"),
        ({"count": None}, "count=None is invalid: allowed are whole numbers from 0"),
        ({"table": TABLE[:3]}, "7 words do not fit a table of 3 rows"),
        ({"table": TABLE[0]}, r"table: shape=\(2,\) is invalid: allowed are numbers of shape \(vocab, d_model\)"),
        ({"table": None}, r"table=None is invalid: allowed are numbers of shape \(vocab, d_model\)"),
        ({"vocabulary": "abc"}, "vocabulary='abc' is invalid: allowed are lists of words"),
    ],
)
def test_arguments_of_a_wrong_type(arguments, message, unchecked):
    valid = {"table": TABLE, "vocabulary": VOCABULARY, "plus": ["king"]}
    with pytest.raises(ValueError, match=message):
        nearest_words(**valid | arguments)
    if "count" not in arguments:
        with pytest.raises(ValueError, match=message):
            direction_of(**valid | arguments)
