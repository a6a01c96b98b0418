"""What reaches the modules from outside: choices, edits and dropout masks, all traced."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int


class Switches(NamedTuple):
    """What holds for all blocks: the choices of a configuration and the edits of a what-if, as traced values.

    post_norm    norm after the residual sum, else before each sublayer
    final_norm   one more norm after the last block
    norm_eps     added to the variance
    activation   index into ACTIVATIONS, between the two linear layers; AS_IT_IS for none
    output_activation  the same after the second linear layer
    score_scale  1 / sqrt(d_head), or 1
    temperature  scores are divided by it before softmax; 1 leaves them
    first_layer  blocks before it are left out; what enters the stack enters this one
    every_block_reads_input  each block is applied to the embedded input, not to what the block before it gave
    """

    post_norm: Bool[Array, ""] | bool
    final_norm: Bool[Array, ""] | bool
    norm_eps: Float[Array, ""] | float
    activation: Int[Array, ""] | int
    output_activation: Int[Array, ""] | int
    score_scale: Float[Array, ""] | float
    temperature: Float[Array, ""] | float
    first_layer: Int[Array, ""] | int
    every_block_reads_input: Bool[Array, ""] | bool


class BlockEdits(NamedTuple):
    """The what-ifs of a block, as traced values; of all blocks along a first axis `layer`.

    scores              takes the place of a score before softmax, masked or not; NaN leaves it
    head_gates          factor on each head's output; 1 leaves it, 0 switches the head off
    attention_residual  factor on what flows past attention; 1 leaves it, 0 drops the residual connection
    mlp_residual        the same for what flows past the feed-forward network
    """

    scores: Float[Array, "*layer head seq seq"]
    head_gates: Float[Array, "*layer head"]
    attention_residual: Float[Array, "*layer"]
    mlp_residual: Float[Array, "*layer"]


class Keep(NamedTuple):
    """Dropout in one place: True where a number stays, and what it is multiplied with, 1 / (1 - rate)."""

    mask: Bool[Array, "..."]
    scale: Float[Array, "*layer"]


class BlockDropout(NamedTuple):
    """Dropout in each place of a block; in evaluation, and where it is not applied, all stays, times 1."""

    pattern: Keep
    attn_out: Keep
    mlp_act: Keep
    mlp_out: Keep


def dropout(x: Float[Array, "*shape"], keep: Keep) -> Float[Array, "*shape"]:
    """In training, zeros for what is not kept, and the rest times 1 / (1 - rate) (Srivastava et al. 2014)."""
    return jnp.where(keep.mask, x * keep.scale, 0)
