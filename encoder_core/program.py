"""The compiled program: pads a sentence to capacity, runs the modules once, crops every step to its exact size."""

from collections.abc import Mapping, Sequence
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks import BlockDropout, BlockEdits, BlockSteps, EncoderStack, Switches
from encoder_core.capacity import Capacity, Dims, pad
from encoder_core.config import EncoderConfig
from encoder_core.controls import block_dropout, block_edits, switches
from encoder_core.dropout import Kept
from encoder_core.edits import Edit
from encoder_core.edits.apply import weight_cells
from encoder_core.parameters import parameter_shapes
from encoder_core.trace import LayerTrace

Steps = tuple[Float[Array, "seq d_model"], BlockSteps]
Padded = tuple[Float[Array, "_seq _d_model"], BlockSteps]  # the same, where seq is the size in use
Run = tuple[Float[np.ndarray, "_seq _d_model"], BlockSteps]  # the same as NumPy arrays


def stack_parameters(
    flat: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> nnx.State:
    """The parameters at capacity, those of the blocks stacked along a first axis `layer`, as the modules want them."""
    _, state = _split(capacity)
    filled = []
    for path, variable in nnx.to_flat_state(state):
        name = ".".join(map(str, path))
        if name.startswith("blocks."):
            value = np.zeros(variable.shape, np.float32)
            for layer in range(config.num_layers):
                array = flat.get(f"layers.{layer}.{name.removeprefix('blocks.')}")
                if array is not None:
                    value[layer][tuple(slice(size) for size in array.shape)] = array
        else:
            value = pad(flat.get(name, np.zeros(0, np.float32)), variable.shape)
        filled.append((path, variable.replace(jnp.asarray(value))))
    return nnx.from_flat_state(filled)


def parameters_in(
    state: nnx.State, flat: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> dict[str, Float[np.ndarray, "..."]]:
    """The parameters by their flat names; at an exact capacity, those of the blocks are views of the state.

    So that a large model is in memory once. (On a GPU, where the state is elsewhere, it is in main memory once, too.)
    """
    stacked: dict[str, Float[np.ndarray, layer * shape]] = {}
    if capacity.exact:
        stacked = {".".join(map(str, path)): np.asarray(value[...]) for path, value in nnx.to_flat_state(state)}
    parameters = {}
    for name in parameter_shapes(config):
        kind, _, rest = name.partition(".")
        layer, _, within = rest.partition(".")
        if kind == "layers" and stacked:
            parameters[name] = stacked[f"blocks.{within}"][int(layer)]
        else:
            parameters[name] = np.ascontiguousarray(flat[name])
    return parameters


def run_batch(
    state: nnx.State,
    embedded: Float[np.ndarray, "batch seq d_model"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    edits: Sequence[Edit] = (),
    kept: Kept | None = None,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and all layers, one sentence after another: the batch size is no shape and compiles nothing.

    Where the config reads attention out of the input, the layers are those of a second pass.
    """
    state = _edited_state(state, edits, config)

    def run(every_block_reads_input: bool) -> list[Run]:
        chosen = switches(config, edits)._replace(every_block_reads_input=every_block_reads_input)
        steps = [
            _run(state, rows, seen, config, capacity, chosen, edits, kept, sentence)
            for sentence, (rows, seen) in enumerate(zip(embedded, mask, strict=True))
        ]
        return jax.tree.map(np.asarray, steps)

    out_kernels = np.asarray(state["blocks"]["attention"]["out"]["kernel"][...])
    output, layers = _crop(run(False), out_kernels, embedded.shape[1], config, capacity)
    if config.attention_read_out == "input":
        _, layers = _crop(run(True), out_kernels, embedded.shape[1], config, capacity)
    return output, layers


def run_output(
    state: nnx.State,
    stream: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    edits: Sequence[Edit],
    kept: Kept | None,
    sentence: int,
    first_layer: int = 0,
) -> tuple[Float[np.ndarray, "seq d_model"], Float[np.ndarray, "layer seq d_model"]]:
    """The output of one sentence, whose stream enters at `first_layer`; and what enters each block from there on.

    No other step is cropped, which makes it faster than a batch of one.
    """
    chosen = switches(config, edits)._replace(first_layer=first_layer)
    state = _edited_state(state, edits, config)
    output, steps = _run(state, stream, mask, config, capacity, chosen, edits, kept, sentence)
    size = slice(len(stream)), slice(config.d_model)
    return np.asarray(output)[size], np.asarray(steps.resid_pre)[: config.num_layers, *size]


def _run(
    state: nnx.State,
    stream: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    chosen: Switches,
    edits: Sequence[Edit],
    kept: Kept | None,
    sentence: int,
) -> Padded:
    return _forward(
        capacity,
        state,
        pad(stream, (capacity.seq, capacity.d_model)),
        pad(mask, (capacity.num_heads, capacity.seq, capacity.seq)),
        Dims(d_model=config.d_model, d_head=config.d_head, num_layers=config.num_layers),
        chosen,
        block_edits(capacity, edits, sentence),
        block_dropout(capacity, kept, sentence),
    )


def _edited_state(state: nnx.State, edits: Sequence[Edit], config: EncoderConfig) -> nnx.State:
    """The parameters after `SetWeight`. The state is shared between threads: what changes is copied, nothing else."""
    copies: dict[str, Float[np.ndarray, "layer _inputs _outputs"]] = {}
    for layer, kernel, cell, value in weight_cells(edits, config):
        if kernel not in copies:
            copies[kernel] = np.array(state["blocks"]["attention"][kernel]["kernel"][...])
        copies[kernel][layer][cell] = value
    if not copies:
        return state
    flat = dict(nnx.to_flat_state(state))
    for kernel, copy in copies.items():
        path = ("blocks", "attention", kernel, "kernel")
        flat[path] = flat[path].replace(jnp.asarray(copy))
    return nnx.from_flat_state(list(flat.items()))


@cache
def _split(capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    """The structure of the modules and the shapes of their parameters; nothing is drawn or allocated."""
    return nnx.split(nnx.eval_shape(lambda: EncoderStack(capacity, rngs=nnx.Rngs(0))))


@partial(jax.jit, static_argnums=0)
def _forward(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[Array, "seq d_model"],
    mask: Bool[Array, "head seq seq"],
    dims: Dims,
    switches: Switches,
    edits: BlockEdits,
    keep: BlockDropout,
) -> Steps:
    graphdef, _ = _split(capacity)
    encoder = nnx.merge(graphdef, state)
    return encoder(embedded, mask, dims, switches, edits, keep)


def _crop(
    runs: list[Run],
    out_kernels: Float[np.ndarray, "_layer _attention_dim _d_model"],
    seq: int,
    config: EncoderConfig,
    capacity: Capacity,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    heads, d_head, qkv, d_model = config.num_heads, config.d_head, config.attention_dim, config.d_model

    # Where only the length is padded, one sentence is shown as it lies there: a copy would take a tenth of the time.
    in_place = capacity.exact and len(runs) == 1

    def joined(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch ..."]:
        return _frozen(arrays[0][None] if in_place else np.stack(arrays))

    def rows(arrays: list[np.ndarray], width: int) -> Float[np.ndarray, "batch seq width"]:
        return joined([array[:seq, :width] for array in arrays])

    def split(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq d_head"]:
        of_head = rows(arrays, qkv).reshape(len(arrays), seq, heads, d_head).swapaxes(1, 2)
        return _frozen(of_head if in_place else np.ascontiguousarray(of_head))

    def square(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq seq"]:
        return joined([array[:heads, :seq, :seq] for array in arrays])

    def layer_trace(layer: int) -> LayerTrace:
        steps = [jax.tree.map(lambda leaf: leaf[layer], run) for _, run in runs]
        attention = [step.attention for step in steps]
        return LayerTrace(
            resid_pre=rows([s.resid_pre for s in steps], d_model),
            attn_in=rows([s.attn_in for s in steps], d_model),
            q=split([a.q for a in attention]),
            k=split([a.k for a in attention]),
            v=split([a.v for a in attention]),
            dot_products=square([a.dot_products for a in attention]),
            scores=square([a.scores for a in attention]),
            pattern=square([a.pattern for a in attention]),
            z=split([a.concat for a in attention]),
            concat=rows([a.concat for a in attention], qkv),
            attn_out=rows([a.attn_out for a in attention], d_model),
            resid_mid=rows([s.resid_mid for s in steps], d_model),
            mlp_in=rows([s.mlp_in for s in steps], d_model),
            mlp_pre=rows([s.mlp.mlp_pre for s in steps], config.d_ff),
            mlp_act=rows([s.mlp.mlp_act for s in steps], config.d_ff),
            mlp_out=rows([s.mlp.mlp_out for s in steps], d_model),
            resid_post=rows([s.resid_post for s in steps], d_model),
            out_kernel=_frozen(out_kernels[layer, :qkv, :d_model]),
        )

    output = rows([out for out, _ in runs], d_model)
    return output, tuple(layer_trace(layer) for layer in range(config.num_layers))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
