"""The residual stream at each depth, and how far edits move it."""

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.trace import EncoderTrace


def residual_stream(
    trace: EncoderTrace, which: int | Bool[np.ndarray, "batch seq"], *, final_norm: bool
) -> Float[np.ndarray, "stage *row d_model"]:
    """The stream as it enters the first block, after each block, and, if asked for, after the final norm.

    which  a sentence of the batch, or True for the tokens wanted.
    """
    stages = [trace.embedded, *(layer.resid_post for layer in trace.layers), *([trace.output] if final_norm else [])]
    return np.stack([stage[which] for stage in stages])


def travel(before: EncoderTrace, after: EncoderTrace, sentence: int = 0) -> Float[np.ndarray, "stage seq"]:
    """How far a change has come: |after - before| of each token's row of the residual stream, in float64.

    Row 0 is what enters the first block, row l + 1 what leaves block l; a norm after the last block is not among them.
    Raises ValueError where the two traces are not of the same shape.
    """
    shapes = [(*trace.embedded.shape, len(trace.layers)) for trace in (before, after)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"traces of (batch, seq, d_model, layers) = {shapes[0]} and {shapes[1]} cannot be compared.")
    was, now = (residual_stream(trace, sentence, final_norm=False).astype(float) for trace in (before, after))
    return np.asarray(np.linalg.norm(now - was, axis=-1))
