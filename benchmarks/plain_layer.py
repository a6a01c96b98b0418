"""An encoder layer as in a tutorial, with which the benchmarks compare."""

import jax
from flax import nnx

from encoder_core import EncoderConfig


class PlainLayer(nnx.Module):
    """A post-norm encoder layer of the exact size."""

    def __init__(self, config: EncoderConfig, rngs: nnx.Rngs) -> None:
        self.attention = nnx.MultiHeadAttention(config.num_heads, config.d_model, decode=False, rngs=rngs)
        self.norm1 = nnx.LayerNorm(config.d_model, rngs=rngs)
        self.up = nnx.Linear(config.d_model, config.d_ff, rngs=rngs)
        self.down = nnx.Linear(config.d_ff, config.d_model, rngs=rngs)
        self.norm2 = nnx.LayerNorm(config.d_model, rngs=rngs)

    def __call__(self, x: jax.Array, mask: jax.Array | None = None) -> jax.Array:
        """The next rows of each sequence of a batch; where the mask is False, no query attends to the key."""
        x = self.norm1(x + self.attention(x, mask=mask))
        return self.norm2(x + self.down(nnx.relu(self.up(x))))
