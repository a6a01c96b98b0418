"""Find the selected word again after a change of the text, the sentence or the tokenizer."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool

from encoder_core.analysis.language import word_mask

_INNER = "##"  # prefix of a WordPiece that continues a word


def place_of_same_word(place: int, before: Sequence[str], after: Sequence[str], real: Bool[np.ndarray, "seq"]) -> int:
    """The place in `after` of the word at `place` in `before`, both counted from 0.

    If the word occurs several times, the same occurrence, or the last one if there are fewer. Case is ignored. A word
    that is split into pieces is at its first piece. If the word is missing, the nearest word; padding or a special
    token only if there is nothing else.
    """
    if not 0 <= place < len(before):
        return nearest_word(place, after, real)
    word, place = _words_at_first_pieces(before, place)
    words, _ = _words_at_first_pieces(after)
    occurrence = sum(other == word[place] for other in word[:place])
    places = [at for at, other in enumerate(words) if other == word[place] and real[at]]
    return places[min(occurrence, len(places) - 1)] if places else nearest_word(place, after, real)


def nearest_word(place: int, tokens: Sequence[str], real: Bool[np.ndarray, "seq"]) -> int:
    """The place nearest to `place` that is neither padding nor a special token; of two, the first."""
    for candidates in (word_mask(tokens, real, punctuation=True), real, np.ones_like(real)):
        places = np.flatnonzero(candidates)
        if len(places):
            return int(places[np.abs(places - place).argmin()])
    return 0


def _words_at_first_pieces(tokens: Sequence[str], place: int = 0) -> tuple[list[str], int]:
    """Each word in lower case at its first piece, with empty texts at the other pieces; and the first piece of the word
    at `place`."""
    words, start, starts = [""] * len(tokens), 0, []
    for at, token in enumerate(tokens):
        is_inner = at > 0 and token.startswith(_INNER)
        start = start if is_inner else at
        words[start] += (token.removeprefix(_INNER) if is_inner else token).casefold()
        starts.append(start)
    return words, starts[place]
