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
    EncoderLayer,
    EncoderStack,
    LayerTensors,
    SeparateLayers,
    post_norm_layer,
    pre_norm_layer,
    separate_layer,
)
from encoder_core.blocks.traced_inputs import (
    DropoutMask,
    LayerDropout,
    LayerEdits,
    ProgramSettings,
    TracedInputs,
    dropout,
)

__all__ = [
    "ACTIVATIONS",
    "NO_ACTIVATION",
    "AttentionTensors",
    "DropoutMask",
    "EncoderLayer",
    "EncoderStack",
    "FeedForward",
    "FeedForwardTensors",
    "LayerDropout",
    "LayerEdits",
    "LayerNorm",
    "LayerTensors",
    "ProgramSettings",
    "SelfAttention",
    "SeparateLayers",
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
    "post_norm_layer",
    "pre_norm_layer",
    "scale_and_mask",
    "separate_layer",
    "softmax",
    "split_heads",
    "weigh_values",
    "weigh_values_of_heads",
]
