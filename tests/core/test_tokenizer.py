"""The tokenizer on words, signs and control characters of any script."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.inputs.tokenizer import PAD, UNK, as_sentences, split_words
from encoder_core.training import tasks

CONFIG = EncoderConfig(vocab_size=20, max_len=6, d_model=8, num_heads=2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The black cat jumped.", ["The", "black", "cat", "jumped", "."]),
        ("wait... what?!", ["wait", ".", ".", ".", "what", "?", "!"]),
        ("it's Peter\u2019s 'own' rock'n'roll", ["it's", "Peter\u2019s", "'", "own", "'", "rock'n'roll"]),
        ("3.14 x_1 a-b", ["3", ".", "14", "x_1", "a", "-", "b"]),
        ("Größe naïve cafe\u0301", ["Größe", "naïve", "café"]),
        ("Привет, мир", ["Привет", ",", "мир"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("你好，世界", ["你好", "，", "世界"]),
        ("สวัสดี", ["สวัสดี"]),
        ("می\u200cروم", ["می\u200cروم"]),
        ("family 👨\u200d👩\u200d👧\u200d👦 here", ["family", "👨\u200d👩\u200d👧\u200d👦", "here"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇫🇷🇩🇪", ["🇫🇷", "🇩🇪"]),
        ("❤\ufe0f 1\ufe0f\u20e3", ["❤\ufe0f", "1\ufe0f\u20e3"]),
        ("\u202ereversed\u202c", ["reversed"]),
        ("a\x00b\x07c", ["abc"]),
        ("tab\tline\nfeed\rnbsp\u00a0wide\u3000", ["tab", "line", "feed", "nbsp", "wide"]),
        ("file\x1cgroup\x1drecord\x1eunit\x1fnext\x85end", ["file", "group", "record", "unit", "next", "end"]),
        ("lone \ud800 surrogate", ["lone", "surrogate"]),
        ("\u200d \u200c\u200d", []),
        ("   \n\t ", []),
        ("", []),
        ("<b>$x_1$</b>", ["<", "b", ">", "$", "x_1", "$", "<", "/", "b", ">"]),
        ("[PAD]", ["[", "PAD", "]"]),
    ],
)
def test_words(text, words):
    assert split_words(text) == words


def test_ids_are_in_order_of_first_appearance():
    tokenizer = WordTokenizer.from_texts(["the cat saw the dog", "a cat"])
    assert tokenizer.vocabulary == (PAD, UNK, "the", "cat", "saw", "dog", "a")
    assert len(tokenizer) == 7
    batch = tokenizer(["the cat saw the dog", "a cat"])
    np.testing.assert_array_equal(batch.ids, [[2, 3, 4, 2, 5], [6, 3, 0, 0, 0]])
    np.testing.assert_array_equal(batch.real, [[True] * 5, [True, True, False, False, False]])
    assert batch.tokens == (("the", "cat", "saw", "the", "dog"), ("a", "cat", PAD, PAD, PAD))
    assert batch.truncated == (0, 0)


def test_unknown_words_have_one_id_and_keep_their_text():
    batch = WordTokenizer.from_texts("a b")("b z y")
    assert batch.tokens == (("b", "z", "y"),)
    np.testing.assert_array_equal(batch.ids, [[3, 1, 1]])


def test_words_beyond_the_vocabulary_are_unknown():
    tokenizer = WordTokenizer.from_texts("a b c d", max_vocab=4)
    assert tokenizer.vocabulary == (PAD, UNK, "a", "b")
    np.testing.assert_array_equal(tokenizer("a b c d").ids, [[2, 3, 1, 1]])
    assert WordTokenizer.from_texts("a b", max_vocab=1).vocabulary == (PAD, UNK)


def test_long_texts_are_truncated():
    tokenizer = WordTokenizer.from_texts(["a b c d e", "f"], max_len=3)
    assert tokenizer.vocabulary == (PAD, UNK, "a", "b", "c", "f")
    batch = tokenizer(["a b c d e", "f"], max_len=3)
    assert batch.tokens == (("a", "b", "c"), ("f", PAD, PAD))
    assert batch.truncated == (2, 0)


@pytest.mark.parametrize(
    ("texts", "message"), [("", "text 1"), (["a", " \n"], "text 2"), (["\u200d"], "text 1"), ([], "no text")]
)
def test_texts_without_words(texts, message):
    with pytest.raises(ValueError, match=message):
        WordTokenizer(["a"])(texts)


def test_as_sentences():
    assert as_sentences("a b") == ["a b"]
    assert as_sentences(("a", "b")) == ["a", "b"]


any_text = st.text(max_size=200) | st.text(alphabet=st.characters(), max_size=50)


@given(any_text)
def test_split_words_of_any_text(text):
    words = split_words(text)
    assert all(word and not any(char.isspace() for char in word) for word in words)
    assert split_words(" ".join(words)) == words
    visible = "".join(words)
    assert set(visible) <= set(unicodedata.normalize("NFC", text))
    assert all(char in visible for char in text if "a" <= char <= "z")


@given(any_text)
def test_any_text_gives_a_trace_or_an_error(text):
    encoder = Encoder.random(EncoderConfig(vocab_size=16, max_len=8, d_model=8, num_heads=2, d_ff=8))
    if not split_words(text):
        with pytest.raises(ValueError, match="no words"):
            encoder.trace(text)
    elif len(split_words(text)) > 8:
        with pytest.warns(UserWarning, match=f"truncated to max_len=8 tokens: {len(split_words(text)) - 8} left out"):
            trace = encoder.trace(text)
        assert trace.tokens[0] == tuple(split_words(text)[:8])
    else:
        trace = encoder.trace(text)
        assert trace.tokens[0] == tuple(split_words(text))
        assert np.isfinite(trace.output).all()


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3", True, np.zeros(2)])
def test_a_limit_is_a_whole_number_from_1(limit, unchecked):
    tokenizer = WordTokenizer(["a", "b"])
    allowed = "is invalid: allowed are whole numbers from 1"
    with pytest.raises(ValueError, match=f"max_len=.* {allowed}"):
        tokenizer("a b", max_len=limit)
    with pytest.raises(ValueError, match=f"max_len=.* {allowed}"):
        WordTokenizer.from_texts("a b", max_len=limit)
    with pytest.raises(ValueError, match=f"max_vocab=.* {allowed}"):
        WordTokenizer.from_texts("a b", max_vocab=limit)
    with pytest.raises(ValueError, match=f"max_len=.* {allowed}"):
        tasks()["reverse"].tokenizer("ab", max_len=limit)


def test_a_limit_of_1_and_numbers_of_numpy_are_allowed(unchecked):
    tokenizer = WordTokenizer(["a", "b"])
    assert tokenizer("a b", max_len=1).tokens == (("a",),)
    assert tokenizer("b a b", max_len=np.int64(2)).truncated == (1,)
    assert len(WordTokenizer.from_texts("a b c", max_vocab=1)) == 2


@pytest.mark.parametrize("words", ["abc", "", None, 3, ["a", 1], {"a": 1}, np.array(["a"])])
def test_words_are_a_list_of_strings(words, unchecked):
    with pytest.raises(ValueError, match=r"words.*is invalid: allowed (are|for words are) lists of words"):
        WordTokenizer(words)


@pytest.mark.parametrize("texts", [None, 3, {"a", "b"}, {"a": 1}, ["a", 1], [None], np.zeros(2), b"abc"])
def test_texts_are_strings(texts, unchecked):
    for call in (WordTokenizer(["a"]), WordTokenizer.from_texts, tasks()["words"].tokenizer):
        with pytest.raises(
            ValueError, match=r"texts.*is invalid: allowed (are|for texts are) one string and lists of strings"
        ):
            call(texts)


def test_a_tokenizer_fits_the_vocabulary():
    tokenizer = WordTokenizer(map(str, range(19)))
    for make in (
        lambda: Encoder.random(CONFIG, tokenizer=tokenizer),
        lambda: Encoder.from_parameters(CONFIG, Encoder.random(CONFIG).parameters(), tokenizer=tokenizer),
    ):
        with pytest.raises(
            ValueError, match=r"len\(tokenizer\)=21 is invalid: allowed are at most vocab_size=20 tokens"
        ):
            make()
    Encoder.random(CONFIG, tokenizer=WordTokenizer(map(str, range(18))))


@pytest.mark.parametrize("result", ["a b", ["a", "b"], None, np.array([[1, 2]])])
def test_a_tokenizer_returns_a_batch(result, unchecked):
    tokenizer = type("OtherTokenizer", (WordTokenizer,), {"__call__": lambda self, texts, max_len=None: result})(["a"])
    encoder = Encoder.random(CONFIG, tokenizer=tokenizer)
    for call in (encoder.trace, lambda text: encoder.trace_sentences([text])):
        with pytest.raises(
            ValueError, match=r"tokenizer\(text\)=.* is invalid: allowed are batches of the type TokenBatch"
        ):
            call("a b")
