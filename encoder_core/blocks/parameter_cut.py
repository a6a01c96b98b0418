"""Cutting the parameters of a layer from a larger draw, inside the compiled program.

The random encoders of one seed have the same numbers up to the factor 1 / sqrt(fan-in), so one draw at capacity serves
them all: a new size copies no parameters.
"""

from typing import NamedTuple

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from encoder_core.blocks.capacity import active


class ParameterCut(NamedTuple):
    """What a layer uses of its parameters, as traced values.

    d_model, qkv_width, d_ff  the rows and columns used; zero stands in place of the others
    d_model_factor, ...       of kernels with this fan-in: 1 / sqrt(fan-in) for a draw of standard normal numbers, else
                              1. A factor, because XLA does not compute every quotient to the last bit
    use_bias, use_qkv_bias    False: the biases of linear layers are zero, or those of queries, keys and values
    """

    d_model: Int[Array, ""] | int
    qkv_width: Int[Array, ""] | int
    d_ff: Int[Array, ""] | int
    d_model_factor: Float[Array, ""] | float
    qkv_width_factor: Float[Array, ""] | float
    d_ff_factor: Float[Array, ""] | float
    use_bias: Bool[Array, ""] | bool
    use_qkv_bias: Bool[Array, ""] | bool


# For a layer that has its parameters alone, without a larger draw: it does not look at them.
NOTHING_CUT = ParameterCut(0, 0, 0, 1.0, 1.0, 1.0, use_bias=True, use_qkv_bias=True)


def cut_layer(state: nnx.State, cut: ParameterCut) -> nnx.State:
    """The parameters of one layer, cut."""
    from_d_model, from_qkv, from_d_ff = (
        (cut.d_model, cut.d_model_factor), (cut.qkv_width, cut.qkv_width_factor), (cut.d_ff, cut.d_ff_factor),
    )  # fmt: skip
    widths = {
        "query": (*from_d_model, cut.qkv_width),
        "key": (*from_d_model, cut.qkv_width),
        "value": (*from_d_model, cut.qkv_width),
        "out": (*from_qkv, cut.d_model),
        "up": (*from_d_model, cut.d_ff),
        "down": (*from_d_ff, cut.d_model),
        "norm1": (*from_d_model, cut.d_model),
        "norm2": (*from_d_model, cut.d_model),
    }
    entries = []
    for path, variable in nnx.to_flat_state(state):
        layer, kind = path[-2:]
        entries.append((path, variable.replace(_cut(variable[...], *widths[str(layer)], str(kind), str(layer), cut))))
    return nnx.from_flat_state(entries)


def _cut(
    array: Float[Array, "..."],
    fan_in: Int[Array, ""] | int,
    factor: Float[Array, ""] | float,
    fan_out: Int[Array, ""] | int,
    kind: str,
    layer: str,
    cut: ParameterCut,
) -> Float[Array, "..."]:
    used = active(fan_out, array.shape[-1])
    if kind == "kernel":
        array = array * factor
        used = used & active(fan_in, array.shape[0])[:, None]
    elif layer in ("query", "key", "value"):
        used = used & cut.use_qkv_bias
    elif layer in ("out", "up", "down"):
        used = used & cut.use_bias
    return jnp.where(used, array, 0)
