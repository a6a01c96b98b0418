"""The neighbours of words in an embedding table (Mikolov et al. 2013: king - man + woman is near queen)."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.tokenizer import Tokenizer


def nearest_words(
    table: Float[np.ndarray, "vocab d_model"],
    tokenizer: Tokenizer,
    plus: Sequence[str],
    minus: Sequence[str] = (),
    count: int = 10,
) -> list[tuple[str, float]]:
    """The words whose rows point most nearly the way of the sum of the `plus` rows less the `minus` rows, with their
    cosine, the nearest first; not those given, no inner pieces ("##ing") and no special tokens.

    Raises ValueError for a word that is no single piece of the vocabulary, and where none is given.
    """
    given = [*plus, *minus]
    if not given:
        raise ValueError("no word: give at least one.")
    ids = [_id_of(word, tokenizer) for word in given]
    signs = np.array([1] * len(plus) + [-1] * len(minus), np.float32)
    direction = signs @ table[ids]
    lengths = np.sqrt(np.einsum("vd,vd->v", table, table))  # no copy of the table, which may be large
    whole = np.linalg.norm(direction)
    cosines = table @ direction / np.where(lengths * whole == 0, 1, lengths * whole)
    found: list[tuple[str, float]] = []
    for index in np.argsort(-cosines):
        word = tokenizer.vocabulary[index] if index < len(tokenizer.vocabulary) else ""
        if word and index not in ids and not word.startswith(("##", "[")):
            found.append((word, float(cosines[index])))
        if len(found) == count:
            break
    return found


def _id_of(word: str, tokenizer: Tokenizer) -> int:
    try:
        return tokenizer.vocabulary.index(word)
    except ValueError:
        raise ValueError(
            f"{word!r} is no single piece of the vocabulary: try a more common word, in lower case."
        ) from None
