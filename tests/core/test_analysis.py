"""The measures of `encoder_core.analysis`, with values that are computed by hand."""

import numpy as np
import pytest

from encoder_core.analysis import (
    cosines,
    entropy,
    largest_entropy,
    later_key_share,
    mean_off_diagonal,
    mix_with_residual,
    numerical_rank,
    one_hot,
    rank_of,
    relative_change,
    rollout,
    root_mean_square,
    self_matches,
    similarity_by_distance,
    singular_values,
    softmax,
    softmax_steps,
    top_tokens,
)
from encoder_core.inputs.positions import sinusoids
from tests.core.language.traces import trace_with


def test_one_hot_rows_have_their_one_at_the_id():
    np.testing.assert_array_equal(one_hot(np.array([[2, 0]]), 3), [[[0, 0, 1], [1, 0, 0]]])
    assert one_hot(np.zeros((0, 2), int), 3).shape == (0, 2, 3)


def test_root_mean_square_of_three_and_four():
    assert root_mean_square(np.array([[3.0, -4.0]])) == pytest.approx(np.sqrt(12.5))
    for size in (1e200, 1e-200):  # the squares are no numbers of float64
        assert root_mean_square(np.array([3.0, -4.0]) * size) == pytest.approx(np.sqrt(12.5) * size)
    assert root_mean_square(np.zeros(3)) == 0


def test_root_mean_square_of_sinusoids():
    assert root_mean_square(sinusoids(50, 64)) == pytest.approx(np.sqrt(0.5))


def test_similarity_by_distance_takes_the_diagonals():
    result = similarity_by_distance(np.array([[1.0, 2.0, 3.0], [9.0, 4.0, 8.0], [9.0, 9.0, 7.0]]))
    np.testing.assert_array_equal(result.low, [1, 2, 3])
    np.testing.assert_array_equal(result.mean, [4, 5, 3])
    np.testing.assert_array_equal(result.high, [7, 8, 3])


def test_similarity_of_sinusoids_of_width_four_is_a_sum_of_two_cosines():
    """The frequencies are 1 and 1/100: cos n + cos(n / 100) for all pairs of positions at distance n."""
    rows = sinusoids(20, 4).astype(float)
    result = similarity_by_distance(rows @ rows.T)
    distance = np.arange(20)
    for values in result:
        np.testing.assert_allclose(values, np.cos(distance) + np.cos(distance / 100), atol=1e-6)


def test_softmax_steps_of_log_two_and_zero():
    """exp(ln 2 - ln 2) = 1 and exp(0 - ln 2) = 1/2 add up to 3/2: weights 2/3 and 1/3, and 0 for a masked key."""
    steps = softmax_steps(np.array([np.log(2), 0.0, -np.inf]))
    np.testing.assert_allclose(steps.shifted, [0, -np.log(2), -np.inf])
    np.testing.assert_allclose(steps.exp, [1, 0.5, 0])
    assert steps.total == pytest.approx(1.5)
    np.testing.assert_allclose(steps.weights, [2 / 3, 1 / 3, 0])


def test_softmax_steps_at_half_the_temperature_square_the_ratio():
    np.testing.assert_allclose(softmax_steps(np.array([np.log(2), 0.0]), 0.5).weights, [4 / 5, 1 / 5])


def test_softmax_steps_of_huge_scores_are_finite():
    np.testing.assert_array_equal(softmax_steps(np.array([1e30, 0.0]), 0.1).weights, [1, 0])


@pytest.mark.parametrize("row", [[np.inf, 0], [np.nan, 1], [np.nan, -np.inf], [np.inf, np.inf]])
def test_only_scores_of_minus_infinity_are_masked(row):
    for function in (softmax, softmax_steps, lambda logits: softmax_steps(logits, 2.0)):
        with pytest.raises(ValueError, match=r"scores=.* is invalid: allowed are numbers below infinity; -inf masks"):
            function(np.array([[0.0, 1.0], row]))


def test_softmax_steps_of_a_row_masked_everywhere_are_zeros():
    steps = softmax_steps(np.array([[-np.inf, -np.inf], [0.0, -np.inf]]))
    np.testing.assert_array_equal(steps.weights, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(steps.total, [0, 1])


@pytest.mark.parametrize(
    ("weights", "bits"),
    [
        ([1.0, 0.0], 0),
        ([0.5, 0.5], 1),
        ([0.25] * 4, 2),
        ([0.5, 0.25, 0.25, 0.0], 1.5),
        ([0.0, 0.0], 0),
        ([2.0, 0.0], -2),  # twice as large after dropout
    ],
)
def test_entropy_in_bits(weights, bits):
    assert entropy(np.array(weights)) == pytest.approx(bits)


def test_weights_whose_entropy_is_too_large_for_float64():
    assert entropy(np.array([1e300, 1.0])) == pytest.approx(-1e300 * np.log2(1e300))
    with pytest.raises(ValueError, match=r"a weight of 1e\+308 is invalid: allowed are weights from 0 to 1e\+300"):
        entropy(np.array([1e308, 1.0]))


def test_largest_entropy_is_log2_of_the_visible_keys():
    visible = np.array([[True, False, False, False], [True, True, False, False], [True] * 4, [False] * 4])
    np.testing.assert_array_equal(largest_entropy(visible), [0, 1, 2, 0])


def with_patterns(patterns, **fields):
    """A trace of one sentence with these patterns, (layer, head, query, key)."""
    return trace_with([["a"] * patterns.shape[-1]], patterns[:, None], **fields)


def test_rollout_of_two_layers_by_hand():
    """Both tokens attend to the first only: A = [[1, 0], [1/2, 1/2]], and A A = [[1, 0], [3/4, 1/4]]."""
    trace = with_patterns(np.array([[[[1.0, 0.0], [1.0, 0.0]]]] * 2))
    np.testing.assert_allclose(rollout(trace), [[[1, 0], [0.5, 0.5]], [[1, 0], [0.75, 0.25]]])


def test_rollout_averages_the_heads_and_its_rows_add_up_to_one():
    patterns = np.random.default_rng(0).dirichlet(np.ones(5), (3, 2, 5))
    np.testing.assert_allclose(rollout(with_patterns(patterns)).sum(axis=-1), 1, rtol=1e-6)
    mixed = mix_with_residual(patterns)
    np.testing.assert_allclose(mixed, 0.25 * patterns.sum(axis=1) + 0.5 * np.eye(5))
    np.testing.assert_array_equal(mix_with_residual(patterns[1]), mixed[1])  # of one layer


def test_rollout_of_rows_with_only_masked_keys():
    np.testing.assert_array_equal(rollout(with_patterns(np.zeros((2, 1, 3, 3)))), [np.eye(3)] * 2)


def test_cosines_of_equal_orthogonal_opposite_and_zero_rows():
    rows = np.array([[2.0, 0.0]])
    others = np.array([[5.0, 0.0], [0.0, 1.0], [-3.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(cosines(rows, others), [[1, 0, -1, 0.5**0.5, 0]])


def test_mean_off_diagonal():
    np.testing.assert_allclose(mean_off_diagonal(np.array([[9.0, 1.0], [3.0, 9.0]])), 2)
    np.testing.assert_allclose(mean_off_diagonal(np.ones((4, 3, 3))), np.ones(4))
    assert np.isnan(mean_off_diagonal(np.ones((1, 1))))


def test_mean_off_diagonal_of_whole_numbers(unchecked):
    assert mean_off_diagonal(np.array([[9, 1], [4, 9]])) == 2.5
    assert np.isnan(mean_off_diagonal(np.ones((1, 1), int)))


def test_mean_off_diagonal_of_float16_does_not_overflow(unchecked):
    """The largest number of float16 is 65,504; its precision at 4,096 is 4."""
    assert mean_off_diagonal(np.full((3, 3), 60_000, np.float16)) == 60_000
    ones = np.ones((100, 100), np.float16)
    ones[0, 1] = 100
    assert mean_off_diagonal(ones) == 1.01


def test_relative_change_of_five_to_ten():
    """|(3, 4)| = 5 and |(0, 8) - (3, 4)| = |(-3, 4)| = 5."""
    before, after = np.array([[3.0], [4.0]], np.float32), np.array([[0.0], [8.0]], np.float32)
    assert relative_change(before, after) == pytest.approx(1)
    assert relative_change(before, before) == 0
    assert relative_change(after, before) == pytest.approx(5 / 8)
    assert relative_change(0 * before, before) == 5
    huge = np.float32(1e30) * before  # squares overflow float32
    assert relative_change(huge, 2 * huge) == pytest.approx(1)


def test_relative_change_of_numbers_whose_squares_overflow_float64():
    for size in (1e200, 1e-200):
        assert relative_change(np.array([3.0, 4.0]) * size, np.array([0.0, 8.0]) * size) == pytest.approx(1)
    assert relative_change(np.array([1e200]), np.zeros(1)) == 1
    assert relative_change(np.zeros(2), np.array([3e200, 4e200])) == pytest.approx(5e200)
    assert relative_change(np.array([1.7e308]), np.array([-1.7e308])) == 2  # their difference overflows
    assert relative_change(np.array([1e-100]), np.array([1e200])) == pytest.approx(1e300)
    with pytest.raises(ValueError, match="a change that is too large for float64 is invalid"):
        relative_change(np.array([1e-200]), np.array([1e200]))


def test_singular_values_of_a_diagonal_and_of_a_column_times_a_row():
    """diag(3, -4) has 4 and 3; [1, 2]^T [3, 4] has |[1, 2]| |[3, 4]| = sqrt(5) 5, and 0."""
    np.testing.assert_allclose(singular_values(np.diag([3.0, -4.0])), [4, 3])
    np.testing.assert_allclose(singular_values(np.outer([1.0, 2.0], [3.0, 4.0])), [5 * 5**0.5, 0], atol=1e-12)
    assert singular_values(np.ones((2, 5))).shape == (2,)


@pytest.mark.parametrize(
    ("matrix", "rank"),
    [
        (np.eye(3), 3),
        (np.diag([1.0, 0.0, 2.0]), 2),
        (np.outer([1.0, 2.0, 3.0], [4.0, 5.0]), 1),
        (np.zeros((2, 3)), 0),
        (np.diag([1.0, 1e-9]), 2),
        (np.diag([1.0, 1e-9]).astype(np.float32), 1),  # below the rounding noise of float32
    ],
)
def test_the_rank_of_small_matrices(matrix, rank):
    assert numerical_rank(matrix) == rank


@pytest.mark.parametrize(("seq", "d_head"), [(10, 4), (10, 32), (6, 1), (20, 16)])
def test_a_product_of_queries_and_keys_has_the_rank_of_its_head(seq, d_head):
    rng = np.random.default_rng(seq)
    q, k = rng.standard_normal((2, seq, d_head), np.float32)
    assert numerical_rank(q @ k.T) == min(seq, d_head)


def test_self_matches_excludes_rows_with_one_visible_key():
    """Rows [1, 0], [3, 1], [0, 2]: rows 2 (10 > 3) and 3 (4 > 2) match themselves, row 1 does not (3 > 1). With a
    causal mask, row 1 is not counted."""
    rows = np.array([[1.0, 0.0], [3.0, 1.0], [0.0, 2.0]])
    dots = rows @ rows.T
    assert self_matches(dots, np.ones((3, 3), bool)) == (2, 3)
    assert self_matches(dots, np.tri(3, dtype=bool)) == (2, 2)
    assert self_matches(dots, np.eye(3, dtype=bool)) == (0, 0)


def test_self_matches_excludes_rows_with_a_masked_diagonal():
    hidden = np.ones((3, 3), bool)
    hidden[:, 1] = False
    rows = np.array([[1.0, 0.0], [3.0, 1.0], [0.0, 2.0]])
    assert self_matches(rows @ rows.T, hidden) == (2, 2)


def test_share_of_later_keys_is_the_weight_above_the_diagonals():
    """0.25 of a sum of 2 in the first layer, 0.75 of 2 in the second; none without any weight."""
    first, second = np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([[0.25, 0.75], [1.0, 0.0]])
    assert later_key_share(with_patterns(np.array([[first], [second]]))) == pytest.approx(0.25)
    assert later_key_share(with_patterns(np.tril(first)[None, None])) == 0
    assert later_key_share(with_patterns(np.zeros((1, 1, 2, 2)))) == 0


def test_share_of_later_keys_leaves_out_padding():
    """In each head, the real queries give 0.3 and 0 of their weight to a later real key, 0.5 and 0.2 to padding.

    Of all three queries, later keys get 0.3 + 0.5 + 0.2 of a weight of 3.
    """
    pattern = np.tile(np.array([[0.2, 0.3, 0.5], [0.6, 0.2, 0.2], [1.0, 0.0, 0.0]]), (2, 2, 1, 1))
    assert later_key_share(with_patterns(pattern)) == pytest.approx(1 / 3)
    assert later_key_share(with_patterns(pattern, real=[[True, True, False]])) == pytest.approx(0.15)
    assert later_key_share(with_patterns(pattern, real=[[False, False, False]])) == 0


def test_lists_and_integers_are_numbers(unchecked):
    np.testing.assert_allclose(softmax([0, 0]), [0.5, 0.5])
    assert entropy([0.5, 0.5]) == 1
    assert numerical_rank(np.array([[1, 2], [2, 4]])) == 1
    assert rank_of([1, 5, 3], np.int64(2)) == 2
    np.testing.assert_array_equal(one_hot([1], 2), [[0, 1]])
    assert top_tokens(np.array([-np.inf, 1.0]), 1).ids.tolist() == [1]
