"""The norm around every sublayer."""

from typing import TypeVar

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from encoder_core.blocks.capacity import Dims, active, mean_over_active

AnyArray = TypeVar("AnyArray", np.ndarray, Array)  # of NumPy or of JAX: what goes in is what comes out


def layer_norm(
    x: Float[AnyArray, "*batch seq d_model"],
    scale: Float[AnyArray, "d_model"],
    shift: Float[AnyArray, "d_model"],
    eps: float,
) -> Float[AnyArray, "*batch seq d_model"]:
    """The same as `LayerNorm`, of rows that are in use from end to end: before the first block they are."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    normalised = (x - mean) / (variance + eps) ** 0.5
    return normalised * scale + shift


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
