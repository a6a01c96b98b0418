"""Matching bracket: the output of each bracket is the position of its partner."""

import numpy as np
from jaxtyping import Bool, Int

from encoder_core.inputs.task_tokenizer import split_letters
from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import ExpectedKeys, Ids, KeyMatrix, Mask, Task, random_lengths

MAX_LEN = 12
_OPEN, _CLOSE = 1, 2
FIRST_POSITION = 3  # the id of the output "1"
_NONE = FIRST_POSITION + MAX_LEN  # the id of the output "none"


def draw(generator: np.random.Generator, count: int, max_len: int) -> tuple[Ids, Mask]:
    """Half of the inputs are random brackets, of which some have no partner; in the others, each one has a partner."""
    real = random_lengths(generator, count, max_len)
    ids = np.where(generator.random((count, max_len)) < 0.5, _OPEN, _CLOSE)
    is_balanced = generator.random(count) < 0.5
    lengths = real.sum(axis=1)
    lengths[is_balanced] -= lengths[is_balanced] % 2
    real = np.arange(max_len) < lengths[:, None]
    depth = np.zeros(count, int)
    for place in range(max_len):
        remaining = lengths - place  # brackets from this place on
        ids[:, place] = np.where(is_balanced & (depth == 0), _OPEN, ids[:, place])
        ids[:, place] = np.where(is_balanced & (depth >= remaining), _CLOSE, ids[:, place])
        depth += np.where(ids[:, place] == _OPEN, 1, -1)
    return np.where(real, ids, 0).astype(np.int32), real


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The position of the partner, counted from 1, or "none"."""
    targets = np.where(real, _NONE, 0).astype(ids.dtype)
    for row, length, target in zip(ids.tolist(), real.sum(axis=1).tolist(), targets, strict=True):
        opened: list[int] = []
        for place, bracket in enumerate(row[:length]):
            if bracket == _OPEN:
                opened.append(place)
            elif opened:
                partner = opened.pop()
                target[place], target[partner] = FIRST_POSITION + partner, FIRST_POSITION + place
    return targets, real


def partners(
    ids: Int[np.ndarray, "seq"], targets: Int[np.ndarray, "seq"], scored: Bool[np.ndarray, "seq"]
) -> KeyMatrix:
    """The key whose position is the right output of the query."""
    return targets[:, None] - FIRST_POSITION == np.arange(len(ids))


TASK = Task(
    name="bracket",
    title="Matching bracket",
    goal="The output of each bracket is the position of its partner, counted from 1, or “none”.",
    look_for="A head in the last layer in which each bracket attends to its partner.",
    examples=("(()())", "((()))()", "(()", "()()()"),
    vocabulary=(PAD, "(", ")", *map(str, range(1, MAX_LEN + 1)), "none"),
    inputs=("(", ")"),
    rule=f"Allowed are up to {MAX_LEN} round brackets, such as “(()())”; spaces do not count.",
    max_len=MAX_LEN,
    draw=draw,
    solve=solve,
    split=split_letters,
    keys=ExpectedKeys("its partner", partners),
)
