"""Tasks whose inputs are independent random letters."""

import string
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from encoder_core.inputs.task_tokenizer import split_letters
from encoder_core.inputs.tokenizer import PAD
from encoder_core.training.task import ExpectedKeys, Ids, Mask, Task, random_lengths


def draw_letters(generator: np.random.Generator, count: int, max_len: int, num_letters: int) -> tuple[Ids, Mask]:
    """Independent random letters, whose ids begin with 1, of random lengths."""
    real = random_lengths(generator, count, max_len)
    ids = generator.integers(1, 1 + num_letters, (count, max_len), dtype=np.int32)
    return np.where(real, ids, 0).astype(np.int32), real


def letter_task(
    name: str,
    *,
    max_len: int,
    solve: Callable[[Ids, Mask], tuple[Ids, Mask]],
    goal: str,
    look_for: str,
    examples: tuple[str, ...],
    counted: str = "",
    keys: ExpectedKeys | None = None,
    alphabet: Sequence[str] = string.ascii_lowercase,
    allowed: str = "letters from a to z, such as “encoder”; spaces do not count.",
) -> Task:
    """A task on independent random letters. `allowed` is the end of its rule, from the letters on."""
    return Task(
        name=name,
        title=name.capitalize(),
        goal=goal,
        look_for=look_for,
        examples=examples,
        vocabulary=(PAD, *alphabet),
        inputs=tuple(alphabet),
        rule=f"Allowed are up to {max_len} {allowed}",
        max_len=max_len,
        draw=partial(draw_letters, num_letters=len(alphabet)),
        solve=solve,
        split=split_letters,
        counted=counted,
        keys=keys,
    )
