"""The keys to which a query may be expected to attend, and how much weight the heads give them."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from encoder_core.support.validation import require_choice
from encoder_core.training.task import KeyMatrix
from encoder_core.training.tasks import tasks

# Name of a task -> the keys from which the output of a token can be read, in words.
TASK_KEYS: Mapping[str, str] = {name: task.keys.name for name, task in tasks().items() if task.keys}


def key_sets(task: str, ids: Int[np.ndarray, "seq"]) -> dict[str, KeyMatrix]:
    """Sets of keys by name: for each query (a row) its keys. A row without a key does not count.

    Every task has the token itself, the next token and the first token; those in TASK_KEYS have one more, which comes
    first. Raises ValueError for an unknown task.
    """
    require_choice("task", task, tasks())
    seq, definition = len(ids), tasks()[task]
    general = {
        "the token itself": np.eye(seq, dtype=bool),
        "the next token": np.eye(seq, k=1, dtype=bool),
        "the first token": np.arange(seq)[None, :] == np.zeros((seq, 1)),
    }
    if not definition.keys:
        return general
    (targets,), (scored,) = definition.solve(ids[None], np.ones((1, seq), bool))
    return {definition.keys.name: definition.keys.find(ids, targets, scored)} | general


def weight_on(
    keys: KeyMatrix, patterns: Float[np.ndarray, "layer head query key"]
) -> Float[np.ndarray, "layer head"] | None:
    """The weight that each head gives to these keys, as a mean over the queries that have any; None if none has."""
    has_keys = keys.any(axis=-1)
    return (patterns * keys).sum(axis=-1)[..., has_keys].mean(axis=-1) if has_keys.any() else None
