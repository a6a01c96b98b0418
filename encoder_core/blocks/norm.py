"""The norm around every sublayer."""

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from encoder_core.capacity import Dims, active, mean_over_active


class LayerNorm(nnx.Module):
    """Each token over its own features: mean 0, variance 1, then scale and shift (Ba, Kiros & Hinton 2016)."""

    def __init__(self, d_model: int) -> None:
        self.scale = nnx.Param(jnp.ones(d_model))
        self.bias = nnx.Param(jnp.zeros(d_model))

    def __call__(
        self, x: Float[Array, "seq d_model"], dims: Dims, eps: Float[Array, ""] | float
    ) -> Float[Array, "seq d_model"]:
        features = active(dims.d_model, x.shape[-1])
        mean = mean_over_active(x, features)
        variance = mean_over_active((x - mean) ** 2, features)
        normalised = (x - mean) / jnp.sqrt(variance + eps)
        return normalised * self.scale[...] + self.bias[...]
