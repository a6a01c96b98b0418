"""Similar contexts: the tokens of many sentences whose vectors are nearest to one vector, at each layer.

Source of the idea: Hoover, Strobelt & Gehrmann 2020, "exBERT", section 3 (search over an annotated corpus).
"""

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core.analysis.similarity import unit_rows
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import (
    invalid_value,
    require_finite,
    require_index,
    require_integer,
    require_items,
    require_numbers,
    require_type,
)
from encoder_core.trace import SentenceTrace, checked_traces

_EQUAL = 1e-5  # cosines that differ by less are equal: float32 has no better accuracy for them


@compared_by_identity
class ContextVectors(NamedTuple):
    """The vectors of all tokens of many sentences; a `place` is one token of one sentence.

    tokens    of each sentence
    sentence  (place,) the sentence of each place
    position  (place,) its position in the sentence
    words     (place,) its token in lower case
    vectors   (stage, place, d_model) the residual stream, scaled to length 1
    """

    tokens: tuple[tuple[str, ...], ...]
    sentence: Int[np.ndarray, "place"]
    position: Int[np.ndarray, "place"]
    words: Shaped[np.ndarray, "place"]
    vectors: Float[np.ndarray, "stage place d_model"]


@compared_by_identity
class ContextComparison(NamedTuple):
    """The cosines of one token's vectors with the vectors of all places of one or several sources.

    cosines      (stage, place) both vectors are of this stage; -inf at places that are left out
    same_word    (place,) whether the place has the same token, in upper or lower case; False where it is left out
    words        (place,) the token in lower case
    places       (source, sentence, position) of each place
    """

    cosines: Float[np.ndarray, "stage place"]
    same_word: Bool[np.ndarray, "place"]
    words: Shaped[np.ndarray, "place"]
    places: Int[np.ndarray, "3 place"]


@compared_by_identity
class SimilarContext(NamedTuple):
    """A token with a similar vector: index of its source, its sentence there, and its position in the sentence.

    cosines    (stage,) the cosine at every stage
    same_word  whether it is the same token, in upper or lower case
    """

    source: int
    sentence: int
    position: int
    cosines: Float[np.ndarray, "stage"]
    same_word: bool


class SimilarContexts(NamedTuple):
    """The nearest tokens of one stage, largest cosine first.

    equal  number of further tokens whose cosine equals that of the last one
    """

    nearest: tuple[SimilarContext, ...]
    equal: int


def context_vectors(traces: Sequence[SentenceTrace]) -> ContextVectors:
    """The vectors of all tokens of at least one sentence. Raises ValueError for what is no list of their traces."""
    traces = list(checked_traces(traces, SentenceTrace))
    if not traces:
        raise invalid_value("traces", traces, "traces of at least one sentence")
    tokens = tuple(trace.tokens for trace in traces)
    lengths = [len(sentence) for sentence in tokens]
    stages, _, d_model = traces[0].stages.shape
    # Filled sentence by sentence: scaling all vectors at once would need twice the memory.
    vectors = np.empty((stages, sum(lengths), d_model), np.float32)
    for trace, end in zip(traces, accumulate(lengths), strict=True):
        vectors[:, end - len(trace.tokens) : end] = unit_rows(trace.stages)
    return ContextVectors(
        tokens,
        np.repeat(np.arange(len(tokens), dtype=np.int32), lengths),
        np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        np.array([token.casefold() for sentence in tokens for token in sentence]),
        vectors,
    )


def compare_contexts(
    vectors: Float[np.ndarray, "stage d_model"],
    token: str,
    sources: Sequence[ContextVectors],
    *,
    excluded: Collection[tuple[str, ...]] = (),
) -> ContextComparison:
    """The cosines of a token's vectors with those of all places: v . x / (|v| |x|).

    excluded  token strings of sentences that are left out, such as the token's own sentence

    Raises ValueError for vectors of other shapes than those of the sources, for numbers that are not finite, and for
    arguments of a wrong type.
    """
    vectors = require_numbers("vectors", vectors, "stage d_model")
    require_finite("vectors", vectors)
    require_type("token", token, str, "strings")
    sources = require_items("sources", sources, ContextVectors, "lists of the results of `context_vectors`", least=1)
    excluded = require_items("excluded", excluded, tuple, "collections of the tokens of sentences")
    for source in sources:
        shape = (len(source.vectors), source.vectors.shape[-1])
        if vectors.shape != shape:
            raise ValueError(f"vectors: shape={vectors.shape} is invalid: allowed is that of the sources, {shape}.")
    unit = unit_rows(vectors)
    # One product for each stage: a single einsum over all of them takes longer.
    cosines = [np.stack([rows @ row for rows, row in zip(s.vectors, unit, strict=True)]) for s in sources]
    left_out = [np.array([sentence in excluded for sentence in s.tokens], bool)[s.sentence] for s in sources]
    places = [[np.full(len(s.sentence), index), s.sentence, s.position] for index, s in enumerate(sources)]
    words = np.concatenate([source.words for source in sources])
    is_left_out = np.concatenate(left_out)
    return ContextComparison(
        np.where(is_left_out, np.float32(-np.inf), np.concatenate(cosines, axis=1)),
        (words == token.casefold()) & ~is_left_out,
        words,
        np.concatenate(places, axis=1),
    )


def nearest_contexts(
    comparison: ContextComparison, stage: int, *, count: int = 10, other_words: bool = False
) -> SimilarContexts:
    """The `count` nearest places of one stage, or fewer where there are no more.

    other_words  leave out the token itself, and take only the nearest place of each other word

    Of equal cosines, the place that comes first in the sources is nearer. Raises ValueError for a stage that does not
    exist, and unless `count` is a whole number from 1.
    """
    require_type("comparison", comparison, ContextComparison, "results of `compare_contexts`")
    require_index("stage", stage, len(comparison.cosines))
    count = require_integer("count", count, 1)
    cosines = comparison.cosines[stage]
    # Rounded, because the last digits of equal cosines differ.
    order = np.argsort(-np.round(cosines / _EQUAL), kind="stable")[: np.isfinite(cosines).sum()]
    if other_words:
        order = order[~comparison.same_word[order]]
        _, first = np.unique(comparison.words[order], return_index=True)
        order = order[np.sort(first)]
    nearest, others = order[:count], cosines[order[count:]]
    equal = int((others > cosines[nearest[-1]] - _EQUAL).sum()) if len(others) else 0
    return SimilarContexts(tuple(_context(comparison, int(place)) for place in nearest), equal)


def _context(comparison: ContextComparison, place: int) -> SimilarContext:
    source, sentence, position = map(int, comparison.places[:, place])
    cosines, same_word = comparison.cosines[:, place], bool(comparison.same_word[place])
    return SimilarContext(source, sentence, position, cosines, same_word)


def same_word_shares(comparison: ContextComparison) -> Float[np.ndarray, "stage"]:
    """The share of the same word among the n nearest places of each stage, for its n occurrences; NaN for n = 0.

    1: every occurrence is nearer than any other token (the R-precision of information retrieval).
    Raises ValueError for what is no comparison.
    """
    require_type("comparison", comparison, ContextComparison, "results of `compare_contexts`")
    occurrences = int(comparison.same_word.sum())
    if occurrences == 0:
        return np.full(len(comparison.cosines), np.nan)
    order = np.argsort(-comparison.cosines, axis=-1, kind="stable")[:, :occurrences]
    return comparison.same_word[order].mean(axis=-1)
