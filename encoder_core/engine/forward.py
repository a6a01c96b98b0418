"""The compiled forward pass: one program for all layers or, at an exact capacity, one program for one layer.

At a small capacity, calling a program takes longer than computing a layer, so one program loops over the layers, whose
parameters are stacked. For a large model the loop would copy the parameters of each layer out of the stack, which takes
a fifth of the time of the matrix products, and twice the memory to compile. The layers of a large model are therefore
called one after another.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from encoder_core.blocks import (
    EncoderLayer,
    EncoderStack,
    LayerTensors,
    SeparateLayers,
    TracedInputs,
    layer_norm,
    separate_layer,
)
from encoder_core.blocks.capacity import Capacity
from encoder_core.engine.executables import compiled_for_each_capacity
from encoder_core.engine.program_inputs import split_by_layer

StackTensors = LayerTensors | list[LayerTensors]  # with a first axis `layer`, or a list of layers
# The output and the tensors of all layers at capacity; `_seq` and `_d_model` are capacities, not active sizes.
PaddedRun = tuple[Float[Array, "_seq _d_model"] | Float[np.ndarray, "_seq _d_model"], StackTensors]


def forward(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[np.ndarray, "seq d_model"],
    traced: TracedInputs,
) -> tuple[Float[Array, "seq d_model"] | Float[np.ndarray, "seq d_model"], StackTensors]:
    """The output of the stack and the tensors of its layers, all at capacity; `select_layer` selects one layer."""
    if not capacity.exact:
        return _all_layers(capacity, state, embedded, traced)
    x: Float[Array, "seq d_model"] | Float[np.ndarray, "seq d_model"] = embedded
    tensors = []
    settings, by_layer = traced.settings, split_by_layer(capacity, traced)
    one_layer = capacity._replace(num_layers=1)  # models of any depth share the program of a layer
    for layer in range(int(settings.first_layer), capacity.num_layers):
        layer_tensors = _layer(one_layer, state["layers"][layer], x, by_layer[layer])
        tensors.append(layer_tensors)
        x = embedded if settings.every_layer_reads_input else layer_tensors.resid_post
    if settings.final_norm:
        scale, bias = (np.asarray(state["final_norm"][name][...]) for name in ("scale", "bias"))
        return layer_norm(np.asarray(x), scale, bias, float(settings.norm_eps)), tensors
    return x, tensors


def select_layer(tensors: StackTensors, layer: int) -> LayerTensors:
    """The tensors of one layer."""
    return tensors[layer] if isinstance(tensors, list) else jax.tree.map(lambda leaf: leaf[layer], tensors)


def empty_state(capacity: Capacity) -> nnx.State:
    """The state with the shapes of the parameters at this capacity, without allocated arrays."""
    return _structure(SeparateLayers if capacity.exact else EncoderStack, capacity)[1]


def empty_layer(capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    """The structure of one layer at this capacity, and its state without allocated arrays."""
    return _structure(EncoderLayer, capacity)


def layer_state(capacity: Capacity, value_of: Callable[[str, tuple[int, ...]], Any]) -> nnx.State:
    """The state of one layer. `value_of` returns the array of each parameter, given its name and its shape."""
    _, shapes = empty_layer(capacity)
    entries = [
        (path, variable.replace(value_of(".".join(map(str, path)), variable.shape)))
        for path, variable in nnx.to_flat_state(shapes)
    ]
    return nnx.from_flat_state(entries)


def _structure(module: Callable[..., nnx.Module], capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    return _split(module, capacity._replace(seq=0))  # modules are the same for texts of any length


@cache
def _split(module: Callable[..., nnx.Module], capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    return nnx.split(nnx.eval_shape(lambda: module(capacity, rngs=nnx.Rngs(0))))


@compiled_for_each_capacity
def _all_layers(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[Array, "seq d_model"],
    traced: TracedInputs,
) -> tuple[Float[Array, "seq d_model"], LayerTensors]:
    graphdef, _ = _structure(EncoderStack, capacity)
    encoder = nnx.merge(graphdef, state)
    return encoder(embedded, traced)


@compiled_for_each_capacity
def _layer(
    capacity: Capacity,
    state: nnx.State,
    x: Float[Array, "seq d_model"],
    traced: TracedInputs,
) -> LayerTensors:
    graphdef, _ = _structure(separate_layer, capacity)
    encoder_layer = nnx.merge(graphdef, state)
    return encoder_layer(x, traced)
