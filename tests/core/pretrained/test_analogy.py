"""Analogies as they are typed, read with a vocabulary of a few words. All expectations are by hand."""

import re

import pytest

from encoder_core.pretrained import WordPieceTokenizer, parse_analogy
from encoder_core.pretrained.analogy import MAX_LENGTH
from tests.core.pretrained.tiny import tokenizer

TERMS = (("the", 1), ("cat", -1), ("sat", 1))


@pytest.fixture(scope="module")
def reader():
    """A tokenizer that knows: the, cat, sat, walk, ##ing, ##ed, on, the full stop and the comma."""
    return WordPieceTokenizer(tokenizer())


@pytest.mark.parametrize(
    "text",
    [
        "the - cat + sat",
        "the − cat + sat",
        "the – cat + sat",
        "the−cat+sat",
        " the -cat +sat ",
        "the- cat+ sat",
        "+ the - cat + sat",
        "+the\t-\ncat+sat",
        "The − CAT + Sàt",
        "the\u200b - c\u0301at + sat",
    ],
)
def test_the_same_analogy_in_many_spellings(reader, text):
    analogy = parse_analogy(text, reader)
    assert tuple((term.word, term.sign) for term in analogy.terms) == TERMS
    assert (analogy.plus, analogy.minus) == (("the", "sat"), ("cat",))
    assert str(analogy) == "the − cat + sat"


@pytest.mark.parametrize(
    ("text", "plus", "minus", "written"),
    [
        ("cat", ("cat",), (), "cat"),
        ("-cat", (), ("cat",), "− cat"),
        ("- cat - sat", (), ("cat", "sat"), "− cat − sat"),
        ("cat + cat", ("cat", "cat"), (), "cat + cat"),
        (". + ,", (".", ","), (), ". + ,"),
        ("cat - the + the", ("cat", "the"), ("the",), "cat − the + the"),
    ],
)
def test_signs_and_order(reader, text, plus, minus, written):
    analogy = parse_analogy(text, reader)
    assert (analogy.plus, analogy.minus, str(analogy)) == (plus, minus, written)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no word"),
        (" \t ", "There is no word"),
        ("+", "A word is missing after “+”"),
        ("the - ", "A word is missing after “-”"),
        ("the + − cat", "A word is missing after “+”"),
        ("the cat", "No sign is between “the” and “cat”: type + or − there."),
        ("the - cat sat", "No sign is between “cat” and “sat”"),
        ("walking", "“walking” is not a single piece of the vocabulary, so no row stands for it"),
        ("walking", "it is split into “walk”, “##ing”: try a more common word."),
        ("the-cat", "“the-cat” is not in the vocabulary"),  # this vocabulary has no hyphen
        ("cat + xyz", "“xyz” is not in the vocabulary: try another word"),
        ("cat + [UNK]", "is not in the vocabulary"),
        ("cat + \u0301", "is not in the vocabulary"),
        ("cat,on", "it is split into “cat”, “,”, “on”"),
        ("cat - cat", "cancel each other"),
        ("cat + the - cat − The", "cancel each other"),
        ("x" * 30, f"“{'x' * 23}…” is not in the vocabulary"),
        ("c" + "a" * MAX_LENGTH, f"at most {MAX_LENGTH} characters"),
        ("<script>alert(1)</script>", "“<script>alert(1)</scrip…” is not in the vocabulary"),
    ],
)
def test_an_invalid_analogy_raises_one_sentence(reader, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_analogy(text, reader)


def test_as_long_as_allowed(reader):
    text = "cat" + " " * (MAX_LENGTH - 3)
    assert str(parse_analogy(text, reader)) == "cat"
    with pytest.raises(ValueError, match="too long"):
        parse_analogy(text + " ", reader)


def test_pieces_of_a_text_have_nothing_around_them(reader):
    assert reader.pieces("Walking the cat.") == ("walk", "##ing", "the", "cat", ".")
    assert reader.pieces("") == ()
    assert reader.pieces("cat \ud800") == ("cat",)


@pytest.mark.parametrize("text", [None, 3, ["king"], b"king"])
def test_an_analogy_is_a_text(text, reader, unchecked):
    with pytest.raises(ValueError, match=r"text=.* is invalid: allowed are strings"):
        parse_analogy(text, reader)


@pytest.mark.parametrize("reader", [None, "minilm", tokenizer()])
def test_an_analogy_is_read_by_a_wordpiece_tokenizer(reader, unchecked):
    with pytest.raises(ValueError, match=r"tokenizer=.* is invalid: allowed are WordPiece tokenizers"):
        parse_analogy("the - cat", reader)
