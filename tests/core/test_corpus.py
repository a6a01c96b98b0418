"""The properties of the text that a small masked-word model learns."""

import re
from collections import Counter

from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.tokenizer import split_words

# The default text of the dashboard, written out: the package does not depend on the dashboard.
DEFAULT = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
TWO_MEANINGS = ("bank", "bat", "light", "orange", "play", "watch")
NAMES = {"Anna", "Tom", "Monday", "Sunday", "I"}


def test_sentences_are_different_and_short() -> None:
    sentences = load_sentences()
    assert 500 <= len(sentences) <= 700
    assert len(set(sentences)) == len(sentences)
    for sentence in sentences:
        words = [word for word in split_words(sentence) if word.isalpha()]
        assert 4 <= len(words) <= 16, sentence


def test_spelling() -> None:
    for sentence in load_sentences():
        assert re.fullmatch(r"[A-Z][A-Za-z ,.?]+", sentence), sentence
        for word in re.findall(r"(?<=[a-z,] )[A-Z]\w*", sentence):
            assert word in NAMES, sentence


def test_few_words_and_each_several_times() -> None:
    counts = Counter(word.lower() for sentence in load_sentences() for word in split_words(sentence))
    assert len(counts) <= 250
    assert min(counts.values()) >= 4
    assert all(counts[word] >= 8 for word in TWO_MEANINGS)


def test_default_text_of_the_dashboard_is_the_first_sentence() -> None:
    assert load_sentences()[0] == DEFAULT
