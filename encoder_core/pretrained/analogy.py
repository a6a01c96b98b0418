"""An analogy as a person types it: "king - man + woman" (Mikolov, Yih & Zweig 2013, section 5)."""

import re
from collections import Counter
from typing import NamedTuple

from encoder_core.inputs.tokenizer import UNK
from encoder_core.pretrained.wordpiece import WordPieceTokenizer

LONGEST = 120  # characters
_SIGN = re.compile(r"[+−–]|(?<!\S)-|-(?!\S)")  # between letters, - is a hyphen
_LONGEST_WORD, _MOST_PIECES = 24, 6  # said in a sentence


class Term(NamedTuple):
    """A word, added (sign 1) or taken away (sign -1)."""

    sign: int
    word: str


class Analogy(NamedTuple):
    """Words of a vocabulary with their signs, in the order in which they were typed."""

    terms: tuple[Term, ...]

    @property
    def plus(self) -> tuple[str, ...]:
        """The words that are added."""
        return tuple(term.word for term in self.terms if term.sign > 0)

    @property
    def minus(self) -> tuple[str, ...]:
        """The words that are taken away."""
        return tuple(term.word for term in self.terms if term.sign < 0)

    def __str__(self) -> str:
        written = "".join(f" {'+' if term.sign > 0 else '−'} {term.word}" for term in self.terms)
        return written.removeprefix(" + ").strip()


def parse_analogy(text: str, tokenizer: WordPieceTokenizer) -> Analogy:
    """The analogy that a text says: words with +, - or − between them, each read as the tokenizer reads it.

    Spaces may be left out around + and −; a - between letters is a hyphen. Raises ValueError, in one sentence that
    says what is wrong and what to do.
    """
    if len(text) > LONGEST:
        raise ValueError(f"The analogy is too long: at most {LONGEST} characters are read.")
    terms = tuple(Term(sign, _piece(word, tokenizer)) for sign, word in _split(text))
    left: Counter[str] = Counter()
    for sign, word in terms:
        left[word] += sign
    if not any(left.values()):
        raise ValueError("The words take each other away, and no direction is left: change one of them.")
    return Analogy(terms)


def _split(text: str) -> list[Term]:
    """Sign and word of each term, as typed."""
    if not text.strip():
        raise ValueError("There is no word: type words with + or − between them, such as king - man + woman.")
    signs, parts = ["+", *_SIGN.findall(text)], _SIGN.split(text)
    if not parts[0].strip():  # the text begins with a sign
        signs, parts = signs[1:], parts[1:]
    terms = []
    for sign, part in zip(signs, parts, strict=True):
        words = part.split()
        if not words:
            raise ValueError(f"A word is missing after “{sign}”: type one, or leave the sign out.")
        if len(words) > 1:
            raise ValueError(f"What is between “{_short(words[0])}” and “{_short(words[1])}”? Put + or − there.")
        terms.append(Term(1 if sign == "+" else -1, words[0]))
    return terms


def _piece(word: str, tokenizer: WordPieceTokenizer) -> str:
    """The one piece of the vocabulary that a word is."""
    pieces = tokenizer.pieces(word)
    if len(pieces) == 1 and pieces[0] != UNK:
        return pieces[0]
    if len(pieces) < 2 or UNK in pieces:
        raise ValueError(f"“{_short(word)}” is not in the vocabulary: take another word.")
    cut = ", ".join(f"“{piece}”" for piece in pieces[:_MOST_PIECES]) + (", …" if len(pieces) > _MOST_PIECES else "")
    what_to_do = "put spaces around a minus, or take a word without a hyphen" if "-" in word else "take a commoner word"
    raise ValueError(
        f"“{_short(word)}” is no single piece of the vocabulary, so it has no row of its own; it is cut into "
        f"{cut}: {what_to_do}."
    )


def _short(word: str) -> str:
    return word if len(word) <= _LONGEST_WORD else word[: _LONGEST_WORD - 1] + "…"
