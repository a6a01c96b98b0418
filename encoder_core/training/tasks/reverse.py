"""Reverse: the outputs are the input backwards."""

import string

import numpy as np

from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import Ids, Mask, Task, draw_letters, letters

_LETTERS = tuple(string.ascii_lowercase)


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The output at place i of n letters is letter n + 1 - i."""
    place, length = np.arange(ids.shape[1]), real.sum(axis=1, keepdims=True)
    mirrored = np.where(real, length - 1 - place, place)
    return np.take_along_axis(ids, mirrored, axis=1), real


TASK = Task(
    name="reverse",
    title="Reverse",
    goal="The outputs are the input backwards: the first output is the last letter.",
    look_for="A head in which each letter attends to its mirror image: an anti-diagonal.",
    examples=("encoder", "stressed", "abcdefgh", "level"),
    vocabulary=(PAD, *_LETTERS),
    inputs=_LETTERS,
    rule="Allowed are up to 10 letters from a to z, such as “encoder”; spaces do not count.",
    max_len=10,
    draw=lambda generator, count, max_len: draw_letters(generator, count, max_len, len(_LETTERS)),
    solve=solve,
    split=letters,
)
