"""The most similar words in an embedding table (Mikolov et al. 2013: king - man + woman is near queen)."""

import re
import weakref
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.support.validation import require_integer, require_items, require_numbers, require_type

_SPECIAL, _INNER = re.compile(r"\[.+\]"), re.compile(r"##.+")  # [CLS], ##ing
# The lengths of the rows of each read-only table that exists, by its identity. Threads may compute the same ones twice.
_lengths: dict[int, tuple[weakref.ref[np.ndarray], Float[np.ndarray, "vocab"]]] = {}


class Neighbour(NamedTuple):
    """A word, and its row b compared with a direction a: `dot` is a . b, `length` |b|, `cosine` a . b / (|a| |b|)."""

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
    include_terms: bool = False,
) -> list[Neighbour]:
    """The `count` words whose rows have the largest cosine with the direction of `direction_of`, the largest first.

    The words of `plus` and `minus` are left out. With `include_terms`, they are part of the ranking but do not count
    toward `count`. Special tokens ("[CLS]") are left out, and inner pieces ("##ing") unless one of the terms is one.
    The lengths of the rows of a read-only table are computed once: its numbers must not change.

    Raises ValueError if there is no word, or one is not in the vocabulary, for a text instead of a list of words, and
    unless `count` is a whole number from 0 and the table has a row for each word of the vocabulary. So does a direction
    of zeros, to which no word is nearer than another, and a row whose length is not finite.
    """
    table, added, subtracted = _checked(table, vocabulary, plus, minus)
    count = require_integer("count", count, 0)
    direction, lengths = _direction(table, added, subtracted), _row_lengths(table)
    if not direction.any() or sorted(added) == sorted(subtracted):  # sums in two orders can differ by rounding
        raise ValueError("no direction is left: the rows of the words cancel each other, or are all 0.")
    dots = table @ direction
    products = lengths * np.linalg.norm(direction)
    cosines = dots / np.where(products == 0, 1, products)
    term_ids = (*added, *subtracted)
    inner = any(_INNER.fullmatch(vocabulary[index]) for index in term_ids)
    neighbours: list[Neighbour] = []
    counted = 0
    for index in np.argsort(-cosines[: len(vocabulary)], kind="stable"):
        if counted == count:
            break
        word, is_term = vocabulary[index], index in term_ids
        if include_terms if is_term else _is_word(word, inner):
            neighbours.append(Neighbour(word, float(cosines[index]), float(dots[index]), float(lengths[index])))
            counted += not is_term
    return neighbours


def direction_of(
    table: Float[np.ndarray, "vocab d_model"],
    vocabulary: Sequence[str],
    plus: Sequence[str],
    minus: Sequence[str] = (),
) -> Float[np.ndarray, "d_model"]:
    """The sum of the `plus` rows minus the sum of the `minus` rows, which can be all 0.

    Raises ValueError as `nearest_words` does, also where one of these numbers is not finite.
    """
    return _direction(*_checked(table, vocabulary, plus, minus))


def _checked(
    table: Float[np.ndarray, "vocab d_model"], vocabulary: Sequence[str], plus: Sequence[str], minus: Sequence[str]
) -> tuple[Float[np.ndarray, "vocab d_model"], list[int], list[int]]:
    """The table, and the rows of the words of both lists."""
    table = require_numbers("table", table, "vocab d_model")
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(float)  # sums of small integers and squares of float16 overflow
    require_type("vocabulary", vocabulary, list | tuple, "lists of words")
    if len(vocabulary) > len(table):
        raise ValueError(f"{len(vocabulary)} words do not fit a table of {len(table)} rows: each word needs a row.")
    plus, minus = (
        require_items(name, words, str, "lists of words") for name, words in (("plus", plus), ("minus", minus))
    )
    if not plus and not minus:
        raise ValueError("there is no word: at least one is needed.")
    return table, [_id_of(word, vocabulary) for word in plus], [_id_of(word, vocabulary) for word in minus]


def _direction(
    table: Float[np.ndarray, "vocab d_model"], added: list[int], subtracted: list[int]
) -> Float[np.ndarray, "d_model"]:
    with np.errstate(over="ignore", invalid="ignore"):  # such numbers get the message below
        direction = table[added].sum(axis=0) - table[subtracted].sum(axis=0)
    if not np.isfinite(direction).all():
        raise ValueError("table: the rows of the words give a direction that is not finite.")
    return direction


def _row_lengths(table: Float[np.ndarray, "vocab d_model"]) -> Float[np.ndarray, "vocab"]:
    """The length of each row of the table. Raises ValueError where one is not finite."""
    key, is_constant = id(table), not table.flags.writeable
    stored = _lengths.get(key)
    if is_constant and stored is not None and stored[0]() is table:
        return stored[1]
    lengths = np.sqrt(np.einsum("vd,vd->v", table, table))  # no copy of a large table
    if not (is_finite := np.isfinite(lengths)).all():
        row = int(np.argmin(is_finite))
        raise ValueError(f"table: the length of row {row} is {lengths[row]}: allowed are rows of a finite length.")
    if is_constant:
        _lengths[key] = weakref.ref(table, lambda _: _lengths.pop(key, None)), lengths
    return lengths


def _is_word(word: str, inner: bool) -> bool:
    return not _SPECIAL.fullmatch(word) and (inner or not _INNER.fullmatch(word))


def _id_of(word: str, vocabulary: Sequence[str]) -> int:
    try:
        return vocabulary.index(word)
    except ValueError:
        raise ValueError(f"{word!r} is not in the vocabulary: try a more common word, in lower case.") from None
