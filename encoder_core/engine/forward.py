"""The compiled forward pass: one program for all layers, or, of a model with a capacity of its own, one for a layer.

With a small capacity the call of a program takes longer than a layer, so one program scans over the layers, whose
parameters are stacked. Of a large model the scan would copy each layer's parameters out of the stack: as much time as
a fifth of the products, and twice the memory to compile it. So its layers are called one after another.
"""

from collections.abc import Callable
from functools import cache, partial

import jax
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks import (
    BlockDropout,
    BlockEdits,
    BlockSteps,
    EncoderBlock,
    EncoderStack,
    SeparateBlocks,
    Switches,
    layer_norm,
)
from encoder_core.blocks.capacity import Capacity, Dims
from encoder_core.engine.program_inputs import by_layer

Steps = BlockSteps | list[BlockSteps]  # of all layers along a first axis, or of one after another


def forward(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    dims: Dims,
    switches: Switches,
    edits: BlockEdits,
    keep: BlockDropout,
) -> tuple[Float[Array, "seq d_model"] | Float[np.ndarray, "seq d_model"], Steps]:
    """The output of the stack, and the steps of its layers, all at capacity; see `layer_of`."""
    if not capacity.exact:
        return _all_layers(capacity, state, embedded, mask, dims, switches, edits, keep)
    x, steps = embedded, []
    of_layers = by_layer(capacity, edits, keep)
    for layer in range(int(switches.first_layer), capacity.num_layers):
        block = _layer(capacity, state["blocks"][layer], x, mask, dims, switches, *of_layers[layer])
        steps.append(block)
        x = embedded if switches.every_block_reads_input else block.resid_post
    if switches.final_norm:
        scale, bias = (np.asarray(state["final_norm"][name][...]) for name in ("scale", "bias"))
        return layer_norm(np.asarray(x), scale, bias, float(switches.norm_eps)), steps
    return x, steps


def layer_of(steps: Steps, layer: int) -> BlockSteps:
    """The steps of one layer."""
    return steps[layer] if isinstance(steps, list) else jax.tree.map(lambda leaf: leaf[layer], steps)


def empty_state(capacity: Capacity) -> nnx.State:
    """The shapes of the parameters; nothing is drawn or allocated."""
    _, state = _split(SeparateBlocks if capacity.exact else EncoderStack, capacity)
    return state


@cache
def _split(module: Callable[..., nnx.Module], capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    return nnx.split(nnx.eval_shape(lambda: module(capacity, rngs=nnx.Rngs(0))))


@partial(jax.jit, static_argnums=0)
def _all_layers(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[Array, "seq d_model"],
    mask: Bool[Array, "head seq seq"],
    dims: Dims,
    switches: Switches,
    edits: BlockEdits,
    keep: BlockDropout,
) -> tuple[Float[Array, "seq d_model"], BlockSteps]:
    graphdef, _ = _split(EncoderStack, capacity)
    encoder = nnx.merge(graphdef, state)
    return encoder(embedded, mask, dims, switches, edits, keep)


@partial(jax.jit, static_argnums=0)
def _layer(
    capacity: Capacity,
    state: nnx.State,
    x: Float[Array, "seq d_model"],
    mask: Bool[Array, "head seq seq"],
    dims: Dims,
    switches: Switches,
    edits: BlockEdits,
    keep: BlockDropout,
) -> BlockSteps:
    graphdef, _ = _split(EncoderBlock, capacity)
    block = nnx.merge(graphdef, state)
    return block(x, mask, dims, switches, edits, keep)
