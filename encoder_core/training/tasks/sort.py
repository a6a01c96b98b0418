"""Sort: the outputs are the letters of the input in the order of the alphabet."""

import numpy as np

from encoder_core.training.letter_task import letter_task
from encoder_core.training.task import ExpectedKeys, Ids, Mask, keys_with_output


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The real ids in increasing order, which is that of the alphabet; padding stays at the end."""
    ordered = np.sort(np.where(real, ids, np.iinfo(ids.dtype).max), axis=1)
    return np.where(real, ordered, 0).astype(ids.dtype), real


TASK = letter_task(
    "sort",
    max_len=8,
    solve=solve,
    goal="The outputs are the letters in the order of the alphabet.",
    look_for="Each place attends to the letters that may belong there: early places to early letters of the alphabet.",
    examples=("encoder", "layer", "zyxw"),
    keys=ExpectedKeys("the letter that belongs at its place", keys_with_output),
)
