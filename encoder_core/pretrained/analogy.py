"""Parses an analogy such as "king - man + woman" (Mikolov, Yih & Zweig 2013, section 5)."""

import re
from collections import Counter
from typing import NamedTuple

from encoder_core.inputs.tokenizer import UNK
from encoder_core.pretrained.wordpiece import WordPieceTokenizer
from encoder_core.support.validation import require_type
from encoder_core.support.wording import shorten

MAX_LENGTH = 120  # characters
_SIGN = re.compile(r"[+−–]|(?<!\S)-|-(?!\S)")  # between letters, - is a hyphen
_MAX_WORD_LENGTH, _MAX_PIECES = 24, 6  # in an error message


class AnalogyTerm(NamedTuple):
    """A word that is added (sign 1) or subtracted (sign -1)."""

    sign: int
    word: str


class Analogy(NamedTuple):
    """Words of a vocabulary with their signs, in the order in which they were typed."""

    terms: tuple[AnalogyTerm, ...]

    @property
    def plus(self) -> tuple[str, ...]:
        """The words that are added."""
        return tuple(term.word for term in self.terms if term.sign > 0)

    @property
    def minus(self) -> tuple[str, ...]:
        """The words that are subtracted."""
        return tuple(term.word for term in self.terms if term.sign < 0)

    def __str__(self) -> str:
        text = "".join(f" {'+' if term.sign > 0 else '−'} {term.word}" for term in self.terms)
        return text.removeprefix(" + ").strip()


def parse_analogy(text: str, tokenizer: WordPieceTokenizer) -> Analogy:
    """The analogy in a text: words with +, - or − between them, each normalized by the tokenizer.

    Spaces around + and − are optional; a - between letters is a hyphen. Raises ValueError with one sentence that
    states the problem and the remedy.
    """
    require_type("text", text, str, "strings")
    require_type("tokenizer", tokenizer, WordPieceTokenizer, "WordPiece tokenizers, such as that of a trained encoder")
    if len(text) > MAX_LENGTH:
        raise ValueError(f"The analogy is too long: at most {MAX_LENGTH} characters are allowed.")
    terms = tuple(AnalogyTerm(sign, _piece(word, tokenizer)) for sign, word in _split(text))
    sums: Counter[str] = Counter()
    for sign, word in terms:
        sums[word] += sign
    if not any(sums.values()):
        raise ValueError("The words cancel each other, so no direction is left: change one of them.")
    return Analogy(terms)


def _split(text: str) -> list[AnalogyTerm]:
    """The sign and the word of each term, as typed."""
    if not text.strip():
        raise ValueError("There is no word: type words with + or − between them, such as king - man + woman.")
    signs, parts = ["+", *_SIGN.findall(text)], _SIGN.split(text)
    if not parts[0].strip():  # the text begins with a sign
        signs, parts = signs[1:], parts[1:]
    terms = []
    for sign, part in zip(signs, parts, strict=True):
        words = part.split()
        if not words:
            raise ValueError(f"A word is missing after “{sign}”: type one, or remove the sign.")
        if len(words) > 1:
            first, second = (shorten(word, _MAX_WORD_LENGTH) for word in words[:2])
            raise ValueError(f"No sign is between “{first}” and “{second}”: type + or − there.")
        terms.append(AnalogyTerm(1 if sign == "+" else -1, words[0]))
    return terms


def _piece(word: str, tokenizer: WordPieceTokenizer) -> str:
    """The piece of the vocabulary that is equal to the word."""
    pieces = tokenizer.pieces(word)
    if len(pieces) == 1 and pieces[0] != UNK:
        return pieces[0]
    quoted = shorten(word, _MAX_WORD_LENGTH)
    if len(pieces) < 2 or UNK in pieces:
        raise ValueError(f"“{quoted}” is not in the vocabulary: try another word.")
    split = ", ".join(f"“{piece}”" for piece in pieces[:_MAX_PIECES]) + (", …" if len(pieces) > _MAX_PIECES else "")
    remedy = "put spaces around a minus, or try a word without a hyphen" if "-" in word else "try a more common word"
    raise ValueError(
        f"“{quoted}” is not a single piece of the vocabulary, so no row stands for it; it is split into "
        f"{split}: {remedy}."
    )
