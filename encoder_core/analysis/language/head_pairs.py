"""Pairs of tokens that a head connects, over many sentences, grouped by the kind of the pair.

Source of the idea: Hoover, Strobelt & Gehrmann 2020, "exBERT", section 3.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.analysis.language.head_roles import ROLES, role_keys
from encoder_core.analysis.language.token_kinds import SPECIAL, word_mask
from encoder_core.inputs.corpus.word_classes import WordClass, has_class
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_index, require_integer, require_items
from encoder_core.trace import SentenceTrace, checked_traces

SAME_WORD = "same word"
# The names are short enough for labels of a figure.
CLASS_PAIRS: dict[str, tuple[WordClass, WordClass]] = {
    "det → noun": ("determiner", "noun"),
    "noun → det": ("noun", "determiner"),
    "adj → noun": ("adjective", "noun"),
    "pron → noun": ("pronoun", "noun"),
    "verb → noun": ("verb", "noun"),
    "noun → verb": ("noun", "verb"),
    "prep → noun": ("preposition", "noun"),
}
KINDS = (*ROLES, SAME_WORD, *CLASS_PAIRS)


@compared_by_identity
class PairWeights(NamedTuple):
    """The weights of all pairs of a query and a visible key in many sentences, in every head.

    Queries are words and punctuation, not [CLS] and [SEP]. The pairs of one query are next to each other.

    tokens     of each sentence
    sentence   (pair,) the sentence of each pair
    query      (pair,) position of its query
    key        (pair,) position of its key
    word_pair  (pair,) index in `word_pairs`, the different pairs of a query word and a key word in lower case
    kinds      (kind, pair) True where the pair is of one of KINDS; a pair can be of several
    weights    (layer, head, pair) in the precision of the traces
    """

    tokens: tuple[tuple[str, ...], ...]
    sentence: Int[np.ndarray, "pair"]
    query: Int[np.ndarray, "pair"]
    key: Int[np.ndarray, "pair"]
    word_pair: Int[np.ndarray, "pair"]
    word_pairs: tuple[tuple[str, str], ...]
    kinds: Bool[np.ndarray, "kind pair"]
    weights: Float[np.ndarray, "layer head pair"]


class WordPair(NamedTuple):
    """A query word and a key word, in lower case, and the weights of all pairs of these words of one kind.

    mean           their mean weight
    occurrences    number of such pairs
    strongest      the largest weight
    source         index of the `PairWeights` with the strongest pair
    sentence       its sentence there
    query_at, key_at  the positions of its query and its key
    """

    query: str
    key: str
    mean: float
    occurrences: int
    strongest: float
    source: int
    sentence: int
    query_at: int
    key_at: int


class PairKind(NamedTuple):
    """What one head does with the pairs of one kind.

    kind       one of KINDS
    share      share of the queries whose largest weight is on a key of this kind
    uniform    the share if the largest weight were on a random visible key
    queries    number of queries that can attend to a key of this kind; only they count
    strongest  the pairs of words with the largest mean weights
    """

    kind: str
    share: float
    uniform: float
    queries: int
    strongest: tuple[WordPair, ...]


def pair_weights(traces: Iterable[SentenceTrace]) -> PairWeights:
    """The weights of all pairs in at least one sentence. Raises ValueError for what is no list of their traces."""
    tokens, parts = [], []
    index_of: dict[tuple[str, str], int] = {}
    for sentence, trace in enumerate(checked_traces(traces, SentenceTrace)):
        tokens.append(trace.tokens)
        is_query = word_mask(trace.tokens, np.ones(len(trace.tokens), bool), punctuation=True)
        query, key = np.nonzero(trace.visible & is_query[:, None])
        words = [token if token in SPECIAL else token.casefold() for token in trace.tokens]
        word_pair = [index_of.setdefault((words[q], words[k]), len(index_of)) for q, k in zip(query, key, strict=True)]
        places = np.array([np.full(len(query), sentence), query, key, word_pair], np.int32)
        parts.append((places, pair_kinds(trace.tokens)[:, query, key], trace.patterns[:, :, query, key]))
    if not parts:
        raise invalid_value("traces", [], "traces of at least one sentence")
    places, kinds, weights = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    sentences, queries, keys, word_pairs = places
    return PairWeights(tuple(tokens), sentences, queries, keys, word_pairs, tuple(index_of), kinds, weights)


def pair_kinds(tokens: Sequence[str]) -> Bool[np.ndarray, "kind query key"]:
    """The kinds of each pair of tokens of a sentence, see KINDS.

    The first kinds are those of `role_keys`. "same word" is another occurrence of the query's word, in upper or lower
    case. The last ones are pairs of word classes, for words of the project's sentences. Raises ValueError for what is
    no list of at least one token.
    """
    tokens = require_items("tokens", tokens, str, "lists of tokens", least=1)
    real, different = np.ones(len(tokens), bool), ~np.eye(len(tokens), dtype=bool)
    roles = role_keys(tokens, real)
    words = np.array([token.casefold() for token in tokens])
    is_word = word_mask(tokens, real)
    same = (words[:, None] == words) & different & is_word
    by_class = [
        np.outer([has_class(token, query) for token in tokens], [has_class(token, key) for token in tokens]) & different
        for query, key in CLASS_PAIRS.values()
    ]
    return np.concatenate([roles, [same, *by_class]])


def head_pairs(sources: Sequence[PairWeights], layer: int, head: int, *, count: int = 8) -> list[PairKind]:
    """The kinds of pairs of one head, in the order of KINDS, without kinds that do not occur; none for sentences that
    have no query.

    count  largest number of pairs of words for each kind; pairs of words that occur once are left out, unless all do

    Raises ValueError for what is no list of `PairWeights`, and for a layer or a head that does not exist.
    """
    sources = require_items("sources", sources, PairWeights, "lists of the results of `pair_weights`", least=1)
    layers, heads = sources[0].weights.shape[:2]
    require_index("layer", layer, layers)
    require_index("head", head, heads)
    count = require_integer("count", count, 0)
    if not any(len(source.query) for source in sources):
        return []
    pairs = _join(sources, layer, head)
    visible = np.diff(np.append(pairs.starts, len(pairs.weights)))
    largest = np.maximum.reduceat(pairs.weights, pairs.starts)
    results = []
    for kind, is_kind in zip(KINDS, pairs.kinds, strict=True):
        keys = np.add.reduceat(is_kind, pairs.starts, dtype=int)
        counted = keys > 0
        if counted.any():
            largest_of_kind = np.maximum.reduceat(np.where(is_kind, pairs.weights, -1), pairs.starts)
            share = float((largest_of_kind == largest)[counted].mean())
            uniform = float((keys / visible)[counted].mean())
            strongest = _strongest(pairs, np.flatnonzero(is_kind), count)
            results.append(PairKind(kind, share, uniform, int(counted.sum()), tuple(strongest)))
    return results


class _HeadPairs(NamedTuple):
    """The pairs of all sources with the weights of one head.

    places     (source, sentence, query, key) of each pair
    word_pair  (pair,) index in `word_pairs`
    starts     (query,) the first pair of each query
    """

    weights: Float[np.ndarray, "pair"]
    kinds: Bool[np.ndarray, "kind pair"]
    places: Int[np.ndarray, "place pair"]
    word_pair: Int[np.ndarray, "pair"]
    word_pairs: tuple[tuple[str, str], ...]
    starts: Int[np.ndarray, "query"]


def _join(sources: Sequence[PairWeights], layer: int, head: int) -> _HeadPairs:
    index_of: dict[tuple[str, str], int] = {}
    for source in sources:
        for words in source.word_pairs:
            index_of.setdefault(words, len(index_of))
    word_pairs = [np.array([index_of[words] for words in s.word_pairs], int)[s.word_pair] for s in sources]
    places = np.concatenate(
        [[np.full(len(s.query), index), s.sentence, s.query, s.key] for index, s in enumerate(sources)], axis=1
    )
    is_start = np.append(True, (np.diff(places[:3]) != 0).any(axis=0))
    return _HeadPairs(
        np.concatenate([source.weights[layer, head] for source in sources]),
        np.concatenate([source.kinds for source in sources], axis=1),
        places,
        np.concatenate(word_pairs),
        tuple(index_of),
        np.flatnonzero(is_start),
    )


def _strongest(pairs: _HeadPairs, chosen: Int[np.ndarray, "chosen"], count: int) -> list[WordPair]:
    """The pairs of words with the largest mean weights among the chosen pairs."""
    word_pair, weights = pairs.word_pair[chosen], pairs.weights[chosen]
    counts = np.bincount(word_pair)
    means = np.bincount(word_pair, weights) / np.maximum(counts, 1)
    is_candidate = counts >= min(2, int(counts.max()))
    order = np.argsort(np.where(is_candidate, -means, np.inf), kind="stable")[: min(count, is_candidate.sum())]
    results = []
    for index in order:
        same = chosen[word_pair == index]
        best = same[pairs.weights[same].argmax()]
        query, key = pairs.word_pairs[index]
        source, sentence, query_at, key_at = map(int, pairs.places[:, best])
        results.append(
            WordPair(query, key, float(means[index]), int(counts[index]), float(pairs.weights[best]), source, sentence,
                     query_at, key_at)
        )  # fmt: skip
    return results
