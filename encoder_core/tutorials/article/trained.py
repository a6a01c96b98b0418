"""What the rows about trained models share: the sentence of the article in a model, and its words without signs."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis import stack_patterns
from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.inputs.tokenizer import WordTokenizer
from encoder_core.recipes.article import SENTENCE

NOT_LOADED = (
    "The trained model all-MiniLM-L6-v2 is not loaded: choose minilm in the sidebar (where the server offers it) to "
    "load it, and this row measures it."
)
_SIGNS = ("[CLS]", "[SEP]", ",")


class Sentence(NamedTuple):
    """The article's sentence in a model.

    tokens   all tokens, signs included
    pattern  the weights of all heads
    """

    tokens: tuple[str, ...]
    pattern: Float[np.ndarray, "layer head query key"]

    def others(self, query: str) -> list[int]:
        """The positions of the words except the query, without signs."""
        return [i for i, token in enumerate(self.tokens) if token not in _SIGNS and token != query]

    def ranks(self, query: str, key: str) -> Int[np.ndarray, "layer head"]:
        """In each head: 1 where the query gives this word its largest weight of all other words, 2 for the second."""
        weights = self.pattern[:, :, self.tokens.index(query)]
        mine = weights[..., [self.tokens.index(key)]]
        return 1 + (weights[..., self.others(query)] > mine).sum(axis=-1)

    def weight(self, query: str, keys: Sequence[str]) -> Float[np.ndarray, "layer head"]:
        """The sum of the weights of these words in each head."""
        return self.pattern[:, :, self.tokens.index(query)][..., [self.tokens.index(key) for key in keys]].sum(-1)


@lru_cache(maxsize=1)
def in_trained(trained: Encoder) -> Sentence:
    """The sentence in the trained model."""
    trace = trained.trace(SENTENCE)
    return Sentence(trace.tokens[0], stack_patterns(trace, 0))


@lru_cache(maxsize=4)
def in_untrained(seed: int) -> Sentence:
    """The sentence in a model of the article's sizes with drawn parameters, in lower case as MiniLM reads it."""
    tokenizer = WordTokenizer.from_texts(SENTENCE.lower())
    config = EncoderConfig(vocab_size=len(tokenizer), num_layers=1, d_model=64, num_heads=4, d_ff=256)
    trace = Encoder.random(config, seed, tokenizer=tokenizer).trace(SENTENCE.lower())
    return Sentence(trace.tokens[0], trace.layers[0].pattern[0][None])
