"""Similar contexts: the tokens of many sentences whose vectors are nearest to one vector, at each layer.

Source of the idea: Hoover, Strobelt & Gehrmann 2020, "exBERT", section 3 (search over an annotated corpus).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from encoder_core.trace import SentenceTrace

_EQUAL = 1e-5  # cosines that differ by less are equal: float32 has no better accuracy for them


class ContextVectors(NamedTuple):
    """The vectors of all tokens of many sentences; a `place` is one token of one sentence.

    tokens    of each sentence
    sentence  (place,) the sentence of each place
    position  (place,) its position in the sentence
    vectors   (stage, place, d_model) the residual stream, scaled to length 1
    """

    tokens: tuple[tuple[str, ...], ...]
    sentence: Int[np.ndarray, "place"]
    position: Int[np.ndarray, "place"]
    vectors: Float[np.ndarray, "stage place d_model"]


class SimilarContext(NamedTuple):
    """A token with a similar vector.

    source     index of its `ContextVectors`
    sentence   the sentence there
    position   the token's position in the sentence
    cosines    (stage,) the cosine at every stage
    same_word  whether it is the same token as the query, in upper or lower case
    """

    source: int
    sentence: int
    position: int
    cosines: Float[np.ndarray, "stage"]
    same_word: bool


class SimilarContexts(NamedTuple):
    """The nearest tokens of one stage.

    nearest  largest cosine first
    equal    number of further tokens whose cosine equals that of the last one
    """

    nearest: tuple[SimilarContext, ...]
    equal: int


def context_vectors(traces: Iterable[SentenceTrace]) -> ContextVectors:
    """The vectors of all tokens of at least one sentence."""
    tokens, stages = zip(*((trace.tokens, trace.stages) for trace in traces), strict=True)
    lengths = [len(sentence) for sentence in tokens]
    vectors = np.concatenate(stages, axis=1)
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    vectors /= np.where(norms == 0, 1, norms)
    return ContextVectors(
        tokens,
        np.repeat(np.arange(len(tokens), dtype=np.int32), lengths),
        np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        vectors,
    )


def similar_contexts(
    vectors: Float[np.ndarray, "stage d_model"],
    token: str,
    sources: Sequence[ContextVectors],
    *,
    excluded: Collection[tuple[str, ...]] = (),
    count: int = 10,
) -> list[SimilarContexts]:
    """The places of all sources with the largest cosines with a token's vector, one result for each stage.

    cos(v, x) = v . x / (|v| |x|), both of the same stage

    vectors   those of the token
    excluded  token strings of sentences that are left out, such as the token's own
    count     number of places in each result, or fewer where there are no more

    Of equal cosines, the place that comes first in the sources is nearer.
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    # Not one einsum over all stages, which takes longer than a product of each stage.
    cosines = np.concatenate([_cosines(unit, source) for source in sources], axis=1)
    left_out = np.concatenate([_is_excluded(source, excluded) for source in sources])
    places = np.concatenate(
        [[np.full(len(s.sentence), index), s.sentence, s.position] for index, s in enumerate(sources)], axis=1
    )
    word = token.casefold()

    def context(place: int) -> SimilarContext:
        source, sentence, position = map(int, places[:, place])
        other = sources[source].tokens[sentence][position]
        return SimilarContext(source, sentence, position, cosines[:, place], other.casefold() == word)

    results = []
    for row in cosines:
        order = np.argsort(-np.round(np.where(left_out, -2, row) / _EQUAL), kind="stable")[: (~left_out).sum()]
        nearest = order[:count]
        rest = row[order[count:]]
        equal = int((rest > row[nearest[-1]] - _EQUAL).sum()) if len(rest) else 0
        results.append(SimilarContexts(tuple(context(int(place)) for place in nearest), equal))
    return results


def count_word(token: str, sources: Sequence[ContextVectors], *, excluded: Collection[tuple[str, ...]] = ()) -> int:
    """How often the token occurs in the sentences, in upper or lower case."""
    word = token.casefold()
    sentences = (sentence for source in sources for sentence in source.tokens if sentence not in excluded)
    return sum(other.casefold() == word for sentence in sentences for other in sentence)


def _cosines(unit: Float[np.ndarray, "stage d_model"], source: ContextVectors) -> Float[np.ndarray, "stage place"]:
    return np.stack([rows @ vector for rows, vector in zip(source.vectors, unit, strict=True)])


def _is_excluded(source: ContextVectors, excluded: Collection[tuple[str, ...]]) -> np.ndarray:
    by_sentence = np.array([tokens in excluded for tokens in source.tokens], bool)
    return by_sentence[source.sentence]
