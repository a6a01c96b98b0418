"""The same word in several sentences: one row of the embedding table, and a different vector in each context."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import cosines, residual_stream
from encoder_core.analysis.language.token_kinds import STOP_WORDS, word_mask
from encoder_core.inputs.tokenizer import TokenBatch
from encoder_core.support.validation import invalid_value, require_index, require_two, require_type
from encoder_core.trace import EncoderTrace, require_trace

TokenPlace = tuple[int, int]  # (sentence, token), both from 0


class SharedWord(NamedTuple):
    """A token that occurs in several sentences, with its first place in each of them."""

    token: str
    places: tuple[TokenPlace, ...]


def shared_words(sentences: EncoderTrace | TokenBatch) -> list[SharedWord]:
    """The words that occur in at least two sentences; function words ("the") last, then by number of sentences.

    sentences  a trace of several sentences, or their tokens

    Special tokens, punctuation and inner pieces ("##ing") are not included. The case of letters matters.
    Raises ValueError for other inputs, and for a trace of ids or embeddings, which has no words.
    """
    require_type("sentences", sentences, EncoderTrace | TokenBatch, "traces of texts, and batches of tokens")
    if not sentences.tokens:
        raise ValueError("the trace has no tokens: its input must be text.")
    places: dict[str, dict[int, int]] = {}
    for sentence, names in enumerate(sentences.tokens):
        for position, is_word in enumerate(word_mask(names, sentences.real[sentence])):
            if is_word and not names[position].startswith("##"):
                places.setdefault(names[position], {}).setdefault(sentence, position)
    shared = [
        SharedWord(token, tuple(by_sentence.items())) for token, by_sentence in places.items() if len(by_sentence) > 1
    ]
    return sorted(shared, key=lambda word: (word.token.lower() in STOP_WORDS, -len(word.places)))


def same_word_similarity(
    trace: EncoderTrace, first: TokenPlace, second: TokenPlace, *, allow_unchained: bool = False
) -> Float[np.ndarray, "stage"]:
    """The cosine of the tokens at two places, at the input of the first layer and after each layer.

    first, second    a sentence and a token each, such as two of the `places` of a word of `shared_words`
    allow_unchained  True: also for layers that all read the embedded input, see `residual_stream`

    Two places of the same word have the same row of the embedding table. Without edits and dropout, the first cosine
    is below 1 only because of the positions, the following ones also because of the contexts. Raises ValueError for a
    place that is not in the trace or is padding, and for layers that are not chained.
    """
    (sentence, token), (other_sentence, other_token) = _checked_places(trace, first, second)
    rows = residual_stream(trace, sentence, allow_unchained=allow_unchained)[:, [token]]
    others = residual_stream(trace, other_sentence, allow_unchained=allow_unchained)[:, [other_token]]
    return cosines(rows, others)[:, 0, 0]


def different_words_similarity(
    trace: EncoderTrace, first: TokenPlace, second: TokenPlace, *, allow_unchained: bool = False
) -> Float[np.ndarray, "stage"]:
    """The mean cosine of all pairs of different words, one of each place's sentence: the baseline of
    `same_word_similarity`, which takes the same arguments.

    NaN where there is no such pair. Special tokens and punctuation are not words. The input of the trace must be text,
    because words are compared by their tokens. Raises ValueError for other inputs, for a place that is not in the trace
    or is padding, and for layers that are not chained.
    """
    places = _checked_places(trace, first, second)
    if not trace.tokens:
        raise ValueError("the trace has no tokens: its input must be text.")
    sentences = [sentence for sentence, _ in places]
    words = [np.flatnonzero(word_mask(trace.tokens[sentence], trace.real[sentence])) for sentence in sentences]
    names, others = (
        np.array(trace.tokens[sentence])[indices] for sentence, indices in zip(sentences, words, strict=True)
    )
    differ = names[:, None] != others
    similarity = cosines(*(
        residual_stream(trace, sentence, allow_unchained=allow_unchained)[:, indices]
        for sentence, indices in zip(sentences, words, strict=True)
    ))  # fmt: skip
    if not differ.any():
        return np.full(len(similarity), np.nan, similarity.dtype)
    return similarity[:, differ].mean(axis=-1)


def _checked_places(trace: EncoderTrace, first: TokenPlace, second: TokenPlace) -> tuple[TokenPlace, TokenPlace]:
    """The places as integers. Raises ValueError for what is no trace, and for places that it does not have or that are
    padding."""
    require_trace(trace)
    return _checked_place(trace, "first", first), _checked_place(trace, "second", second)


def _checked_place(trace: EncoderTrace, name: str, place: TokenPlace) -> TokenPlace:
    require_two(name, place, "pairs of a sentence and a token, such as (0, 3)")
    batch, seq = trace.real.shape
    sentence = require_index(f"sentence of {name}", place[0], batch)
    token = require_index(f"token of {name}", place[1], seq)
    if not trace.real[sentence, token]:
        raise invalid_value(name, (sentence, token), "places of tokens that are not padding")
    return sentence, token
