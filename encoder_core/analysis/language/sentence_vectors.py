"""One vector for a whole sentence."""

import numpy as np
from jaxtyping import Float

from encoder_core.trace import EncoderTrace


def sentence_vectors(trace: EncoderTrace) -> Float[np.ndarray, "batch d_model"]:
    """The mean of the outputs of all real tokens, [CLS] and [SEP] among them, divided by its length.

    s = m / |m|,  m = 1/n sum_t y_t  over the n tokens that are not padding

    It is what all-MiniLM-L6-v2 was trained for (Reimers & Gurevych 2019, "Sentence-BERT", section 3: mean pooling;
    Wang et al. 2020 for MiniLM): the dot product of two such vectors is their cosine. Give the trace the mask
    "padding", or the outputs of a sentence depend on how long the others are. A mean of zeros stays zeros.
    """
    real = trace.real[..., None]
    means = (trace.output * real).sum(axis=1, dtype=float) / np.maximum(real.sum(axis=1), 1)
    lengths = np.linalg.norm(means, axis=-1, keepdims=True)
    return (means / np.where(lengths == 0, 1, lengths)).astype(np.float32)
