"""Permutation equivariance without positions, and encoders that do not have it."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.experiments.shuffle import shuffle_effect, without_positions

IDS, ORDER = np.array([5, 2, 9, 2, 7], np.int32), np.array([3, 0, 4, 1, 2])
CONFIG = EncoderConfig(vocab_size=12, max_len=8, d_model=16, num_heads=4, d_ff=32, num_layers=3)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_without_positions_the_shuffled_outputs_are_the_same(norm, positions):
    config = EncoderConfig(**{**vars(CONFIG), "norm": norm, "positions": positions})
    encoder = Encoder.random(config, 1)
    assert shuffle_effect(without_positions(encoder), IDS, ORDER).max() < 1e-5
    assert shuffle_effect(encoder, IDS, ORDER).min() > 0.05


def test_a_causal_mask_breaks_equivariance():
    assert shuffle_effect(without_positions(Encoder.random(CONFIG, 1)), IDS, ORDER, "causal").max() > 0.05


def test_an_order_that_changes_nothing():
    encoder = Encoder.random(CONFIG, 1)
    assert shuffle_effect(encoder, IDS, np.arange(5)).max() == 0
    swapped = np.array([0, 3, 2, 1, 4])  # exchanges the two equal tokens
    assert shuffle_effect(without_positions(encoder), IDS, swapped, "causal").max() > 0.01


def test_entries_belong_to_tokens_of_the_original_order():
    """Two tokens are exchanged. Entry j is the distance between the outputs of token j."""
    encoder = Encoder.random(CONFIG, 1)
    order = np.array([1, 0, 2, 3, 4])
    original, shuffled = (encoder.trace(ids[None]).output[0] for ids in (IDS, IDS[order]))
    expected = [np.linalg.norm(shuffled[place] - original[token]) for token, place in enumerate([1, 0, 2, 3, 4])]
    np.testing.assert_allclose(shuffle_effect(encoder, IDS, order), expected, rtol=1e-6)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 3], [0, 1, 2, 3, 5], [1, 2, 3, 4, 5]])
def test_an_order_that_is_not_a_permutation(order):
    with pytest.raises(ValueError, match="is invalid: allowed are permutations of 0 to 4"):
        shuffle_effect(Encoder.random(CONFIG, 1), IDS, np.array(order))
