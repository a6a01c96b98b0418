"""Names and shapes of the parameters of an encoder."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig, require_config

Parameters = Mapping[str, Float[np.ndarray, "..."]]
ParameterDict = dict[str, Float[np.ndarray, "..."]]

_BIASES_WITHOUT_QKV = ("attention.out", "mlp.up", "mlp.down")


def parameter_shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter of an encoder with this configuration, in the order of the forward pass.

    Raises ValueError for what is no configuration.
    """
    require_config(config)
    d, qkv, ff = config.d_model, config.qkv_width, config.d_ff
    linear = {
        "attention.query": (d, qkv),
        "attention.key": (d, qkv),
        "attention.value": (d, qkv),
        "attention.out": (qkv, d),
        "mlp.up": (d, ff),
        "mlp.down": (ff, d),
    }
    shapes: dict[str, tuple[int, ...]] = {"token_embedding": (config.vocab_size, d)}
    if config.positions == "learned":
        shapes["position_embedding"] = (config.max_len, d)
    if config.embedding_norm:
        shapes |= {"embedding_norm.scale": (d,), "embedding_norm.bias": (d,)}
    for layer in range(config.num_layers):
        for name, kernel in linear.items():
            shapes[f"layers.{layer}.{name}.kernel"] = kernel
            if config.use_bias and (config.qkv_bias or name in _BIASES_WITHOUT_QKV):
                shapes[f"layers.{layer}.{name}.bias"] = kernel[1:]
        for name in ("norm1", "norm2"):
            shapes |= {f"layers.{layer}.{name}.scale": (d,), f"layers.{layer}.{name}.bias": (d,)}
    if config.final_norm:
        shapes |= {"final_norm.scale": (d,), "final_norm.bias": (d,)}
    if config.output_head:
        shapes["output_head.kernel"] = (d, config.vocab_size)
        if config.use_bias:
            shapes["output_head.bias"] = (config.vocab_size,)
    return shapes
