"""The neighbours of words in an embedding table (Mikolov et al. 2013: king - man + woman is near queen)."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

_SPECIAL, _INNER = re.compile(r"\[.+\]"), re.compile(r"##.+")  # [CLS], ##ing


class Neighbour(NamedTuple):
    """A word, and how its row b lies to a direction a: cosine = a . b / (|a| |b|); `dot` is a . b, `length` |b|."""

    word: str
    cosine: float
    dot: float
    length: float


def nearest_words(
    table: Float[np.ndarray, "vocab d_model"],
    vocabulary: Sequence[str],
    plus: Sequence[str],
    minus: Sequence[str] = (),
    count: int = 10,
    *,
    with_given: bool = False,
) -> list[Neighbour]:
    """The `count` words whose rows point most nearly the way of the sum of the `plus` rows less the `minus` rows, the
    nearest first.

    The words given are not among them, unless asked for: then they stand between the others, and are not counted. An
    inner piece ("##ing") is no word, unless one is given; a special token ("[CLS]") never is.

    Raises ValueError for a word that the vocabulary does not hold, and where none is given.
    """
    given = [_id_of(word, vocabulary) for word in (*plus, *minus)]
    direction = direction_of(table, vocabulary, plus, minus)
    dots, lengths = table @ direction, np.sqrt(np.einsum("vd,vd->v", table, table))  # no copy of a large table
    both = lengths * np.linalg.norm(direction)
    cosines = dots / np.where(both == 0, 1, both)
    inner = any(_INNER.fullmatch(vocabulary[index]) for index in given)
    found: list[Neighbour] = []
    others = 0
    for index in np.argsort(-cosines[: len(vocabulary)], kind="stable"):
        if others == count:
            break
        word, is_given = vocabulary[index], index in given
        if with_given if is_given else _is_word(word, inner):
            found.append(Neighbour(word, float(cosines[index]), float(dots[index]), float(lengths[index])))
            others += not is_given
    return found


def direction_of(
    table: Float[np.ndarray, "vocab d_model"],
    vocabulary: Sequence[str],
    plus: Sequence[str],
    minus: Sequence[str] = (),
) -> Float[np.ndarray, "d_model"]:
    """The sum of the `plus` rows less the `minus` rows. Raises ValueError as `nearest_words` does."""
    if not plus and not minus:
        raise ValueError("no word: give at least one.")
    added, taken = (table[[_id_of(word, vocabulary) for word in words]].sum(axis=0) for words in (plus, minus))
    return added - taken


def _is_word(word: str, inner: bool) -> bool:
    return not _SPECIAL.fullmatch(word) and (inner or not _INNER.fullmatch(word))


def _id_of(word: str, vocabulary: Sequence[str]) -> int:
    try:
        return vocabulary.index(word)
    except ValueError:
        raise ValueError(f"{word!r} is not in the vocabulary: try a more common word, in lower case.") from None
