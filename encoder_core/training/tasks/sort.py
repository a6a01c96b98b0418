"""Sort: the outputs are the letters of the input in the order of the alphabet."""

import string

import numpy as np

from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import Ids, Mask, Task, draw_letters, letters

_LETTERS = tuple(string.ascii_lowercase)


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The real ids in increasing order, which is that of the alphabet; padding stays at the end."""
    ordered = np.sort(np.where(real, ids, np.iinfo(ids.dtype).max), axis=1)
    return np.where(real, ordered, 0).astype(ids.dtype), real


TASK = Task(
    name="sort",
    title="Sort",
    goal="The outputs are the letters in the order of the alphabet.",
    look_for="Each place attends to the letters that may belong there: early places to early letters of the alphabet.",
    examples=("encoder", "layer", "zyxw"),
    vocabulary=(PAD, *_LETTERS),
    inputs=_LETTERS,
    rule="Allowed are up to 8 letters from a to z, such as “encoder”; spaces do not count.",
    max_len=8,
    draw=lambda generator, count, max_len: draw_letters(generator, count, max_len, len(_LETTERS)),
    solve=solve,
    split=letters,
)
