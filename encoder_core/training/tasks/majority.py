"""Majority: every output is the letter that occurs most often."""

import numpy as np

from encoder_core.training.letter_task import letter_task
from encoder_core.training.task import Ids, Mask

_LETTERS = "abc"


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The most frequent letter for every token; inputs in which two letters are most frequent do not count."""
    counts = np.stack([((ids == letter) & real).sum(axis=1) for letter in range(1, len(_LETTERS) + 1)], axis=1)
    ordered = np.sort(counts, axis=1)
    is_unique = ordered[:, -1] > ordered[:, -2]
    most = (counts.argmax(axis=1) + 1).astype(ids.dtype)
    return np.where(real, most[:, None], 0).astype(ids.dtype), real & is_unique[:, None]


TASK = letter_task(
    "majority",
    alphabet=_LETTERS,
    allowed="of the letters a, b and c, such as “abacabc”; spaces do not count. If no letter occurs more often than "
    "each of the others, there is no right answer.",
    max_len=12,
    solve=solve,
    counted="Inputs in which no letter occurs more often than each of the others do not count.",
    goal="Every output is the letter that occurs most often.",
    look_for="Heads that attend to all tokens equally: the average of the values counts the letters.",
    examples=("abacabc", "aabbb", "ccabc"),
)
