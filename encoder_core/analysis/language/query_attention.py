"""The attention weights of one query in all heads, and the heads with the largest weights."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.support.validation import (
    require_finite,
    require_index,
    require_indices,
    require_integer,
    require_numbers,
)
from encoder_core.trace import EncoderTrace, require_trace

_ROUNDING = 1e-6  # difference of equal weights in 32-bit floating point


class StrongHead(NamedTuple):
    """A head, its weight on a key, and the key; all count from 0."""

    layer: int
    head: int
    key: int
    weight: float


def attention_from(trace: EncoderTrace, query: int, sentence: int = 0) -> Float[np.ndarray, "layer head key"]:
    """The weights of one query on all keys, in every head of every layer: one row of each pattern.

    Raises ValueError where the trace has no such sentence or query.
    """
    require_trace(trace)
    batch, seq = trace.real.shape
    require_index("sentence", sentence, batch)
    require_index("query", query, seq)
    return np.stack([layer.pattern[sentence, :, query] for layer in trace.layers])


def are_equal_weights(weights: Float[np.ndarray, "*shape"]) -> bool:
    """Whether all weights are the same, up to the rounding of a softmax in float32."""
    return bool(np.ptp(weights) <= _ROUNDING)


def strongest_heads(
    weights: Float[np.ndarray, "layer head key"],
    key: int | None = None,
    *,
    excluded: Collection[int] = (),
    count: int = 3,
) -> list[StrongHead]:
    """The heads with the largest weights, largest first.

    weights   those of `attention_from`
    key       compare the weights on this key; None compares the largest weight of each head on any key
    excluded  keys that do not count with key=None, see `special_tokens_and_query`
    count     largest number of heads; the list is empty where all keys are excluded

    Raises ValueError where there is no such key or excluded key, for weights that are not finite, for a negative
    `count`, and for arguments of a wrong type.
    """
    weights = require_numbers("weights", weights, "layer head key")
    require_finite("weights", weights)
    heads, keys = weights.shape[1:]
    excluded = require_indices("excluded", excluded, keys, "collections of positions")
    require_integer("count", count, 0)
    if key is not None:
        key = require_index("key", key, keys)
    candidates = [index for index in range(keys) if index not in excluded] if key is None else [key]
    if not candidates:
        return []
    candidate_weights = weights[:, :, candidates]
    largest, columns = candidate_weights.max(axis=-1), candidate_weights.argmax(axis=-1)
    order = (divmod(int(index), heads) for index in np.argsort(-largest, axis=None, kind="stable")[:count])
    return [
        StrongHead(layer, head, candidates[columns[layer, head]], float(largest[layer, head])) for layer, head in order
    ]
