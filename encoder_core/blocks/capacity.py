"""Capacity: arrays are padded to a fixed size, so that one compiled program serves models of all smaller sizes.

XLA compiles a program for each new shape. The modules are therefore built at a capacity, and the active sizes are
traced integers (`Dims`). The padding is zero and stays zero: zero rows and columns of a kernel add nothing, a norm uses
only the active features, and masked keys have no weight. The modules of `engine` pad their inputs and crop their
outputs.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Shaped

from encoder_core.config import EncoderConfig


class Capacity(NamedTuple):
    """The array sizes of a compiled program: the largest active sizes that it can process.

    exact  True for a program that serves models of one size only: all sizes except seq are those of the model. Its
           heads are split by a reshape, and its layers are called one after another.
    """

    seq: int
    d_model: int
    qkv_width: int
    d_ff: int
    num_heads: int
    num_layers: int
    exact: bool = False

    def fits(self, other: "Capacity") -> bool:
        """True where no size of `other` is larger than this capacity."""
        return all(size <= limit for size, limit in zip(other, self, strict=True))


# Every model within the ranges of the sliders fits the largest one. The smaller ones take a fraction of the time: 2, 4,
# 4, 6, 11 and 17 ms after a pause, for a sentence in an encoder of four layers. d_ff and the number of heads mostly
# stay small while d_model grows: for d_model 128 and 256 there is one program with a small d_ff and few heads.
CAPACITIES = (
    Capacity(seq=32, d_model=64, qkv_width=64, d_ff=256, num_heads=8, num_layers=6),
    Capacity(seq=32, d_model=128, qkv_width=128, d_ff=256, num_heads=8, num_layers=12),
    Capacity(seq=32, d_model=128, qkv_width=128, d_ff=512, num_heads=16, num_layers=12),
    Capacity(seq=32, d_model=256, qkv_width=256, d_ff=256, num_heads=8, num_layers=12),
    Capacity(seq=32, d_model=256, qkv_width=256, d_ff=1024, num_heads=16, num_layers=12),
    Capacity(seq=64, d_model=256, qkv_width=256, d_ff=1024, num_heads=16, num_layers=12),
)
# Sequence lengths of exact capacities, besides max_len: time grows with the length. Products of multiples of 8 tokens
# fill the vector registers: 64 tokens take less time than 60.
_EXACT_SEQS = (24, 40, 64)


class Dims(NamedTuple):
    """The active sizes, as traced integers."""

    d_model: Int[Array, ""] | int
    d_head: Int[Array, ""] | int
    num_layers: Int[Array, ""] | int


def capacity_for(config: EncoderConfig, seq: int) -> Capacity:
    """The smallest capacity for this model and `seq` tokens.

    A model that is larger than all CAPACITIES has an exact capacity, for the shortest of a few sequence lengths that is
    long enough.
    """
    size = Capacity(seq, config.d_model, config.qkv_width, config.d_ff, config.num_heads, config.num_layers)
    longest = max(seq, config.max_len)
    exact_seq = min(next((length for length in _EXACT_SEQS if seq <= length), longest), longest)
    exact = size._replace(seq=exact_seq, exact=True)
    return next((capacity for capacity in CAPACITIES if capacity.fits(size)), exact)


def active(size: Int[Array, ""] | int, capacity: int) -> Bool[Array, "capacity"]:
    """True for the first `size` of `capacity` entries."""
    return jnp.arange(capacity) < size


def head_feature_mask(dims: Dims, num_heads: int, qkv_width: int) -> Float[Array, "head qkv_dim"]:
    """1 for the features of each head among those of all heads: h * d_head up to, but not including, (h + 1) * d_head.

    Multiplication by it replaces the split into heads, because d_head is not known when the program is compiled.
    """
    head_of_feature = jnp.arange(qkv_width) // dims.d_head
    return (head_of_feature == jnp.arange(num_heads)[:, None]).astype(jnp.float32)


def pad(array: Shaped[np.ndarray, "..."], shape: tuple[int, ...]) -> Shaped[np.ndarray, "..."]:
    """The array, padded with zeros at the end of each axis to `shape`."""
    # np.pad takes 37 us for what takes 3 us here (18 by 64 to 32 by 128), several times per forward pass.
    padded = np.zeros(shape, array.dtype)
    padded[tuple(slice(size) for size in array.shape)] = array
    return padded
