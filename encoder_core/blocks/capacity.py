"""One compiled program for every slider position: arrays at a fixed capacity, the active sizes traced.

XLA compiles a program for each new shape. So the modules are built once at a capacity, and the sizes in use travel
with the data as integers (`Dims`). What lies beyond them is zero and stays zero: zero rows and columns of a kernel
add nothing, a norm counts only the active features, and masked keys get no weight. The only code that knows about
this padding is here, and the crop in `program.py`.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Shaped

from encoder_core.config import EncoderConfig


class Capacity(NamedTuple):
    """The array sizes of a compiled program: the largest active sizes it can serve.

    exact  True where it serves one model, whose sizes (but for seq) it has: heads are then split by their shape, and
           its layers called one after another.
    """

    seq: int
    d_model: int
    qkv_width: int
    d_ff: int
    num_heads: int
    num_layers: int
    exact: bool = False

    def fits(self, other: "Capacity") -> bool:
        """True where every size of `other` is within this capacity."""
        return all(need <= have for need, have in zip(other, self, strict=True))


# The smaller one serves most positions in a fraction of the time; both together serve every position.
CAPACITIES = (
    Capacity(seq=32, d_model=128, qkv_width=128, d_ff=512, num_heads=16, num_layers=12),
    Capacity(seq=64, d_model=256, qkv_width=256, d_ff=1024, num_heads=16, num_layers=12),
)
_OWN_SEQS = (20, 40, 60)  # of a larger model, whose longest text is one more: time grows with the length


class Dims(NamedTuple):
    """The active sizes, as traced integers."""

    d_model: Int[Array, ""] | int
    d_head: Int[Array, ""] | int
    num_layers: Int[Array, ""] | int


def capacity_for(config: EncoderConfig, seq: int) -> Capacity:
    """The smallest capacity that serves `config` at `seq` tokens; a larger model gets one of its own size, and that
    for the shortest of a few lengths that serves the text."""
    need = Capacity(seq, config.d_model, config.qkv_width, config.d_ff, config.num_heads, config.num_layers)
    longest = max(seq, config.max_len)
    own = need._replace(seq=min(next((own for own in _OWN_SEQS if seq <= own), longest), longest), exact=True)
    return next((capacity for capacity in CAPACITIES if capacity.fits(need)), own)


def active(size: Int[Array, ""] | int, capacity: int) -> Bool[Array, "capacity"]:
    """True for the first `size` of `capacity` places."""
    return jnp.arange(capacity) < size


def head_ownership(dims: Dims, num_heads: int, qkv_width: int) -> Float[Array, "head qkv_dim"]:
    """1 where a feature of the concatenated heads belongs to the head: features h * d_head up to (h + 1) * d_head.

    A product with it stands for splitting into heads, with a d_head that is not known when the program is compiled.
    """
    head_of_feature = jnp.arange(qkv_width) // dims.d_head
    return (head_of_feature == jnp.arange(num_heads)[:, None]).astype(jnp.float32)


def mean_over_active(x: Float[Array, "seq d_model"], features: Bool[Array, "d_model"]) -> Float[Array, "seq 1"]:
    """The mean of each row over the active features."""
    return jnp.sum(x, axis=-1, keepdims=True, where=features) / jnp.sum(features)


def pad(array: Shaped[np.ndarray, "..."], shape: tuple[int, ...]) -> Shaped[np.ndarray, "..."]:
    """`array` in the corner of zeros of `shape`."""
    padded = np.zeros(shape, array.dtype)
    padded[tuple(slice(size) for size in array.shape)] = array
    return padded
