"""Reverse: the outputs are the input backwards."""

import numpy as np
from jaxtyping import Bool, Int

from encoder_core.training.letter_task import letter_task
from encoder_core.training.task import ExpectedKeys, Ids, KeyMatrix, Mask


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The output at place i of n letters is letter n + 1 - i."""
    place, length = np.arange(ids.shape[1]), real.sum(axis=1, keepdims=True)
    mirrored = np.where(real, length - 1 - place, place)
    return np.take_along_axis(ids, mirrored, axis=1), real


def mirror_images(
    ids: Int[np.ndarray, "seq"], targets: Int[np.ndarray, "seq"], scored: Bool[np.ndarray, "seq"]
) -> KeyMatrix:
    """The key at place n + 1 - i of each query at place i of n letters."""
    return np.eye(len(ids), dtype=bool)[::-1]


TASK = letter_task(
    "reverse",
    max_len=10,
    solve=solve,
    goal="The outputs are the input backwards: the first output is the last letter.",
    look_for="A head in which each letter attends to its mirror image: an anti-diagonal.",
    examples=("encoder", "stressed", "abcdefgh", "level"),
    keys=ExpectedKeys("its mirror image (the anti-diagonal)", mirror_images),
)
