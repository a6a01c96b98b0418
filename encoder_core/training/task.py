"""A task: random inputs and the right output of each token."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from encoder_core.inputs.task_tokenizer import TaskTokenizer
from encoder_core.inputs.tokenizer import TokenBatch
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import require_integer

MIN_LEN = 2  # tokens of the shortest random input


@compared_by_identity
class Batch(NamedTuple):
    """Random inputs of a task with their right outputs.

    ids      (batch, seq) input tokens
    real     (batch, seq) False where a token is padding
    targets  (batch, seq) the right output of each token
    scored   (batch, seq) True where the output counts
    """

    ids: Int[np.ndarray, "batch seq"]
    real: Bool[np.ndarray, "batch seq"]
    targets: Int[np.ndarray, "batch seq"]
    scored: Bool[np.ndarray, "batch seq"]


Ids = Int[np.ndarray, "batch seq"]
Mask = Bool[np.ndarray, "batch seq"]
KeyMatrix = Bool[np.ndarray, "query key"]


class ExpectedKeys(NamedTuple):
    """The keys from which the output of a token can be read.

    name  in words, of the keys of one token
    find  ids, right outputs and which of them count, of one input (seq,) -> the keys of each query
    """

    name: str
    find: Callable[[Int[np.ndarray, "seq"], Int[np.ndarray, "seq"], Bool[np.ndarray, "seq"]], KeyMatrix]


@dataclass(frozen=True)
class Task:
    """A task that an encoder can learn.

    name         in URLs and file names
    title        in lists
    goal         what the output of each token should be, as a sentence
    look_for     which attention a trained encoder is expected to have, as a sentence
    examples     inputs to begin with; the first one is the default
    vocabulary   the tokens, inputs and outputs alike; the first one is [PAD]
    inputs       the tokens that an input may have
    rule         what an input must look like, as a sentence
    max_len      longest input in tokens
    draw         random generator, number of inputs, greatest length -> ids and which of them are real
    solve        ids and which of them are real -> the right outputs and which of them count
    split        text -> its tokens; one of `SPLITS`, if encoders are to be saved
    unknown      the token that stands for one that is not among `inputs`; None: such a text is refused
    counted      which outputs of random inputs count, as a sentence, where not all of them do; otherwise ""
    keys         the keys to which a trained encoder is expected to attend; None where any will do
    hide         random generator, ids, real -> the ids as the encoder sees them, and which outputs count, for a task
                 whose right outputs are the ids before they were hidden; None for any other task
    draw_unseen  as `draw`, for tests: inputs that `draw` never returns; None: tests are drawn like all inputs, with
                 another seed, and short ones can occur in training, too
    """

    name: str
    title: str
    goal: str
    look_for: str
    examples: tuple[str, ...]
    vocabulary: tuple[str, ...]
    inputs: tuple[str, ...]
    rule: str
    max_len: int
    draw: Callable[[np.random.Generator, int, int], tuple[Ids, Mask]]
    solve: Callable[[Ids, Mask], tuple[Ids, Mask]]
    split: Callable[[str], list[str]]
    unknown: str | None = None
    counted: str = ""
    keys: ExpectedKeys | None = None
    hide: Callable[[np.random.Generator, Ids, Mask], tuple[Ids, Mask]] | None = None
    draw_unseen: Callable[[np.random.Generator, int, int], tuple[Ids, Mask]] | None = None
    tokenizer: TaskTokenizer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tokenizer = TaskTokenizer(
            self.vocabulary, frozenset(self.inputs), self.rule, self.max_len, self.split, self.unknown
        )
        object.__setattr__(self, "tokenizer", tokenizer)

    @property
    def reads_sentences(self) -> bool:
        """Whether an input is any sentence, and no other sequence of signs."""
        return self.unknown is not None

    def sample(self, generator: np.random.Generator, count: int, *, unseen: bool = False) -> Batch:
        """Random inputs with their right outputs; `unseen` ones are for tests."""
        draw = self.draw_unseen if unseen and self.draw_unseen else self.draw
        ids, real = draw(generator, count, self.max_len)
        targets, scored = self.solve(ids, real)
        if self.hide:
            ids, scored = self.hide(generator, ids, real)
        return Batch(ids, real, targets, scored)

    def random_inputs(self, count: int, seed: int = 0) -> list[TokenBatch]:
        """Random inputs, each as a batch of one.

        Raises ValueError unless `count` is a whole number from 1 and `seed` one from 0.
        """
        count, seed = require_integer("count", count, 1), require_integer("seed", seed, 0)
        return self.separate(self.sample(np.random.default_rng(seed), count))

    def separate(self, batch: Batch) -> list[TokenBatch]:
        """Each input of a batch as a batch of one, without padding."""
        rows = [row[is_real] for row, is_real in zip(batch.ids, batch.real, strict=True)]
        # Not with the tokenizer: it reads what a user types, in which [UNK] is three tokens.
        return [
            TokenBatch((tuple(self.vocabulary[index] for index in row),), row[None], np.ones((1, len(row)), bool), (0,))
            for row in rows
        ]


def keys_with_output(
    ids: Int[np.ndarray, "seq"], targets: Int[np.ndarray, "seq"], scored: Bool[np.ndarray, "seq"]
) -> KeyMatrix:
    """The keys whose tokens are the right output of the query."""
    return (targets[:, None] == ids) & scored[:, None]


def random_lengths(generator: np.random.Generator, count: int, max_len: int, least: int = MIN_LEN) -> Mask:
    """Which of `max_len` tokens are real, for inputs of random lengths."""
    lengths = generator.integers(least, max_len + 1, count)
    return np.arange(max_len) < lengths[:, None]
