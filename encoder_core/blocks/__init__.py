"""The encoder itself, as Flax NNX modules: each method is one stage of the walkthrough and reads as its equation.

One sentence at a time, without a batch axis. All arrays are at capacity (see `capacity.py`); the sizes in use are
in `Dims`, and what the configuration chooses is in `Switches`. Both are traced: no choice compiles anything.
"""

from encoder_core.blocks.attention import (
    AttentionSteps,
    SelfAttention,
    dot_products,
    dot_products_of_heads,
    overwrite,
    scale_and_mask,
    softmax,
    split_heads,
    weigh_values,
    weigh_values_of_heads,
)
from encoder_core.blocks.embedding import embed, lookup
from encoder_core.blocks.feed_forward import ACTIVATIONS, AS_IT_IS, FeedForward, FeedForwardSteps, activate
from encoder_core.blocks.norm import LayerNorm, layer_norm
from encoder_core.blocks.stack import (
    BlockSteps,
    EncoderBlock,
    EncoderStack,
    SeparateBlocks,
    post_norm_block,
    pre_norm_block,
)
from encoder_core.blocks.switches import BlockDropout, BlockEdits, Keep, Switches, dropout

__all__ = [
    "ACTIVATIONS",
    "AS_IT_IS",
    "AttentionSteps",
    "BlockDropout",
    "BlockEdits",
    "BlockSteps",
    "EncoderBlock",
    "EncoderStack",
    "FeedForward",
    "FeedForwardSteps",
    "Keep",
    "LayerNorm",
    "SelfAttention",
    "SeparateBlocks",
    "Switches",
    "activate",
    "dot_products",
    "dot_products_of_heads",
    "dropout",
    "embed",
    "layer_norm",
    "lookup",
    "overwrite",
    "post_norm_block",
    "pre_norm_block",
    "scale_and_mask",
    "softmax",
    "split_heads",
    "weigh_values",
    "weigh_values_of_heads",
]
