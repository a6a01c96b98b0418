"""The linear layer of a large model, whose kernel is stored with a row for each output."""

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float


class OutputRowsLinear(nnx.Module):
    """x W + b, computed as (W^T x^T)^T + b; `kernel` is W^T, as torch and the files of trained models store it.

    Before XLA multiplies two matrices on a CPU, it copies the second one into the blocks that its inner loop reads. In
    x W that is the kernel, so each pass of all-MiniLM-L6-v2 copies 42 MB; in W^T x^T it is x, which is small.
    """

    def __init__(self, in_features: int, out_features: int, *, rngs: nnx.Rngs) -> None:
        self.in_features = in_features
        draw = nnx.initializers.lecun_normal(in_axis=-1, out_axis=-2)  # as nnx.Linear does, for its axes
        self.kernel = nnx.Param(draw(rngs.params(), (out_features, in_features)))
        self.bias = nnx.Param(jnp.zeros(out_features))

    def __call__(self, x: Float[Array, "seq inputs"]) -> Float[Array, "seq outputs"]:
        # Without the barriers, XLA makes x W of it again.
        columns = jax.lax.optimization_barrier(x.T)
        product = jax.lax.optimization_barrier(self.kernel[...] @ columns)
        return product.T + self.bias[...]


Linear = type[nnx.Linear] | type[OutputRowsLinear]
