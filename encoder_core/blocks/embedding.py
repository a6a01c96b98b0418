"""Lookup of token embeddings, and their sum with the position encoding."""

from typing import TypeVar

import numpy as np
from jaxtyping import Array, Float, Int

AnyArray = TypeVar("AnyArray", np.ndarray, Array)  # arrays of NumPy or of JAX; the result is of the same library


def lookup(
    table: Float[AnyArray, "vocab d_model"], ids: Int[AnyArray, "*batch seq"]
) -> Float[AnyArray, "*batch seq d_model"]:
    """Row `id` of the embedding table for each token, which is equal to a one-hot vector times the table."""
    return table[ids]


def embed(
    token_embedding: Float[AnyArray, "*batch seq d_model"],
    scale: float,
    position_encoding: Float[AnyArray, "seq d_model"],
) -> tuple[Float[AnyArray, "*batch seq d_model"], Float[AnyArray, "*batch seq d_model"]]:
    """The rows times `scale`, and that plus the position encoding (Vaswani et al. 2017, sections 3.4 and 3.5)."""
    scaled = token_embedding * scale
    embedded = scaled + position_encoding
    return scaled, embedded
