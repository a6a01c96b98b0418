"""Which word repeats: every output is the word that occurs twice."""

import numpy as np

from encoder_core.inputs.task_tokenizer import split_plain_words
from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import ExpectedKeys, Ids, Mask, Task, keys_with_output, random_lengths

_WORDS = (
    "cat", "dog", "bird", "fish", "horse", "mouse", "apple", "bread", "cheese", "milk", "water", "egg",
    "red", "green", "blue", "black", "white", "yellow", "house", "tree", "river", "sun", "moon", "star",
    "book", "pen", "chair", "table", "door", "window", "run", "jump", "sing", "sleep", "eat", "read",
)  # fmt: skip
_NONE = len(_WORDS) + 1  # the id of the output "none"


def draw(generator: np.random.Generator, count: int, max_len: int) -> tuple[Ids, Mask]:
    """Different words, of which one occurs a second time in nine of ten inputs."""
    real = random_lengths(generator, count, max_len)
    ids = 1 + generator.random((count, len(_WORDS))).argsort(axis=1)[:, :max_len].astype(np.int32)
    lengths = real.sum(axis=1)
    first = generator.integers(0, lengths)
    second = (first + generator.integers(1, lengths)) % lengths
    rows = np.flatnonzero(generator.random(count) < 0.9)
    ids[rows, second[rows]] = ids[rows, first[rows]]
    return np.where(real, ids, 0).astype(np.int32), real


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The word that occurs more than once, for every token; "none" if there is none.

    Inputs with more than one such word do not count.
    """
    is_same = (ids[:, :, None] == ids[:, None, :]) & real[:, :, None] & real[:, None, :]
    repeats = is_same.sum(axis=2) > 1
    repeated = np.where(repeats, ids, 0).max(axis=1)
    is_only = ~(repeats & (ids != repeated[:, None])).any(axis=1)
    answer = np.where(repeated > 0, repeated, _NONE).astype(ids.dtype)
    return np.where(real, answer[:, None], 0).astype(ids.dtype), real & is_only[:, None]


TASK = Task(
    name="repeat",
    title="Which word repeats",
    goal="Every output is the word that occurs twice, or “none”.",
    look_for="A head in the first layer in which the two equal words attend to each other, and one in the second layer "
    "in which all tokens attend to these two.",
    examples=("cat red moon cat fish", "sun book tree sing book", "milk dog red sun"),
    vocabulary=(PAD, *_WORDS, "none"),
    inputs=_WORDS,
    rule=f"Allowed are up to 8 of these {len(_WORDS)} words: {', '.join(_WORDS)}. If two words repeat, there is no "
    "right answer.",
    max_len=8,
    draw=draw,
    solve=solve,
    split=split_plain_words,
    keys=ExpectedKeys("the word that occurs twice", keys_with_output),
)
