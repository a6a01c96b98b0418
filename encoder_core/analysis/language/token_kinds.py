"""Kinds of tokens: words, punctuation, and the special tokens that a tokenizer adds to a text."""

import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from encoder_core.support.validation import require_index, require_items, require_mask, require_type

CLS, SEP = "[CLS]", "[SEP]"
# [UNK] and [MASK] stand for words, and count as words.
SPECIAL = frozenset({CLS, SEP, "[PAD]"})

# Function words of English.
_FUNCTION_WORDS = (
    "a an and are as at be been but by did do does for from had has have he her hers him his i if in is it its me my "
    "no not of on or our she so than that the their them then there they this to too us was we were what when where "
    "which who whom whose will with would you your"
)
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())


def is_punctuation(token: str) -> bool:
    """True where all characters of the token are punctuation (Unicode categories that begin with P).

    Raises ValueError for what is no string.
    """
    require_type("token", token, str, "strings")
    return bool(token) and all(unicodedata.category(character).startswith("P") for character in token)


def word_mask(
    tokens: Sequence[str], real: Bool[np.ndarray, "seq"], *, punctuation: bool = False
) -> Bool[np.ndarray, "seq"]:
    """True where a token is a word or a piece of a word: not padding and not special.

    Punctuation counts as a word only with `punctuation`. Raises ValueError unless `real` has a boolean for each token.
    """
    tokens = require_items("tokens", tokens, str, "lists of tokens")
    require_mask("real", real, (len(tokens),))
    is_word = [token not in SPECIAL and (punctuation or not is_punctuation(token)) for token in tokens]
    return real & np.array(is_word, bool)


def special_tokens_and_query(tokens: Sequence[str], query: int) -> list[int]:
    """The positions of the special tokens and of the query. Raises ValueError where there is no such query."""
    tokens = require_items("tokens", tokens, str, "lists of tokens")
    require_index("query", query, len(tokens))
    return [position for position, token in enumerate(tokens) if position == query or token in SPECIAL]
