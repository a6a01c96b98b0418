"""The encoder as Flax NNX modules: each function or method computes one stage of the walkthrough.

The modules process one sentence, without a batch axis. All arrays are padded to capacity (see `capacity.py`). The
active sizes are in `Dims`, the options of the configuration in `ProgramSettings`. Both are traced, so that no change
of a size or an option compiles anything.
"""

from encoder_core.blocks.attention import (
    AttentionTensors,
    SelfAttention,
    dot_products,
    dot_products_of_heads,
    overwrite_scores,
    scale_and_mask,
    softmax,
    split_heads,
    weigh_values,
    weigh_values_of_heads,
)
from encoder_core.blocks.embedding import embed, lookup, output_logits
from encoder_core.blocks.feed_forward import (
    ACTIVATIONS,
    NO_ACTIVATION,
    FeedForward,
    FeedForwardTensors,
    apply_activation,
)
from encoder_core.blocks.norm import LayerNorm, layer_norm
from encoder_core.blocks.stack import (
    BlockTensors,
    EncoderBlock,
    EncoderStack,
    SeparateBlocks,
    post_norm_block,
    pre_norm_block,
    separate_block,
)
from encoder_core.blocks.traced_inputs import (
    BlockDropout,
    BlockEdits,
    DropoutMask,
    ProgramSettings,
    TracedInputs,
    dropout,
)

__all__ = [
    "ACTIVATIONS",
    "NO_ACTIVATION",
    "AttentionTensors",
    "BlockDropout",
    "BlockEdits",
    "BlockTensors",
    "DropoutMask",
    "EncoderBlock",
    "EncoderStack",
    "FeedForward",
    "FeedForwardTensors",
    "LayerNorm",
    "ProgramSettings",
    "SelfAttention",
    "SeparateBlocks",
    "TracedInputs",
    "apply_activation",
    "dot_products",
    "dot_products_of_heads",
    "dropout",
    "embed",
    "layer_norm",
    "lookup",
    "output_logits",
    "overwrite_scores",
    "post_norm_block",
    "pre_norm_block",
    "scale_and_mask",
    "separate_block",
    "softmax",
    "split_heads",
    "weigh_values",
    "weigh_values_of_heads",
]
