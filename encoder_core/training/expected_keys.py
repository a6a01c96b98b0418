"""The keys to which a task suggests that a query attends, and how much weight the heads give them."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.training.tasks import bracket, repeat

KeyMatrix = Bool[np.ndarray, "query key"]


class ExpectedKeys(NamedTuple):
    """What a task suggests.

    name  the keys, in words
    find  the ids of one input -> for each query (a row) its keys; a row without any key does not count
    """

    name: str
    find: Callable[[Int[np.ndarray, "seq"]], KeyMatrix]


def _mirror(ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    return np.eye(len(ids), dtype=bool)[::-1]


def _partners(ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    partners, _ = bracket.solve(ids[None], np.ones((1, len(ids)), bool))
    return partners[0][:, None] - bracket.FIRST_POSITION == np.arange(len(ids))


def _repeated(ids: Int[np.ndarray, "seq"]) -> KeyMatrix:
    repeated, is_scored = repeat.solve(ids[None], np.ones((1, len(ids)), bool))
    return (repeated[0][:, None] == ids) & is_scored[0][:, None]


EXPECTED: Mapping[str, ExpectedKeys] = {  # name of a task -> its keys
    "copy": ExpectedKeys("the token itself", lambda ids: np.eye(len(ids), dtype=bool)),
    "reverse": ExpectedKeys("the mirror image (the anti-diagonal)", _mirror),
    "bracket": ExpectedKeys("the partner of each bracket", _partners),
    "repeat": ExpectedKeys("the word that occurs twice", _repeated),
}


def weight_on(
    keys: KeyMatrix, patterns: Float[np.ndarray, "layer head query key"]
) -> Float[np.ndarray, "layer head"] | None:
    """The attention weight that each head gives to these keys, as a mean over the queries that have any.

    None if no query has a key.
    """
    counts = keys.any(axis=-1)
    return (patterns * keys).sum(axis=-1)[..., counts].mean(axis=-1) if counts.any() else None
