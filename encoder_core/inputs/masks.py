"""Who may attend to whom: True lets a query (row) see a key (column)."""

from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Shaped

MaskName = Literal["causal", "padding", "causal+padding"]
MaskSpec = MaskName | Shaped[np.ndarray, "..."] | None


def attention_mask(
    spec: MaskSpec, real: Bool[np.ndarray, "batch seq"], num_heads: int
) -> Bool[np.ndarray, "batch head seq seq"]:
    """The mask of every head of every sentence.

    spec   None (all see all), a name, or an array of True (1) and False (0) of shape (seq, seq),
           (batch, seq, seq), (batch, 1, seq) or (batch, heads, seq, seq); in the last, an axis of 1
           stands for all.
    real   (batch, seq), False where a token is padding.

    Raises ValueError for any other name, shape or value.
    """
    batch, seq = real.shape
    if spec is None or isinstance(spec, str):
        allowed = _named_mask(spec, real)
    else:
        allowed = _given_mask(np.asarray(spec), batch, seq, num_heads)
    return np.broadcast_to(allowed, (batch, num_heads, seq, seq))


def _named_mask(name: str | None, real: Bool[np.ndarray, "batch seq"]) -> Bool[np.ndarray, "batch 1 seq seq"]:
    names = get_args(MaskName)
    if name is not None and name not in names:
        raise ValueError(f"mask={name!r} is not one of None, {', '.join(map(repr, names))}, or a boolean array.")
    batch, seq = real.shape
    allowed = np.ones((batch, 1, seq, seq), bool)
    if name in ("causal", "causal+padding"):
        allowed &= np.tri(seq, dtype=bool)
    if name in ("padding", "causal+padding"):
        allowed &= real[:, None, None, :]
    return allowed


def _given_mask(
    given: Shaped[np.ndarray, "..."], batch: int, seq: int, num_heads: int
) -> Bool[np.ndarray, "_batch _head _query _key"]:
    if given.dtype != bool and not np.isin(given, (0, 1)).all():
        raise ValueError(f"a mask holds True (1) and False (0) only, not values of type {given.dtype}.")
    shapes = {
        (seq, seq): (1, 1, seq, seq),
        (batch, seq, seq): (batch, 1, seq, seq),
        (batch, 1, seq): (batch, 1, 1, seq),
    }
    four_axes = given.ndim == 4 and all(
        size in (1, full) for size, full in zip(given.shape, (batch, num_heads, seq, seq), strict=True)
    )
    if given.shape not in shapes and not four_axes:
        raise ValueError(
            f"a mask of shape {given.shape} does not fit batch={batch}, heads={num_heads}, seq={seq}: allowed are "
            "(seq, seq), (batch, seq, seq), (batch, 1, seq) and (batch, heads, seq, seq)."
        )
    return given.astype(bool).reshape(given.shape if four_axes else shapes[given.shape])
