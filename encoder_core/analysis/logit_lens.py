"""The logit lens: the prediction that the output head makes from the residual stream after each layer."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis.output_head import require_output_head
from encoder_core.analysis.residual_stream import residual_stream
from encoder_core.blocks import layer_norm, output_logits
from encoder_core.trace import Run, require_run


def logit_lens(run: Run, sentence: int = 0) -> Float[np.ndarray, "stage seq vocab"]:
    """The logits of the final norm (if there is one) and the output head, applied to each stage of the residual stream.

    lens_l = norm(x_l) W_head + b_head. Row 0 is the input of the first layer, row l the output of layer l; the last row
    is `trace.logits`. With norm="post" and without a final norm, x_l is the output of the last norm of layer l and is
    used as it is; only the input of the first layer has no norm.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens". Raises ValueError for a model without an output
    head, and where the layers of the trace are not those of the stack (attention_read_out="input").
    """
    require_run(run)
    require_output_head(run.config)
    return output_logits(lens_stream(run, residual_stream(run.trace, sentence)), run.edited_parameters)


def lens_stream(run: Run, stream: Float[np.ndarray, "*rows d_model"]) -> Float[np.ndarray, "*rows d_model"]:
    """What the output head reads from rows of the residual stream: their final norm, or the rows without one."""
    if not run.config.final_norm:
        return stream
    scale, shift = (run.edited_parameters[f"final_norm.{name}"] for name in ("scale", "bias"))
    return layer_norm(stream, scale, shift, run.config.norm_eps)
