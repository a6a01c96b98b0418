"""The residual stream after each layer, and its change between two traces."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis.comparable import require_chained_trace, require_one_vocabulary
from encoder_core.support.validation import require_index
from encoder_core.trace import EncoderTrace, require_trace


def residual_stream(
    trace: EncoderTrace, sentence: int = 0, *, allow_unchained: bool = False
) -> Float[np.ndarray, "stage seq d_model"]:
    """The residual stream of one sentence at the input of the first layer and after each layer.

    allow_unchained  True: also of layers that all read the embedded input, see `require_chained_trace`

    The final norm is no stage; its result is `trace.output`. Raises ValueError where there is no such sentence, and for
    layers that are not chained.
    """
    require_trace(trace)
    require_chained_trace(trace, allow_unchained=allow_unchained)
    sentence = require_index("sentence", sentence, len(trace.embedded))
    return np.stack([trace.embedded[sentence], *(layer.resid_post[sentence] for layer in trace.layers)])


def residual_change(
    before: EncoderTrace, after: EncoderTrace, sentence: int = 0, *, allow_unchained: bool = False
) -> Float[np.ndarray, "stage seq"]:
    """The change of each token's row of the residual stream, |after - before|, in float64.

    allow_unchained  True: also of layers that all read the embedded input, see `require_chained_trace`

    Row 0 is the input of the first layer, row l + 1 the output of layer l; the final norm is not included. Raises
    ValueError where the two traces have different shapes, where there is no such sentence, for layers that are not
    chained, and where the ids of the two traces are not those of one vocabulary, see `require_one_vocabulary`.
    """
    require_trace(before, "before")
    require_trace(after, "after")
    shapes = [(*trace.embedded.shape, len(trace.layers)) for trace in (before, after)]
    if shapes[0] != shapes[1]:
        names = "(batch, seq, d_model, layers)"
        raise ValueError(f"traces of {names}={shapes[0]} and {shapes[1]} are invalid: allowed are equal shapes.")
    stream_before, stream_after = (
        residual_stream(trace, sentence, allow_unchained=allow_unchained).astype(float) for trace in (before, after)
    )
    require_one_vocabulary(before, after, sentence)
    return np.asarray(np.linalg.norm(stream_after - stream_before, axis=-1))
