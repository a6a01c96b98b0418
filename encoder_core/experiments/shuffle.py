"""Permutation equivariance: the outputs of a sentence and of the same sentence with shuffled tokens."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from encoder_core.encoder import Encoder
from encoder_core.inputs.masks import MaskSpec
from encoder_core.support.validation import invalid_value


def without_positions(encoder: Encoder) -> Encoder:
    """The same encoder without a position encoding."""
    return encoder.with_config(replace(encoder.config, positions="none"))


def shuffle_effect(
    encoder: Encoder, ids: Int[np.ndarray, "seq"], order: Int[np.ndarray, "seq"], mask: MaskSpec = None
) -> Float[np.ndarray, "seq"]:
    """The change of the output of each token when the sentence is shuffled: |f(x[order])[i] - f(x)[order[i]]|.

    Without positions and without a mask that depends on them it is 0 up to rounding: self-attention and feed-forward
    networks are permutation-equivariant (Lee et al. 2019, "Set Transformer", property 1). Entry j belongs to token j of
    the sentence before the shuffle. Raises ValueError where `order` is not a permutation of the token indices.
    """
    if sorted(order.tolist()) != list(range(len(ids))):
        raise invalid_value("order", order.tolist(), f"permutations of 0 to {len(ids) - 1}")
    original = encoder.trace(ids[None], mask).output[0].astype(float)
    shuffled = encoder.trace(ids[None, order], mask).output[0].astype(float)
    change = np.empty(len(ids))
    change[order] = np.linalg.norm(shuffled - original[order], axis=-1)
    return change
