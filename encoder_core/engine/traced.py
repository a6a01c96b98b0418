"""The trace of a forward pass: the input is embedded, the program run, and everything it computed collected."""

import numpy as np
from jaxtyping import Float

from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.engine.program import run_batch
from encoder_core.engine.stacked_parameters import StackedParameters
from encoder_core.inputs.embedding import embed_inputs
from encoder_core.inputs.masks import MaskSpec
from encoder_core.inputs.parsing import ReadInputs
from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace


def traced(
    read: ReadInputs,
    mask: MaskSpec,
    effects: Effects,
    config: EncoderConfig,
    parameters: Parameters,
    stacked: StackedParameters,
) -> EncoderTrace:
    """Every step of the forward pass, in read-only arrays. Raises ValueError for a mask that does not fit."""
    entry = embed_inputs(read, mask, effects, config, parameters)
    capacity = capacity_for(config, entry.embedded.shape[1])
    output, layers = run_batch(stacked.at(capacity), entry.embedded, entry.mask, config, capacity, effects, entry.kept)
    logits = _logits(output, parameters) if config.output_head else None
    for array in (entry.read.ids, entry.read.real, entry.read.rows, *entry.arrays, logits):
        if array is not None:
            array.setflags(write=False)
    return EncoderTrace(
        tokens=entry.read.tokens,
        ids=entry.read.ids,
        real=entry.read.real,
        mask=entry.mask,
        token_embedding=entry.read.rows,
        scaled_embedding=entry.scaled,
        position_encoding=entry.position_encoding,
        embedded=entry.embedded,
        layers=layers,
        output=output,
        logits=logits,
        kept=entry.kept,
        embedding_sum=entry.embedding_sum,
    )


def _logits(
    output: Float[np.ndarray, "batch seq d_model"], parameters: Parameters
) -> Float[np.ndarray, "batch seq vocab"]:
    logits = output @ parameters["output_head.kernel"]
    return logits + parameters.get("output_head.bias", np.float32(0))
