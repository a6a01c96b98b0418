"""Run the compiled program: pad a sentence to capacity, run the modules, crop every tensor to the active sizes."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks import ProgramSettings
from encoder_core.blocks.capacity import Capacity, Dims, pad
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.executables import one_ahead, wait_for
from encoder_core.engine.forward import LayerTensors, forward, select_layer
from encoder_core.engine.program_inputs import block_dropout, block_edits, program_settings
from encoder_core.engine.stacked_parameters import ProgramParameters
from encoder_core.inputs.dropout import DropoutDraw
from encoder_core.trace import LayerTrace

# The output and the tensors of all layers at capacity; `_seq` and `_d_model` are capacities, not active sizes.
PaddedRun = tuple[Float[Array, "_seq _d_model"] | Float[np.ndarray, "_seq _d_model"], LayerTensors]
PaddedArrays = tuple[Float[np.ndarray, "_seq _d_model"], LayerTensors]  # the same as NumPy arrays


def run_batch(
    parameters: ProgramParameters,
    embedded: Float[np.ndarray, "batch seq d_model"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    effects: Effects = NO_EFFECTS,
    kept: DropoutDraw | None = None,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and the traces of all layers.

    The program runs once for each sentence, so that the batch size is not an array shape and compiles nothing. With
    attention_read_out="input" the layers are those of a second run.
    """
    parameters = _edited(parameters, effects, capacity)

    def run(every_block_reads_input: bool) -> list[PaddedArrays]:
        settings = program_settings(config, effects, parameters.cut)._replace(
            every_block_reads_input=every_block_reads_input
        )
        runs = (
            _run(parameters.state, rows, sentence_mask, config, capacity, settings, effects, kept, sentence)
            for sentence, (rows, sentence_mask) in enumerate(zip(embedded, mask, strict=True))
        )
        return jax.tree.map(np.asarray, one_ahead(runs))

    out_kernels = _out_kernels(parameters, config, capacity)
    output, layers = _crop(run(False), out_kernels, embedded.shape[1], config, capacity)
    if config.attention_read_out == "input":
        _, layers = _crop(run(True), out_kernels, embedded.shape[1], config, capacity)
    return output, layers


def run_output(
    parameters: ProgramParameters,
    stream: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    effects: Effects,
    kept: DropoutDraw | None,
    sentence: int,
    first_layer: int = 0,
) -> tuple[Float[np.ndarray, "seq d_model"], Float[np.ndarray, "layer seq d_model"]]:
    """The output of one sentence, and the input of each block from `first_layer` on.

    stream  the input of block `first_layer`; the blocks before it are skipped

    It is faster than `run_batch`, because no other tensor is cropped.
    """
    settings = program_settings(config, effects, parameters.cut)._replace(first_layer=first_layer)
    state = _edited(parameters, effects, capacity).state
    output, tensors = wait_for(_run(state, stream, mask, config, capacity, settings, effects, kept, sentence))
    size = slice(len(stream)), slice(config.d_model)
    if isinstance(tensors, list):
        block_inputs = np.stack([np.asarray(block.resid_pre) for block in tensors])
    else:
        block_inputs = np.asarray(tensors.resid_pre)
    return np.asarray(output)[size], block_inputs[: config.num_layers, *size]


def _run(
    state: nnx.State,
    stream: Float[np.ndarray, "seq d_model"],
    mask: Bool[np.ndarray, "head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    settings: ProgramSettings,
    effects: Effects,
    kept: DropoutDraw | None,
    sentence: int,
) -> PaddedRun:
    return forward(
        capacity,
        state,
        pad(stream, (capacity.seq, capacity.d_model)),
        pad(mask, (capacity.num_heads, capacity.seq, capacity.seq)),
        Dims(d_model=config.d_model, d_head=config.d_head, num_layers=config.num_layers),
        settings,
        block_edits(capacity, effects, sentence),
        block_dropout(capacity, kept, sentence),
    )


def edits_kernels(effects: Effects) -> bool:
    """Whether there is a `SetWeight` among the edits."""
    return bool(_edited_kernels(effects))


def _edited_kernels(effects: Effects) -> dict[str, Mapping[tuple[int, ...], float]]:
    return {name: cells for name, cells in effects.parameters.items() if name.startswith("layers.")}


def _edited(parameters: ProgramParameters, effects: Effects, capacity: Capacity) -> ProgramParameters:
    """The parameters after `SetWeight`. Threads share the state: it does not change, and edited kernels are copied."""
    kernels = _edited_kernels(effects)
    if not kernels:
        return parameters
    flat = dict(nnx.to_flat_state(parameters.state))
    copies: dict[tuple[str | int, ...], Float[np.ndarray, "*layer _inputs _outputs"]] = {}
    for name, cells in kernels.items():
        _, number, *rest = name.split(".")
        layer = int(number)
        path: tuple[str | int, ...] = ("blocks", layer, *rest) if capacity.exact else ("blocks", *rest)
        if path not in copies:
            copies[path] = np.array(flat[path][...])
        kernel = copies[path] if capacity.exact else copies[path][layer]
        for cell, value in cells.items():
            kernel[cell] = value
    for path, copy in copies.items():
        flat[path] = flat[path].replace(jax.device_put(copy))
    return parameters._replace(state=nnx.from_flat_state(list(flat.items())))


def _out_kernels(
    parameters: ProgramParameters, config: EncoderConfig, capacity: Capacity
) -> list[Float[np.ndarray, "qkv_dim d_model"]]:
    """W_O of each layer."""
    blocks = parameters.state["blocks"]
    if capacity.exact:
        kernels = [np.asarray(blocks[layer]["attention"]["out"]["kernel"][...]) for layer in range(config.num_layers)]
    else:
        kernels = list(np.asarray(blocks["attention"]["out"]["kernel"][...])[: config.num_layers])
    kernels = [kernel[: config.qkv_width, : config.d_model] for kernel in kernels]
    factor = parameters.cut.qkv_width_factor
    return kernels if factor == 1.0 else [kernel * factor for kernel in kernels]


def _crop(
    runs: list[PaddedArrays],
    out_kernels: Sequence[Float[np.ndarray, "qkv_dim d_model"]],
    seq: int,
    config: EncoderConfig,
    capacity: Capacity,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    heads, d_head, qkv, d_model = config.num_heads, config.d_head, config.qkv_width, config.d_model

    # At an exact capacity only seq is padded: views of one sentence are enough, copies would take a tenth of the time.
    in_place = capacity.exact and len(runs) == 1

    def stack(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch ..."]:
        return _frozen(arrays[0][None] if in_place else np.stack(arrays))

    def rows(arrays: list[np.ndarray], width: int) -> Float[np.ndarray, "batch seq width"]:
        return stack([array[:seq, :width] for array in arrays])

    def split(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq d_head"]:
        heads_apart = rows(arrays, qkv).reshape(len(arrays), seq, heads, d_head).swapaxes(1, 2)
        return _frozen(heads_apart if in_place else np.ascontiguousarray(heads_apart))

    def square(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq seq"]:
        return stack([array[:heads, :seq, :seq] for array in arrays])

    def layer_trace(layer: int) -> LayerTrace:
        blocks: list[Any] = [select_layer(tensors, layer) for _, tensors in runs]  # BlockTensors of NumPy arrays
        attention = [block.attention for block in blocks]
        return LayerTrace(
            resid_pre=rows([b.resid_pre for b in blocks], d_model),
            attn_in=rows([b.attn_in for b in blocks], d_model),
            q=split([a.q for a in attention]),
            k=split([a.k for a in attention]),
            v=split([a.v for a in attention]),
            dot_products=square([a.dot_products for a in attention]),
            scores=square([a.scores for a in attention]),
            pattern=square([a.pattern for a in attention]),
            z=split([a.concat for a in attention]),
            concat=rows([a.concat for a in attention], qkv),
            attn_out=rows([a.attn_out for a in attention], d_model),
            resid_mid=rows([b.resid_mid for b in blocks], d_model),
            mlp_in=rows([b.mlp_in for b in blocks], d_model),
            mlp_pre=rows([b.mlp.mlp_pre for b in blocks], config.d_ff),
            mlp_act=rows([b.mlp.mlp_act for b in blocks], config.d_ff),
            mlp_out=rows([b.mlp.mlp_out for b in blocks], d_model),
            resid_post=rows([b.resid_post for b in blocks], d_model),
            out_kernel=_frozen(out_kernels[layer]),
        )

    outputs = rows([output for output, _ in runs], d_model)
    return outputs, tuple(layer_trace(layer) for layer in range(config.num_layers))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
