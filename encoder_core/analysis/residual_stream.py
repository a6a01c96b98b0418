"""The residual stream after each layer, and its change between two traces."""

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.support.validation import require_index, require_mask
from encoder_core.trace import EncoderTrace, require_trace


def residual_stream(
    trace: EncoderTrace, tokens: int | Bool[np.ndarray, "batch seq"], *, final_norm: bool
) -> Float[np.ndarray, "stage *row d_model"]:
    """The stream at the input of the first layer, after each layer and, with `final_norm`, after the final norm.

    tokens  a sentence of the batch, or True for the tokens to select

    Raises ValueError where there is no such sentence, and for a mask of another shape.
    """
    require_trace(trace)
    if isinstance(tokens, np.ndarray):
        require_mask("tokens", tokens, trace.real.shape)
    else:
        require_index("sentence", tokens, len(trace.embedded))
    stages = [trace.embedded, *(layer.resid_post for layer in trace.layers), *([trace.output] if final_norm else [])]
    return np.stack([stage[tokens] for stage in stages])


def residual_change(before: EncoderTrace, after: EncoderTrace, sentence: int = 0) -> Float[np.ndarray, "stage seq"]:
    """The change of each token's row of the residual stream, |after - before|, in float64.

    Row 0 is the input of the first layer, row l + 1 the output of layer l; the final norm is not included. Raises
    ValueError where the two traces have different shapes, and where there is no such sentence.
    """
    require_trace(before, "before")
    require_trace(after, "after")
    shapes = [(*trace.embedded.shape, len(trace.layers)) for trace in (before, after)]
    if shapes[0] != shapes[1]:
        names = "(batch, seq, d_model, layers)"
        raise ValueError(f"traces of {names}={shapes[0]} and {shapes[1]} are invalid: allowed are equal shapes.")
    stream_before, stream_after = (
        residual_stream(trace, sentence, final_norm=False).astype(float) for trace in (before, after)
    )
    return np.asarray(np.linalg.norm(stream_after - stream_before, axis=-1))
