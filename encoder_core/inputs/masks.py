"""Attention masks: True where a query (row) may attend to a key (column)."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from jaxtyping import Bool, Int, Shaped

from encoder_core.edits import Edit
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.support.validation import invalid_value, require_array, short_repr

MaskName = Literal["causal", "padding", "causal+padding"]
MaskSpec = MaskName | Shaped[np.ndarray, "..."] | CustomMask | None


def attention_mask(
    spec: MaskSpec, real: Bool[np.ndarray, "batch seq"], num_heads: int
) -> Bool[np.ndarray, "batch head seq seq"]:
    """The mask of every head of every sentence.

    spec   None (every query attends to every key), a name, or an array of True (1) and False (0) of shape (seq, seq),
           (batch, seq, seq), (batch, 1, seq) or (batch, heads, seq, seq); in the last, an axis of size 1 is broadcast.
           A `CustomMask` stands for the array of these sizes.
    real   (batch, seq), False where a token is padding.

    Raises ValueError for any other name, shape or value.
    """
    batch, seq = real.shape
    if isinstance(spec, Edit) or (isinstance(spec, Sequence) and any(isinstance(item, Edit) for item in spec)):
        raise ValueError(f"mask={short_repr(spec)} is invalid: edits are a keyword, such as edits=[HeadFactor(0, 0)].")
    if isinstance(spec, CustomMask):
        spec = spec.array(real, num_heads)
    if spec is None or isinstance(spec, str):
        allowed = _named_mask(spec, real)
    else:
        allowed = _array_mask(require_array("mask", spec, "rows of one length"), batch, seq, num_heads)
    return np.broadcast_to(allowed, (batch, num_heads, seq, seq))


def tells_order(mask: Bool[np.ndarray, "*lead seq seq"], order: Int[np.ndarray, "seq"]) -> bool:
    """Whether tokens in another order see others than before: False for a mask that hides nothing, for example."""
    return not np.array_equal(mask[..., order, :][..., order], mask)


def _named_mask(name: str | None, real: Bool[np.ndarray, "batch seq"]) -> Bool[np.ndarray, "batch 1 seq seq"]:
    names = get_args(MaskName)
    if name is not None and name not in names:
        raise invalid_value("mask", name, f"None, {', '.join(map(repr, names))} and boolean arrays")
    batch, seq = real.shape
    allowed = np.ones((batch, 1, seq, seq), bool)
    if name in ("causal", "causal+padding"):
        allowed &= np.tri(seq, dtype=bool)
    if name in ("padding", "causal+padding"):
        allowed &= real[:, None, None, :]
    return allowed


def _array_mask(
    array: Shaped[np.ndarray, "..."], batch: int, seq: int, num_heads: int
) -> Bool[np.ndarray, "_batch _head _query _key"]:
    if array.dtype != bool and not (right := np.isin(array, (0, 1))).all():
        is_number = np.issubdtype(array.dtype, np.number)
        wrong = f"value {array[~right][0]} is" if is_number else f"values of type {array.dtype} are"
        raise ValueError(f"mask {wrong} invalid: allowed are True (1) and False (0).")
    shapes = {
        (seq, seq): (1, 1, seq, seq),
        (batch, seq, seq): (batch, 1, seq, seq),
        (batch, 1, seq): (batch, 1, 1, seq),
    }
    four_axes = array.ndim == 4 and all(
        size in (1, full) for size, full in zip(array.shape, (batch, num_heads, seq, seq), strict=True)
    )
    if array.shape not in shapes and not four_axes:
        of_keys = " A mask of keys needs an axis for the queries: mask[:, None] of shape (batch, 1, seq)."
        raise ValueError(
            f"the mask of shape {array.shape} does not fit batch={batch}, heads={num_heads}, seq={seq}: allowed are "
            "(seq, seq), (batch, seq, seq), (batch, 1, seq) and (batch, heads, seq, seq)."
            + (of_keys if array.shape == (batch, seq) else "")
        )
    return array.astype(bool).reshape(array.shape if four_axes else shapes[array.shape])
