"""Where a selected word stands after the text, the sentence or the tokenizer has changed."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from encoder_core.analysis.language import words_among

_INNER = "##"  # a WordPiece that continues the piece before it


def place_of_same_word(place: int, before: Sequence[str], after: Sequence[str], real: Bool[np.ndarray, "seq"]) -> int:
    """The place in `after` of the word that stands at `place` in `before`, both counted from 0.

    Of a word that occurs several times, the same occurrence where there is one. Upper and lower case do not matter, and
    a word that one of the tokenizers cuts into pieces is found by its first piece. Where the word is gone, the nearest
    word; padding and special tokens only where there is nothing else.
    """
    if not 0 <= place < len(before):
        return nearest_word(place, after, real)
    word, place = _words_at_first_pieces(before, place)
    words, _ = _words_at_first_pieces(after)
    occurrence = sum(other == word[place] for other in word[:place])
    found = [at for at, other in enumerate(words) if other == word[place] and real[at]]
    return found[min(occurrence, len(found) - 1)] if found else nearest_word(place, after, real)


def nearest_word(place: int, tokens: Sequence[str], real: Bool[np.ndarray, "seq"]) -> int:
    """The place nearest to `place` that is neither padding nor a special token; the earlier of two."""
    for candidates in (words_among(tokens, real, punctuation=True), real, np.ones_like(real)):
        places = np.flatnonzero(candidates)
        if len(places):
            return int(places[np.abs(places - place).argmin()])
    return 0


def _words_at_first_pieces(tokens: Sequence[str], place: int = 0) -> tuple[list[str], int]:
    """At each first piece the whole word in lower case, at inner pieces an empty text; and the first piece of the word
    that `place` belongs to."""
    words, start, starts = [""] * len(tokens), 0, []
    for at, token in enumerate(tokens):
        is_inner = at > 0 and token.startswith(_INNER)
        start = start if is_inner else at
        words[start] += (token.removeprefix(_INNER) if is_inner else token).casefold()
        starts.append(start)
    return words, starts[place]
