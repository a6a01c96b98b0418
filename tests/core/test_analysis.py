"""What the pages measure, against values worked out by hand."""

import numpy as np
import pytest

from encoder_core.analysis import one_hot, root_mean_square, similarity_by_distance
from encoder_core.positions import sinusoids


def test_one_hot_rows_have_their_one_at_the_id():
    np.testing.assert_array_equal(one_hot(np.array([[2, 0]]), 3), [[[0, 0, 1], [1, 0, 0]]])


def test_root_mean_square_of_three_and_four():
    assert root_mean_square(np.array([[3.0, -4.0]])) == pytest.approx(np.sqrt(12.5))


def test_a_sinusoid_encoding_has_root_mean_square_of_half_a_square():
    assert root_mean_square(sinusoids(50, 64)) == pytest.approx(np.sqrt(0.5))


def test_similarity_by_distance_takes_the_diagonals():
    found = similarity_by_distance(np.array([[1.0, 2.0, 3.0], [9.0, 4.0, 8.0], [9.0, 9.0, 7.0]]))
    np.testing.assert_array_equal(found.low, [1, 2, 3])
    np.testing.assert_array_equal(found.mean, [4, 5, 3])
    np.testing.assert_array_equal(found.high, [7, 8, 3])


def test_similarity_of_sinusoids_of_width_four_is_a_sum_of_two_cosines():
    """Frequencies 1 and 1/100: cos n + cos(n / 100), whichever pair of positions it is."""
    rows = sinusoids(20, 4).astype(float)
    found = similarity_by_distance(rows @ rows.T)
    distance = np.arange(20)
    for values in found:
        np.testing.assert_allclose(values, np.cos(distance) + np.cos(distance / 100), atol=1e-6)
