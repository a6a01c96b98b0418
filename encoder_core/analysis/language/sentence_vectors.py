"""Sentence vectors by mean pooling."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis.comparable import require_no_attention_to_padding
from encoder_core.trace import EncoderTrace, require_trace


def sentence_vectors(trace: EncoderTrace, *, allow_padding: bool = False) -> Float[np.ndarray, "batch d_model"]:
    """The mean of the outputs of all real tokens, including [CLS] and [SEP], divided by its length.

    allow_padding  True: also for a trace whose tokens attend to padding, so that a vector depends on the lengths of the
                   other sentences

    s = m / |m|,  m = 1/n sum_t y_t  over the n tokens that are not padding

    all-MiniLM-L6-v2 was trained for this (Reimers & Gurevych 2019, "Sentence-BERT", section 3: mean pooling; Wang et
    al. 2020 for MiniLM). The dot product of two such vectors is their cosine. The vector is zero where the mean is.
    Raises ValueError for what is no trace, and where tokens attend to padding: the trace needs mask="padding" or
    "causal+padding".
    """
    require_trace(trace)
    require_no_attention_to_padding(trace, allow_padding=allow_padding)
    real = trace.real[..., None]
    means = (trace.output * real).sum(axis=1, dtype=float) / np.maximum(real.sum(axis=1), 1)
    lengths = np.linalg.norm(means, axis=-1, keepdims=True)
    return (means / np.where(lengths == 0, 1, lengths)).astype(np.float32)
