"""The cost of an encoder: parameters, bytes and floating-point operations."""

import math

from encoder_core.blocks.capacity import capacity_for
from encoder_core.config import EncoderConfig, require_config
from encoder_core.parameters import parameter_shapes
from encoder_core.support.validation import require_integer

_PARTS = {
    "token_embedding": "embedding",
    "position_embedding": "positions",
    "attention": "attention",
    "mlp": "feed-forward",
    "norm": "norms",
    "output_head": "output head",
}
BYTES_PER_PARAMETER = 4  # float32


def parameters_by_part(config: EncoderConfig) -> dict[str, int]:
    """The number of parameters of each part: embedding, positions, attention, feed-forward, norms, output head."""
    counts = dict.fromkeys(_PARTS.values(), 0)
    for name, shape in parameter_shapes(config).items():
        part = next(part for key, part in _PARTS.items() if key in name)
        counts[part] += math.prod(shape)
    return {part: count for part, count in counts.items() if count}


def flops_by_part(config: EncoderConfig, seq: int, batch: int = 1) -> dict[str, int]:
    """Floating-point operations of the matrix products of one forward pass, by part.

    The product of an (m, k) and a (k, n) matrix takes m k n multiplications and as many additions: 2 m k n
    operations. With n = seq tokens and L layers, for one sentence:

        projections     L * 4 * 2 n d_model qkv_dim        (Q, K, V and O)
        scores          L * 2 n^2 qkv_dim                  (Q K^T over all heads)
        values          L * 2 n^2 qkv_dim                  (pattern V over all heads)
        feed-forward    L * 2 * 2 n d_model d_ff
        output head     2 n d_model vocab_size             (if the model has one)

    Only matrix products are counted. Not counted are additions of biases and residuals, norms, softmax and
    activations, which grow with n d_model or, in each head, with n^2, and the embedding, which is a lookup here.
    Source: Hoffmann et al. 2022, appendix F, who count these products in the same way, and also embedding and softmax.
    Raises ValueError unless `seq` and `batch` are whole numbers from 1.
    """
    require_config(config)
    seq, batch = require_integer("seq", seq, 1), require_integer("batch", batch, 1)
    tokens, d, qkv = batch * seq, config.d_model, config.qkv_width
    flops = {
        "projections": config.num_layers * 4 * 2 * tokens * d * qkv,
        "scores": config.num_layers * 2 * tokens * seq * qkv,
        "values": config.num_layers * 2 * tokens * seq * qkv,
        "feed-forward": config.num_layers * 2 * 2 * tokens * d * config.d_ff,
    }
    if config.output_head:
        flops["output head"] = 2 * tokens * d * config.vocab_size
    return flops


def stacked_bytes(config: EncoderConfig, seq: int) -> int:
    """Memory in bytes of the kernels of all layers at capacity, for texts of `seq` tokens.

    Raises ValueError unless `seq` is a whole number from 1.
    """
    require_config(config)
    seq = require_integer("seq", seq, 1)
    capacity = capacity_for(config, seq)
    per_layer = capacity.d_model * (4 * capacity.qkv_width + 2 * capacity.d_ff)
    return capacity.num_layers * per_layer * BYTES_PER_PARAMETER


def trace_bytes(config: EncoderConfig, seq: int, batch: int = 1) -> int:
    """Approximate memory in bytes of a trace: see the fields of `LayerTrace`.

    Raises ValueError unless `seq` and `batch` are whole numbers from 1.
    """
    require_config(config)
    seq, batch = require_integer("seq", seq, 1), require_integer("batch", batch, 1)
    numbers_per_token = 7 * config.d_model + 5 * config.qkv_width + 2 * config.d_ff + 3 * config.num_heads * seq
    return batch * seq * (config.num_layers * numbers_per_token + 5 * config.d_model) * BYTES_PER_PARAMETER


def attention_cost(config: EncoderConfig, seq: int) -> tuple[int, int]:
    """Parameters of attention in all layers, and operations of its matrix products for one sentence of `seq` tokens."""
    flops = flops_by_part(config, seq)
    return parameters_by_part(config)["attention"], flops["projections"] + flops["scores"] + flops["values"]
