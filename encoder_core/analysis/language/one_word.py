"""Where one word looks: its attention weights in every head of every layer, and the heads that look hardest."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.trace import EncoderTrace


class StrongHead(NamedTuple):
    """A head, counted from 0, and the weight that it gives to a key."""

    layer: int
    head: int
    key: int
    weight: float


def attention_from(trace: EncoderTrace, query: int, sentence: int = 0) -> Float[np.ndarray, "layer head key"]:
    """The weights of one query over all keys, in every head of every layer: a row of each pattern.

    Raises ValueError where the trace has no such sentence or query.
    """
    batch, seq = trace.real.shape
    for name, place, count in (("sentence", sentence, batch), ("query", query, seq)):
        if not 0 <= place < count:
            raise ValueError(f"{name}={place!r} is not one of 0 to {count - 1}.")
    return np.stack([layer.pattern[sentence, :, query] for layer in trace.layers])


def strongest_heads(
    weights: Float[np.ndarray, "layer head key"],
    key: int | None = None,
    *,
    leave_out: Collection[int] = (),
    count: int = 3,
) -> list[StrongHead]:
    """The heads with the largest weights, the largest first; `weights` as `attention_from` gives them.

    key        heads are compared by their weight to this key; None compares each head's largest weight to any key
    leave_out  keys that do not count then, see `special_or_itself`
    count      how many heads; fewer where there are fewer, none where every key is left out
    """
    heads, keys = weights.shape[1:]
    candidates = [place for place in range(keys) if place not in leave_out] if key is None else [key]
    if not candidates:
        return []
    among = weights[:, :, candidates]
    largest, places = among.max(axis=-1), among.argmax(axis=-1)
    order = (divmod(int(place), heads) for place in np.argsort(-largest, axis=None, kind="stable")[:count])
    return [
        StrongHead(layer, head, candidates[places[layer, head]], float(largest[layer, head])) for layer, head in order
    ]
