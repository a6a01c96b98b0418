"""Sentence vectors by mean pooling."""

import numpy as np
from jaxtyping import Float

from encoder_core.trace import EncoderTrace, require_trace


def sentence_vectors(trace: EncoderTrace) -> Float[np.ndarray, "batch d_model"]:
    """The mean of the outputs of all real tokens, including [CLS] and [SEP], divided by its length.

    s = m / |m|,  m = 1/n sum_t y_t  over the n tokens that are not padding

    all-MiniLM-L6-v2 was trained for this (Reimers & Gurevych 2019, "Sentence-BERT", section 3: mean pooling; Wang et
    al. 2020 for MiniLM). The dot product of two such vectors is their cosine. The trace needs the mask "padding";
    otherwise the outputs depend on the lengths of the other sentences. The vector is zero where the mean is. Raises
    ValueError for what is no trace.
    """
    require_trace(trace)
    real = trace.real[..., None]
    means = (trace.output * real).sum(axis=1, dtype=float) / np.maximum(real.sum(axis=1), 1)
    lengths = np.linalg.norm(means, axis=-1, keepdims=True)
    return (means / np.where(lengths == 0, 1, lengths)).astype(np.float32)
