"""Layer normalisation, for padded and for unpadded rows."""

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float

from encoder_core.blocks.capacity import Dims, active
from encoder_core.support.any_array import AnyArray


def layer_norm(
    x: Float[AnyArray, "*batch seq d_model"],
    scale: Float[AnyArray, "d_model"],
    shift: Float[AnyArray, "d_model"],
    eps: float,
) -> Float[AnyArray, "*batch seq d_model"]:
    """Layer normalisation of rows without padding, as before the first layer; the same formula as `LayerNorm`."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    normalised = (x - mean) / (variance + eps) ** 0.5
    return normalised * scale + shift


class LayerNorm(nnx.Module):
    """Each token is normalised to mean 0 and variance 1 over its features, then scaled and shifted.

    Source: Ba, Kiros & Hinton 2016. Only the active features count.
    """

    def __init__(self, d_model: int) -> None:
        self.scale = nnx.Param(jnp.ones(d_model))
        self.bias = nnx.Param(jnp.zeros(d_model))

    def __call__(
        self, x: Float[Array, "seq d_model"], dims: Dims, eps: Float[Array, ""] | float
    ) -> Float[Array, "seq d_model"]:
        features = active(dims.d_model, x.shape[-1])
        mean = jnp.mean(x, axis=-1, keepdims=True, where=features)
        variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True, where=features)
        normalised = (x - mean) / jnp.sqrt(variance + eps)
        return normalised * self.scale[...] + self.bias[...]
