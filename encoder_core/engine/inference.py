"""Forward passes of an encoder: the trace of one, and the outputs of several that differ in their edits."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.blocks import output_logits
from encoder_core.blocks.capacity import Capacity, capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.edits import Edit, Effects, combine_edits
from encoder_core.edits.effects import first_changed_layer
from encoder_core.engine.program import edits_kernels, run_batch, run_output
from encoder_core.engine.stacked_parameters import StackedParameters, stack_parameters
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.parsing import ParsedInputs
from encoder_core.trace import EncoderTrace


def compute_trace(
    inputs: ParsedInputs,
    mask: MaskSpec,
    effects: Effects,
    stacked: StackedParameters,
) -> EncoderTrace:
    """Every tensor of the forward pass, in read-only arrays. Raises ValueError for a mask that does not fit."""
    config, parameters = stacked.config, stacked.parameters
    embedded = embed_inputs(inputs, mask, effects, config, parameters)
    inputs = embedded.inputs
    capacity = capacity_for(config, embedded.embedded.shape[1])
    at_capacity = stacked.for_capacity(capacity, to_edit=edits_kernels(effects))
    output, layers = run_batch(at_capacity, embedded.embedded, embedded.mask, config, capacity, effects, embedded.kept)
    logits = output_logits(output, parameters) if config.output_head else None
    for array in (inputs.ids, inputs.real, inputs.rows, *embedded.arrays, logits):
        if array is not None:
            array.setflags(write=False)
    return EncoderTrace(
        tokens=inputs.tokens,
        ids=inputs.ids,
        real=inputs.real,
        mask=embedded.mask,
        token_embedding=inputs.rows,
        scaled_embedding=embedded.scaled,
        position_encoding=embedded.position_encoding,
        embedded=embedded.embedded,
        layers=layers,
        output=output,
        logits=logits,
        kept=embedded.kept,
        embedding_sum=embedded.embedding_sum,
    )


def compute_outputs(
    inputs: ParsedInputs,
    mask: MaskSpec,
    edits: Sequence[Edit],
    edit_lists: Sequence[Sequence[Edit]],
    sentence: int,
    stacked: StackedParameters,
) -> Float[np.ndarray, "run seq d_model"]:
    """The output of one sentence with `edits`, then with `edits` and each of the `edit_lists`.

    Each run starts at the first layer that its edit list changes, with the input that the layer has with `edits`.
    """
    config, (batch, seq) = stacked.config, inputs.real.shape
    capacity = capacity_for(config, seq)
    layer_inputs = np.empty((0, seq, config.d_model), np.float32)  # of the run with `edits`
    outputs = np.empty((1 + len(edit_lists), seq, config.d_model), np.float32)
    for run, added_edits in enumerate([(), *edit_lists]):
        effects = combine_edits([*edits, *added_edits], config, batch, seq)
        embedded = embed_inputs(inputs, mask, effects, config, stacked.parameters)
        first = first_changed_layer(added_edits)
        stream = layer_inputs[first] if first else embedded.embedded[sentence]
        at_capacity = stacked.for_capacity(capacity, to_edit=edits_kernels(effects))
        outputs[run], streams = run_output(
            at_capacity, stream, embedded.mask[sentence], config, capacity, effects, embedded.kept, sentence, first
        )
        if run == 0:
            layer_inputs = streams
    outputs.setflags(write=False)
    return outputs


def compile_forward(capacity: Capacity) -> None:
    """Compile the forward pass at this capacity: run the largest model that fits it, with zeros instead of a draw."""
    config = EncoderConfig(
        d_model=capacity.d_model,
        num_heads=capacity.num_heads,
        qkv_dim=capacity.qkv_width,
        d_ff=capacity.d_ff,
        num_layers=capacity.num_layers,
    )
    embedded = np.zeros((1, capacity.seq, capacity.d_model), np.float32)
    mask = np.ones((1, capacity.num_heads, capacity.seq, capacity.seq), bool)
    run_batch(stack_parameters({}, config, capacity), embedded, mask, config, capacity)
