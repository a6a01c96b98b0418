"""Traces with chosen attention weights or residual streams."""

import numpy as np

from encoder_core import Encoder, EncoderConfig, EncoderTrace


def trace_with(
    tokens: list[list[str]], patterns: np.ndarray | None = None, stages: np.ndarray | None = None, real=None, mask=None
) -> EncoderTrace:
    """A trace with these tensors.

    patterns  (layer, batch, head, seq, seq)
    stages    (layer + 1, batch, seq, d_model), the input of the first layer and the outputs of all layers
    """
    batch, seq = len(tokens), len(tokens[0])
    layers = len(patterns) if patterns is not None else len(stages) - 1
    heads = patterns.shape[2] if patterns is not None else 1
    config = EncoderConfig(vocab_size=4, d_model=4 * heads, num_heads=heads, d_ff=8, num_layers=layers)
    trace = Encoder.random(config).trace(np.zeros((batch, seq), np.int32))
    if patterns is not None:
        trace = trace._replace(
            layers=tuple(
                layer._replace(pattern=p.astype(np.float32)) for layer, p in zip(trace.layers, patterns, strict=True)
            )
        )
    if stages is not None:
        stages = stages.astype(np.float32)
        layers = tuple(layer._replace(resid_post=x) for layer, x in zip(trace.layers, stages[1:], strict=True))
        trace = trace._replace(embedded=stages[0], layers=layers, output=stages[-1])
    real = np.ones((batch, seq), bool) if real is None else np.array(real)
    mask = trace.mask if mask is None else np.broadcast_to(mask, trace.mask.shape)
    return trace._replace(tokens=tuple(map(tuple, tokens)), real=real, mask=mask)
