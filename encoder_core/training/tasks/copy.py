"""Copy: each token's output is the token itself."""

from encoder_core.training.letter_task import letter_task
from encoder_core.training.task import Ids, Mask


def solve(ids: Ids, real: Mask) -> tuple[Ids, Mask]:
    """The ids themselves."""
    return ids, real


TASK = letter_task(
    "copy",
    max_len=10,
    solve=solve,
    goal="The output of each token is the same letter.",
    look_for="No other token is needed: the embedding already contains the answer, so attention can be anything.",
    examples=("encoder", "attention", "abba"),
)
