"""Shuffled tokens: permutation equivariance without positions, and what breaks it."""

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


def test_a_causal_mask_gives_an_order_without_positions():
    assert shuffle_effect(without_positions(Encoder.random(CONFIG, 1)), IDS, ORDER, "causal").max() > 0.05


def test_an_order_that_changes_nothing_moves_nothing():
    encoder = Encoder.random(CONFIG, 1)
    assert shuffle_effect(encoder, IDS, np.arange(5)).max() == 0
    swapped = np.array([0, 3, 2, 1, 4])  # the two equal tokens change places
    assert shuffle_effect(without_positions(encoder), IDS, swapped, "causal").max() > 0.01


def test_each_token_has_its_own_entry():
    """Two tokens change places: by hand, entry j is the distance of token j's outputs."""
    encoder = Encoder.random(CONFIG, 1)
    order = np.array([1, 0, 2, 3, 4])
    straight, shuffled = (encoder.trace(ids[None]).output[0] for ids in (IDS, IDS[order]))
    expected = [np.linalg.norm(shuffled[place] - straight[token]) for token, place in enumerate([1, 0, 2, 3, 4])]
    np.testing.assert_allclose(shuffle_effect(encoder, IDS, order), expected, rtol=1e-6)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 3], [0, 1, 2, 3, 5], [1, 2, 3, 4, 5]])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(ValueError, match="is no permutation of 0 to 4"):
        shuffle_effect(Encoder.random(CONFIG, 1), IDS, np.array(order))
