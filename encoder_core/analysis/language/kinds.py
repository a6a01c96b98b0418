"""Kinds of tokens: words, punctuation, and the special tokens that a tokenizer puts around a text."""

import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

CLS, SEP = "[CLS]", "[SEP]"
# [UNK] is a word that the vocabulary lacks, and [MASK] one to be guessed: both count as words.
SPECIAL = frozenset({CLS, SEP, "[PAD]"})

# Words of grammar rather than of content, which any two English sentences may share.
_GRAMMAR = (
    "a an and are as at be been but by did do does for from had has have he her hers him his i if in is it its me my "
    "no not of on or our she so than that the their them then there they this to too us was we were what when where "
    "which who whom whose will with would you your"
)
STOP_WORDS = frozenset(_GRAMMAR.split())


def is_punctuation(token: str) -> bool:
    """Whether all characters of the token are punctuation in Unicode's sense (a category that begins with P)."""
    return bool(token) and all(unicodedata.category(character).startswith("P") for character in token)


def words_among(
    tokens: Sequence[str], real: Bool[np.ndarray, "seq"], *, punctuation: bool = False
) -> Bool[np.ndarray, "seq"]:
    """True where a token is a word (or a piece of one): not padding, not special, no punctuation unless asked for."""
    kinds = [token not in SPECIAL and (punctuation or not is_punctuation(token)) for token in tokens]
    return real & np.array(kinds, bool)


def special_or_itself(tokens: Sequence[str], query: int) -> list[int]:
    """The places that say little about a query's words: special tokens, and the query's own."""
    return [place for place, token in enumerate(tokens) if place == query or token in SPECIAL]
