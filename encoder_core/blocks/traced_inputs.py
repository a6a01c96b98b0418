"""Traced inputs of the modules: mask, sizes, settings, edits and dropout. They can change without compilation."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from encoder_core.blocks.capacity import Dims
from encoder_core.blocks.parameter_cut import ParameterCut


class ProgramSettings(NamedTuple):
    """Settings of all layers: options of the configuration and edits, as traced values.

    post_norm    norm after the residual sum, else before each sublayer
    final_norm   an additional norm after the last layer
    norm_eps     added to the variance
    activation   index into ACTIVATIONS, between the two linear layers; NO_ACTIVATION for none
    output_activation  the same after the second linear layer
    score_scale  1 / sqrt(d_head), or 1
    temperature  the scores are divided by it before softmax
    first_layer  layers before this one are skipped
    every_layer_reads_input  each layer is applied to the embedded input, not to the output of the previous layer
    cut          what stacked layers use of their parameters
    """

    post_norm: Bool[Array, ""] | bool
    final_norm: Bool[Array, ""] | bool
    norm_eps: Float[Array, ""] | float
    activation: Int[Array, ""] | int
    output_activation: Int[Array, ""] | int
    score_scale: Float[Array, ""] | float
    temperature: Float[Array, ""] | float
    first_layer: Int[Array, ""] | int
    every_layer_reads_input: Bool[Array, ""] | bool
    cut: ParameterCut


class LayerEdits(NamedTuple):
    """The edits of one layer, as traced values; with a first axis `layer`, those of all layers.

    scores              replace scores before softmax, masked or not; NaN where a score is not edited
    head_factors        factor on the output of each head; 0 switches the head off
    attention_residual  factor on the residual of attention; 0 removes the residual connection
    mlp_residual        factor on the residual of the feed-forward network
    """

    scores: Float[Array, "*layer head seq seq"]
    head_factors: Float[Array, "*layer head"]
    attention_residual: Float[Array, "*layer"]
    mlp_residual: Float[Array, "*layer"]


class DropoutMask(NamedTuple):
    """Dropout of one tensor: True where a number is kept, and the factor on the kept numbers, 1 / (1 - rate)."""

    kept: Bool[Array, "..."]
    scale: Float[Array, "*layer"]


class LayerDropout(NamedTuple):
    """Dropout of one layer. In evaluation mode, all numbers are kept and the scale is 1."""

    pattern: DropoutMask
    attn_out: DropoutMask
    mlp_act: DropoutMask
    mlp_out: DropoutMask


class TracedInputs(NamedTuple):
    """The inputs of a layer, or of all layers, besides the rows of the tokens. All layers share the first three."""

    mask: Bool[Array, "head seq seq"] | Bool[np.ndarray, "head seq seq"]
    dims: Dims
    settings: ProgramSettings
    edits: LayerEdits
    dropout: LayerDropout


def dropout(x: Float[Array, "*shape"], mask: DropoutMask) -> Float[Array, "*shape"]:
    """In training mode, kept numbers are multiplied by 1 / (1 - rate), the others are 0 (Srivastava et al. 2014)."""
    return jnp.where(mask.kept, x * mask.scale, 0)
