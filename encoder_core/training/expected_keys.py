"""The keys to which a query may be expected to attend, and how much weight the heads give them."""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.training.tasks import tasks

KeyMatrix = Bool[np.ndarray, "query key"]

# Name of a task -> the keys from which the output of a token can be read, in words.
TASK_KEYS: Mapping[str, str] = {
    "reverse": "its mirror image (the anti-diagonal)",
    "sort": "the letter that belongs at its place",
    "bracket": "its partner",
    "repeat": "the word that occurs twice",
}


def key_sets(task: str, ids: Int[np.ndarray, "seq"]) -> dict[str, KeyMatrix]:
    """Sets of keys by name: for each query (a row) its keys. A row without a key does not count.

    Every task has the token itself, the next token and the first token; those in TASK_KEYS have one more, which comes
    first.
    """
    seq = len(ids)
    general = {
        "the token itself": np.eye(seq, dtype=bool),
        "the next token": np.eye(seq, k=1, dtype=bool),
        "the first token": np.arange(seq)[None, :] == np.zeros((seq, 1)),
    }
    own = {TASK_KEYS[task]: _FIND[task](ids)} if task in TASK_KEYS else {}
    return own | general


def weight_on(
    keys: KeyMatrix, patterns: Float[np.ndarray, "layer head query key"]
) -> Float[np.ndarray, "layer head"] | None:
    """The weight that each head gives to these keys, as a mean over the queries that have any; None if none has."""
    has_keys = keys.any(axis=-1)
    return (patterns * keys).sum(axis=-1)[..., has_keys].mean(axis=-1) if has_keys.any() else None


def _mirror(ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    return np.eye(len(ids), dtype=bool)[::-1]


def _source(task: str, ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    """The keys whose tokens are the output of the query."""
    targets, is_scored = tasks()[task].solve(ids[None], np.ones((1, len(ids)), bool))
    return (targets[0][:, None] == ids) & is_scored[0][:, None]


def _partner(ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    """Matching brackets: the output of a bracket names the position of its partner, counted from 1."""
    bracket = tasks()["bracket"]
    targets, _ = bracket.solve(ids[None], np.ones((1, len(ids)), bool))
    first = bracket.vocabulary.index("1")
    return targets[0][:, None] - first == np.arange(len(ids))


_FIND: Mapping[str, Callable[[Int[np.ndarray, "seq"]], KeyMatrix]] = {
    "reverse": _mirror,
    "sort": lambda ids: _source("sort", ids),
    "bracket": _partner,
    "repeat": lambda ids: _source("repeat", ids),
}
