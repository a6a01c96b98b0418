"""Position encodings: what tells an encoder the order of its tokens."""

import numpy as np
from jaxtyping import Float

from encoder_core.config import PositionFrequencies, PositionLayout


def sinusoids(
    seq: int, d_model: int, layout: PositionLayout = "interleaved", frequencies: PositionFrequencies = "pairs"
) -> Float[np.ndarray, "seq d_model"]:
    """Sines and cosines of the position at falling frequencies (Vaswani et al. 2017, section 3.5).

        angle(pos, i) = pos / 10000^(2i / d_model)      i = 0 ... ceil(d_model / 2) - 1

    "interleaved" puts sin(angle i) in dimension 2i and cos(angle i) in 2i + 1, as the paper does;
    "concatenated" puts all sines first, then all cosines. An odd d_model has one cosine fewer.
    With `frequencies` "dimensions" no two dimensions share an angle: dimension j has pos / 10000^(2j / d_model).
    """
    if frequencies == "pairs":
        sine_angles = sinusoid_angles(seq, d_model)
        cosine_angles = sine_angles[:, : d_model // 2]
    else:
        angles = np.arange(seq)[:, None] * 10_000.0 ** (-2 * np.arange(d_model) / d_model)
        sine_angles, cosine_angles = angles[:, 0::2], angles[:, 1::2]
    sines, cosines = np.sin(sine_angles), np.cos(cosine_angles)
    if layout == "concatenated":
        return np.concatenate([sines, cosines], axis=1).astype(np.float32)
    encoding = np.empty((seq, d_model), np.float32)
    encoding[:, 0::2] = sines
    encoding[:, 1::2] = cosines
    return encoding


def sinusoid_angles(seq: int, d_model: int) -> Float[np.ndarray, "seq half"]:
    """angle(pos, i) = pos / 10000^(2i / d_model), in radians and float64, for each pair i of dimensions."""
    frequencies = 10_000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return np.arange(seq)[:, None] * frequencies
