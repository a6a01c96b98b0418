"""Does an encoder know the order of its tokens? The same sentence with its tokens shuffled, compared word by word."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from encoder_core.encoder import Encoder
from encoder_core.inputs.masks import MaskSpec


def without_positions(encoder: Encoder) -> Encoder:
    """The same encoder with nothing added to its embeddings for their positions."""
    return encoder.with_config(replace(encoder.config, positions="none"))


def shuffle_effect(
    encoder: Encoder, ids: Int[np.ndarray, "seq"], order: Int[np.ndarray, "seq"], mask: MaskSpec = None
) -> Float[np.ndarray, "seq"]:
    """How far each token's output moves when the sentence is shuffled: |f(x[order])[i] - f(x)[order[i]]|.

    Without positions and without a causal mask it is 0 up to rounding: self-attention and feed-forward networks are
    permutation-equivariant (Lee et al. 2019, "Set Transformer", property 1). Entry j belongs to token j of the sentence
    as it was. Raises ValueError where `order` is no permutation of the places.
    """
    if sorted(order.tolist()) != list(range(len(ids))):
        raise ValueError(f"order={order.tolist()} is no permutation of 0 to {len(ids) - 1}.")
    straight = encoder.trace(ids[None], mask).output[0].astype(float)
    shuffled = encoder.trace(ids[None, order], mask).output[0].astype(float)
    moved = np.empty(len(ids))
    moved[order] = np.linalg.norm(shuffled - straight[order], axis=-1)
    return moved
