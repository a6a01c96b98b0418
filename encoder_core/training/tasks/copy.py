"""Copy: each token's output is the token itself."""

import string

from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import Ids, Mask, Task, draw_letters, letters

_LETTERS = tuple(string.ascii_lowercase)


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The ids themselves."""
    return ids, real


TASK = Task(
    name="copy",
    title="Copy",
    goal="The output of each token is the same letter.",
    look_for="No other token is needed: the embedding already contains the answer, so attention can be anything.",
    examples=("encoder", "attention", "abba"),
    vocabulary=(PAD, *_LETTERS),
    inputs=_LETTERS,
    rule="Allowed are up to 10 letters from a to z, such as “encoder”; spaces do not count.",
    max_len=10,
    draw=lambda generator, count, max_len: draw_letters(generator, count, max_len, len(_LETTERS)),
    solve=solve,
    split=letters,
)
