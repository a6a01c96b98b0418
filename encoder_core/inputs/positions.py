"""Position encodings: sinusoids, a learned table, or none."""

from collections.abc import Mapping
from typing import get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.config import EncoderConfig, PositionFrequencies, PositionLayout
from encoder_core.support.any_array import AnyArray
from encoder_core.support.validation import require_choice, require_integer


def position_encoding(
    config: EncoderConfig, parameters: Mapping[str, Float[AnyArray, "..."]], seq: int
) -> Float[AnyArray, "seq d_model"] | Float[np.ndarray, "seq d_model"]:
    """The encoding added to the first `seq` tokens: sinusoids, rows of a learned table, or zeros.

    Rows of a table of JAX are an array of JAX.
    """
    match config.positions:
        case "sinusoidal":
            return sinusoids(seq, config.d_model, config.position_layout, config.position_frequencies)
        case "learned":
            return parameters["position_embedding"][:seq]
        case _:
            return np.zeros((seq, config.d_model), np.float32)


def sinusoids(
    seq: int, d_model: int, layout: PositionLayout = "interleaved", frequencies: PositionFrequencies = "pairs"
) -> Float[np.ndarray, "seq d_model"]:
    """Sines and cosines of the position at decreasing frequencies (Vaswani et al. 2017, section 3.5).

        angle(pos, i) = pos / 10000^(2i / d_model)      i = 0 ... ceil(d_model / 2) - 1

    layout       "interleaved": sin(angle i) in dimension 2i and cos(angle i) in dimension 2i + 1, as in the paper;
                 "concatenated": all sines, then all cosines. With an odd d_model there is one cosine fewer.
    frequencies  "pairs": as above; "dimensions": no two dimensions have the same angle, dimension j has
                 pos / 10000^(2j / d_model).

    Raises ValueError for other names, and unless the sizes are whole numbers from 1.
    """
    seq = require_integer("seq", seq, 1)
    index, is_cosine = sinusoid_layout(d_model, layout, frequencies)
    angles = np.arange(seq)[:, None] * sinusoid_frequency(index, d_model)
    return np.where(is_cosine, np.cos(angles), np.sin(angles)).astype(np.float32)


def sinusoid_layout(
    d_model: int, layout: PositionLayout = "interleaved", frequencies: PositionFrequencies = "pairs"
) -> tuple[Int[np.ndarray, "d_model"], Bool[np.ndarray, "d_model"]]:
    """For each dimension: the index i of its frequency, and True for a cosine, False for a sine.

    Raises ValueError as `sinusoids` does.
    """
    d_model = require_integer("d_model", d_model, 1)
    require_choice("layout", layout, get_args(PositionLayout))
    require_choice("frequencies", frequencies, get_args(PositionFrequencies))
    dimension = np.arange(d_model)
    if layout == "interleaved":
        pair, is_cosine = dimension // 2, dimension % 2 == 1
    else:
        sines = (d_model + 1) // 2
        is_cosine = dimension >= sines
        pair = dimension - sines * is_cosine
    return (pair if frequencies == "pairs" else 2 * pair + is_cosine), is_cosine


def sinusoid_frequency(index: Int[np.ndarray, "index"], d_model: int) -> Float[np.ndarray, "index"]:
    """10000^(-2i / d_model) for each index i, in radians per position and float64."""
    return 10_000.0 ** (-2 * index / d_model)


def sinusoid_angles(seq: int, d_model: int) -> Float[np.ndarray, "seq half"]:
    """angle(pos, i) = pos / 10000^(2i / d_model) for each pair i of dimensions, in radians and float64."""
    pairs = np.arange((d_model + 1) // 2)
    return np.arange(seq)[:, None] * sinusoid_frequency(pairs, d_model)
