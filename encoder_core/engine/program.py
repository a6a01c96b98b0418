"""Run the compiled program: pad a sentence to capacity, run the modules, crop every tensor to the active sizes."""

from collections.abc import Iterator, Mapping

import jax
import numpy as np
from flax import nnx
from jaxtyping import Bool, Float

from encoder_core.blocks import ProgramSettings, TracedInputs
from encoder_core.blocks.capacity import Capacity, Dims, pad
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.crop import crop, crop_output
from encoder_core.engine.executables import one_ahead, wait_for
from encoder_core.engine.forward import PaddedRun, forward
from encoder_core.engine.program_inputs import layer_dropout, layer_edits, program_settings
from encoder_core.engine.stacked_parameters import ProgramParameters
from encoder_core.inputs.dropout import DropoutDraw
from encoder_core.trace import LayerTrace


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

    It takes the memory of the result and, while it computes, of three sentences at capacity: 1.5 to 24 MB each at
    CAPACITIES, whatever the batch.
    """
    parameters = _edited(parameters, effects, capacity)

    def runs(every_layer_reads_input: bool) -> Iterator[PaddedRun]:
        settings = program_settings(config, effects, parameters.cut)._replace(
            every_layer_reads_input=every_layer_reads_input
        )
        return one_ahead(
            _run(parameters.state, rows, sentence_mask, config, capacity, settings, effects, kept, sentence)
            for sentence, (rows, sentence_mask) in enumerate(zip(embedded, mask, strict=True))
        )

    batch, seq, _ = embedded.shape
    out_kernels = _out_kernels(parameters, config, capacity)
    if config.attention_read_out == "input":
        output = crop_output(runs(False), seq, config)
        return output, crop(runs(True), batch, out_kernels, seq, config, capacity)[1]
    return crop(runs(False), batch, out_kernels, seq, config, capacity)


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
    """The output of one sentence, and the input of each layer from `first_layer` on.

    stream  the input of layer `first_layer`; the layers before it are skipped

    It is faster than `run_batch`, because no other tensor is cropped.
    """
    settings = program_settings(config, effects, parameters.cut)._replace(first_layer=first_layer)
    state = _edited(parameters, effects, capacity).state
    output, tensors = wait_for(_run(state, stream, mask, config, capacity, settings, effects, kept, sentence))
    size = slice(len(stream)), slice(config.d_model)
    if isinstance(tensors, list):
        layer_inputs = np.stack([np.asarray(layer.resid_pre) for layer in tensors])
    else:
        layer_inputs = np.asarray(tensors.resid_pre)
    return np.asarray(output)[size], layer_inputs[: config.num_layers, *size]


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
    traced = TracedInputs(
        pad(mask, (capacity.num_heads, capacity.seq, capacity.seq)),
        Dims(d_model=config.d_model, d_head=config.d_head, num_layers=config.num_layers),
        settings,
        layer_edits(capacity, effects, sentence),
        layer_dropout(capacity, kept, sentence),
    )
    return forward(capacity, state, pad(stream, (capacity.seq, capacity.d_model)), traced)


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
        path: tuple[str | int, ...] = ("layers", layer, *rest) if capacity.exact else ("layers", *rest)
        if path not in copies:
            copies[path] = np.array(flat[path][...])
        kernel = copies[path].T if capacity.exact else copies[path][layer]  # a view: the copy is edited
        for cell, value in cells.items():
            kernel[cell] = value
    for path, copy in copies.items():
        flat[path] = flat[path].replace(jax.device_put(copy))
    return parameters._replace(state=nnx.from_flat_state(list(flat.items())))


def _out_kernels(
    parameters: ProgramParameters, config: EncoderConfig, capacity: Capacity
) -> list[Float[np.ndarray, "qkv_dim d_model"]]:
    """W_O of each layer; at an exact capacity, a view of the state, in which it is transposed."""
    layers = parameters.state["layers"]
    if capacity.exact:
        kernels = [np.asarray(layers[layer]["attention"]["out"]["kernel"][...]).T for layer in range(config.num_layers)]
    else:
        kernels = list(np.asarray(layers["attention"]["out"]["kernel"][...])[: config.num_layers])
    kernels = [kernel[: config.qkv_width, : config.d_model] for kernel in kernels]
    factor = parameters.cut.qkv_width_factor
    return kernels if factor == 1.0 else [kernel * factor for kernel in kernels]
