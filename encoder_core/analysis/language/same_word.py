"""The same word in several sentences: one row of the embedding table, and a vector of its own in each context."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import cosines, residual_stream
from encoder_core.analysis.language.kinds import STOP_WORDS, words_among
from encoder_core.trace import EncoderTrace

Place = tuple[int, int]  # sentence and token, counted from 0


class SharedWord(NamedTuple):
    """A token that occurs in several sentences, and the first place where it does in each."""

    token: str
    places: tuple[Place, ...]


def shared_words(tokens: Sequence[Sequence[str]], real: Bool[np.ndarray, "batch seq"]) -> list[SharedWord]:
    """The words that occur in two sentences or more: words of grammar ("the") last, else those in most sentences first.

    Special tokens, punctuation and inner pieces ("##ing") are none. Upper and lower case are different tokens.
    """
    found: dict[str, dict[int, int]] = {}
    for sentence, names in enumerate(tokens):
        for place, is_word in enumerate(words_among(names, real[sentence])):
            if is_word and not names[place].startswith("##"):
                found.setdefault(names[place], {}).setdefault(sentence, place)
    shared = [SharedWord(token, tuple(places.items())) for token, places in found.items() if len(places) > 1]
    return sorted(shared, key=lambda word: (word.token.lower() in STOP_WORDS, -len(word.places)))


def same_word(trace: EncoderTrace, first: Place, second: Place) -> Float[np.ndarray, "stage"]:
    """The cosine of the tokens at two places: as they enter the first block, and after each block.

    Of the same word both begin with the same row of the embedding table; at the first stage only the positions (and
    the norm of their sum, with `embedding_norm`) set them apart, after that their contexts.
    """
    rows, others = (_rows(trace, sentence)[:, [place]] for sentence, place in (first, second))
    return cosines(rows, others)[:, 0, 0]


def different_words(trace: EncoderTrace, first: int, second: int) -> Float[np.ndarray, "stage"]:
    """What `same_word` is compared with: the mean cosine of all pairs of different words, one of each sentence.

    NaN where there is no such pair. Special tokens and punctuation are no words. The trace must know its tokens: made
    from text, not from bare ids.
    """
    sentences = (first, second)
    words = [np.flatnonzero(words_among(trace.tokens[sentence], trace.real[sentence])) for sentence in sentences]
    names, others = (np.array(trace.tokens[sentence])[of] for sentence, of in zip(sentences, words, strict=True))
    differ = names[:, None] != others
    between = cosines(_rows(trace, first)[:, words[0]], _rows(trace, second)[:, words[1]])
    if not differ.any():
        return np.full(len(between), np.nan, between.dtype)
    return between[:, differ].mean(axis=-1)


def _rows(trace: EncoderTrace, sentence: int) -> Float[np.ndarray, "stage seq d_model"]:
    return residual_stream(trace, sentence, final_norm=False)
