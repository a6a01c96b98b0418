"""The same word in several sentences: one row of the embedding table, and a different vector in each context."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import cosines, residual_stream
from encoder_core.analysis.language.token_kinds import STOP_WORDS, word_mask
from encoder_core.support.validation import invalid_value, require_index, require_items, require_two
from encoder_core.trace import EncoderTrace, require_trace

TokenPlace = tuple[int, int]  # (sentence, token), both from 0


class SharedWord(NamedTuple):
    """A token that occurs in several sentences, with its first place in each of them."""

    token: str
    places: tuple[TokenPlace, ...]


def shared_words(tokens: Sequence[Sequence[str]], real: Bool[np.ndarray, "batch seq"]) -> list[SharedWord]:
    """The words that occur in at least two sentences; function words ("the") last, then by number of sentences.

    Special tokens, punctuation and inner pieces ("##ing") are not included. The case of letters matters.
    Raises ValueError unless `real` has a row of booleans for each sentence.
    """
    sentences = require_items("tokens", tokens, Sequence, "lists of the tokens of each sentence")
    if np.ndim(real) != 2 or len(real) != len(sentences):
        raise invalid_value("real", real, f"boolean arrays of shape (batch, seq) with batch={len(sentences)}")
    places: dict[str, dict[int, int]] = {}
    for sentence, names in enumerate(sentences):
        for position, is_word in enumerate(word_mask(names, real[sentence])):
            if is_word and not names[position].startswith("##"):
                places.setdefault(names[position], {}).setdefault(sentence, position)
    shared = [
        SharedWord(token, tuple(by_sentence.items())) for token, by_sentence in places.items() if len(by_sentence) > 1
    ]
    return sorted(shared, key=lambda word: (word.token.lower() in STOP_WORDS, -len(word.places)))


def same_word_similarity(trace: EncoderTrace, first: TokenPlace, second: TokenPlace) -> Float[np.ndarray, "stage"]:
    """The cosine of the tokens at two places, at the input of the first layer and after each layer.

    Two places of the same word have the same row of the embedding table. Without edits and dropout, the first cosine
    is below 1 only because of the positions, the following ones also because of the contexts. Raises ValueError for a
    place that is not in the trace.
    """
    require_trace(trace)
    for name, pair in (("first", first), ("second", second)):
        require_two(name, pair, "pairs of a sentence and a token, such as (0, 3)")
    for sentence, place in (first, second):
        require_index("sentence", sentence, len(trace.real))
        require_index("token", place, trace.real.shape[1])
    rows, others = (_rows(trace, sentence)[:, [place]] for sentence, place in (first, second))
    return cosines(rows, others)[:, 0, 0]


def different_words_similarity(trace: EncoderTrace, first: int, second: int) -> Float[np.ndarray, "stage"]:
    """The mean cosine of all pairs of different words, one of each sentence: the baseline of `same_word_similarity`.

    NaN where there is no such pair. Special tokens and punctuation are not words. The input of the trace must be text,
    because words are compared by their tokens. Raises ValueError for other inputs, and where there is no such sentence.
    """
    require_trace(trace)
    require_index("first", first, len(trace.real))
    require_index("second", second, len(trace.real))
    if not trace.tokens:
        raise ValueError("the trace has no tokens: its input must be text.")
    sentences = (first, second)
    words = [np.flatnonzero(word_mask(trace.tokens[sentence], trace.real[sentence])) for sentence in sentences]
    names, others = (
        np.array(trace.tokens[sentence])[indices] for sentence, indices in zip(sentences, words, strict=True)
    )
    differ = names[:, None] != others
    similarity = cosines(_rows(trace, first)[:, words[0]], _rows(trace, second)[:, words[1]])
    if not differ.any():
        return np.full(len(similarity), np.nan, similarity.dtype)
    return similarity[:, differ].mean(axis=-1)


def _rows(trace: EncoderTrace, sentence: int) -> Float[np.ndarray, "stage seq d_model"]:
    return residual_stream(trace, sentence, final_norm=False)
