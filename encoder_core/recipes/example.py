"""The example batch of a tutorial, drawn from a seed."""

import string
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from encoder_core.config import EncoderConfig
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.tokenizer import PAD, TokenBatch
from encoder_core.support.read_only import compared_by_identity, make_read_only
from encoder_core.support.validation import require_integer


@compared_by_identity
class RecipeInputs(NamedTuple):
    """A tutorial's example batch, in the form that `Encoder.trace` takes.

    inputs       token strings and ids, (batch, seq)
    mask         None, "causal", or an array that is True for visible keys, (batch, 1, seq)
    description  of the batch, one line
    """

    inputs: TokenBatch
    mask: MaskSpec
    description: str


@dataclass(frozen=True)
class Example:
    """How an example batch is made.

    kind  "random ids": drawn from the vocabulary; "every id": 0, 1, 2, ...; "these ids": those of `ids`;
          "rows": each token is a different row of the table, which stands for rows drawn from a normal distribution;
          "words": stretches of `text` from random offsets, with ids in the order of first appearance.
    mask  None, "causal", or "random keys": each key of each sentence is hidden with probability 1/2, but at least one
          is visible.
    """

    batch: int
    seq: int
    kind: Literal["random ids", "every id", "these ids", "rows", "words"]
    mask: Literal["causal", "random keys"] | None
    description: str
    ids: tuple[int, ...] = ()
    text: str = ""

    def draw(self, config: EncoderConfig, seed: int = 0) -> RecipeInputs:
        """The batch of this seed, in read-only arrays. Raises ValueError unless the seed is a whole number from 0."""
        seed = require_integer("seed", seed, 0)
        rng = np.random.default_rng(seed)
        ids, names = self._ids(config, rng), self.vocabulary(config)
        real = np.ones(ids.shape, bool)
        mask: MaskSpec = None
        if self.mask == "causal":
            mask = "causal"
        elif self.mask == "random keys":
            mask = _random_keys(rng, self.batch, self.seq)
            real = mask[:, 0]
        tokens = tuple(
            tuple(names[index] if is_real else PAD for index, is_real in zip(sentence, real_tokens, strict=True))
            for sentence, real_tokens in zip(ids, real, strict=True)
        )
        inputs = RecipeInputs(TokenBatch(tokens, ids, real, (0,) * self.batch), mask, self.description)
        make_read_only(inputs)
        return inputs

    def vocabulary(self, config: EncoderConfig) -> tuple[str, ...]:
        """The word of each id, or its number, such as "id 7", if the example has no text."""
        return (
            vocabulary_of(self.text)
            if self.kind == "words"
            else tuple(f"id {number}" for number in range(config.vocab_size))
        )

    def _ids(self, config: EncoderConfig, rng: np.random.Generator) -> Int[np.ndarray, "batch seq"]:
        shape, vocab = (self.batch, self.seq), config.vocab_size
        match self.kind:
            case "random ids":
                ids = rng.integers(0, vocab, shape)
            case "every id":
                ids = np.arange(self.batch * self.seq).reshape(shape)
            case "these ids":
                ids = np.array(self.ids).reshape(shape)
            case "rows":
                ids = rng.permutation(vocab)[: self.batch * self.seq].reshape(shape)
            case "words":
                words, names = words_of(self.text), self.vocabulary(config)
                all_ids = np.array([names.index(word) for word in words])
                ids = all_ids[rng.integers(0, len(words) - self.seq + 1, (self.batch, 1)) + np.arange(self.seq)]
        return ids.astype(np.int32)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation: "C'est" is "cest"."""
    return "".join(sign for sign in text.lower() if sign not in string.punctuation).split()


def vocabulary_of(text: str) -> tuple[str, ...]:
    """The different words of a text, in the order of first appearance: the index of a word is its id."""
    return tuple(dict.fromkeys(words_of(text)))


def _random_keys(rng: np.random.Generator, batch: int, seq: int) -> Bool[np.ndarray, "batch 1 seq"]:
    visible = rng.integers(0, 2, (batch, 1, seq)).astype(bool)
    visible[~visible.any(-1), 0] = True
    return visible
