"""The compiled program: pads a sentence to capacity, runs the modules once, crops every step to its exact size."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks import Switches
from encoder_core.blocks.capacity import Capacity, Dims, pad
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.forward import Steps, forward, layer_of
from encoder_core.engine.program_inputs import block_dropout, block_edits, switches
from encoder_core.inputs.dropout import Kept
from encoder_core.trace import LayerTrace

Padded = tuple[Float[Array, "_seq _d_model"] | Float[np.ndarray, "_seq _d_model"], Steps]  # seq is the size in use
PaddedArrays = tuple[Float[np.ndarray, "_seq _d_model"], Steps]  # the same as NumPy arrays


def run_batch(
    state: nnx.State,
    embedded: Float[np.ndarray, "batch seq d_model"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    effects: Effects = NO_EFFECTS,
    kept: Kept | None = None,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and all layers, one sentence after another: the batch size is no shape and compiles nothing.

    Where the config reads attention out of the input, the layers are those of a second pass.
    """
    state = _edited_state(state, effects, capacity)

    def run(every_block_reads_input: bool) -> list[PaddedArrays]:
        chosen = switches(config, effects)._replace(every_block_reads_input=every_block_reads_input)
        steps = [
            _run(state, rows, seen, config, capacity, chosen, effects, kept, sentence)
            for sentence, (rows, seen) in enumerate(zip(embedded, mask, strict=True))
        ]
        return jax.tree.map(np.asarray, steps)

    out_kernels = _out_kernels(state, config, capacity)
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
    effects: Effects,
    kept: Kept | None,
    sentence: int,
    first_layer: int = 0,
) -> tuple[Float[np.ndarray, "seq d_model"], Float[np.ndarray, "layer seq d_model"]]:
    """The output of one sentence, whose stream enters at `first_layer`; and what enters each block from there on.

    No other step is cropped, which makes it faster than a batch of one.
    """
    chosen = switches(config, effects)._replace(first_layer=first_layer)
    state = _edited_state(state, effects, capacity)
    output, steps = _run(state, stream, mask, config, capacity, chosen, effects, kept, sentence)
    size = slice(len(stream)), slice(config.d_model)
    entering = [np.asarray(step.resid_pre) for step in steps] if isinstance(steps, list) else steps.resid_pre
    return np.asarray(output)[size], np.asarray(entering)[: config.num_layers, *size]


def _run(
    state: nnx.State,
    stream: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    chosen: Switches,
    effects: Effects,
    kept: Kept | None,
    sentence: int,
) -> Padded:
    return forward(
        capacity,
        state,
        pad(stream, (capacity.seq, capacity.d_model)),
        pad(mask, (capacity.num_heads, capacity.seq, capacity.seq)),
        Dims(d_model=config.d_model, d_head=config.d_head, num_layers=config.num_layers),
        chosen,
        block_edits(capacity, effects, sentence),
        block_dropout(capacity, kept, sentence),
    )


def _edited_state(state: nnx.State, effects: Effects, capacity: Capacity) -> nnx.State:
    """The parameters after `SetWeight`. The state is shared between threads: what changes is copied, nothing else."""
    kernels = {name: cells for name, cells in effects.parameters.items() if name.startswith("layers.")}
    if not kernels:
        return state
    flat = dict(nnx.to_flat_state(state))
    copies: dict[tuple[str | int, ...], Float[np.ndarray, "*layer _inputs _outputs"]] = {}
    for name, cells in kernels.items():
        _, number, *within = name.split(".")
        layer = int(number)
        path: tuple[str | int, ...] = ("blocks", layer, *within) if capacity.exact else ("blocks", *within)
        if path not in copies:
            copies[path] = np.array(flat[path][...])
        kernel = copies[path] if capacity.exact else copies[path][layer]
        for cell, value in cells.items():
            kernel[cell] = value
    for path, copy in copies.items():
        flat[path] = flat[path].replace(jnp.asarray(copy))
    return nnx.from_flat_state(list(flat.items()))


def _out_kernels(
    state: nnx.State, config: EncoderConfig, capacity: Capacity
) -> Sequence[Float[np.ndarray, "_qkv_dim _d_model"]]:
    """W_O of each layer."""
    if not capacity.exact:
        return list(np.asarray(state["blocks"]["attention"]["out"]["kernel"][...]))
    blocks = [state["blocks"][layer] for layer in range(config.num_layers)]
    return [np.asarray(block["attention"]["out"]["kernel"][...]) for block in blocks]


def _crop(
    runs: list[PaddedArrays],
    out_kernels: Sequence[Float[np.ndarray, "_qkv_dim _d_model"]],
    seq: int,
    config: EncoderConfig,
    capacity: Capacity,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    heads, d_head, qkv, d_model = config.num_heads, config.d_head, config.qkv_width, config.d_model

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
        steps: list[Any] = [layer_of(run, layer) for _, run in runs]  # their arrays are NumPy's by now
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
            out_kernel=_frozen(out_kernels[layer][:qkv, :d_model]),
        )

    output = rows([out for out, _ in runs], d_model)
    return output, tuple(layer_trace(layer) for layer in range(config.num_layers))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
