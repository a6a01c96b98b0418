"""The plane of principal components and the parts of a step, with values that are computed by hand."""

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, ResidualFactor
from encoder_core.analysis import (
    cosines,
    cosines_by_group,
    principal_plane,
    residual_stages,
    residual_step,
    stage_vectors,
)


def test_plane_of_four_points_on_two_axes(unchecked):
    """Deviations (±2, 0, 0) and (0, 0, ±1), and one point far away at the other stage: the axes are x and z."""
    cross = np.array([[2.0, 5, 0], [-2, 5, 0], [0, 5, 1], [0, 5, -1]])
    plane = principal_plane(np.stack([cross, cross + np.array([100, 0, 0])]))
    np.testing.assert_allclose(plane.axes, [[1, 0, 0], [0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(plane.origin, [50, 5, 0])
    np.testing.assert_allclose(plane.shares, [1, 1])
    np.testing.assert_allclose(plane.place(cross[:1]), [[-48, 0]])
    np.testing.assert_allclose(plane.place([2, 5, 0]), [-48, 0])
    np.testing.assert_allclose(plane.direction(np.array([3.0, 7, 4])), [3, 4])


def test_share_of_the_variance():
    """Variances 8, 2 and 2 along three axes at the first stage: (8 + 2) / 12. At the second stage all are equal."""
    cross = np.array([[2.0, 0, 0], [-2, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    plane = principal_plane(np.stack([cross, 0 * cross + 3]))
    assert plane.shares[0] == pytest.approx(10 / 12)
    assert np.isnan(plane.shares[1])
    assert plane.share == pytest.approx(10 / 12)


def test_plane_is_that_of_the_singular_vectors():
    rows = np.random.default_rng(0).normal(size=(3, 7, 5)) * [1, 5, 2, 3, 1]
    deviations = (rows - rows.mean(axis=1, keepdims=True)).reshape(-1, 5)
    _, _, right = np.linalg.svd(deviations)
    axes = principal_plane(rows).axes
    np.testing.assert_allclose(np.abs(np.sum(axes * right[:2], axis=1)), 1)  # equal up to the sign
    assert (axes[[0, 1], np.abs(axes).argmax(axis=1)] > 0).all()


def test_vectors_of_one_dimension_have_no_plane():
    with pytest.raises(ValueError, match="d_model=1 is invalid"):
        principal_plane(np.zeros((2, 3, 1)))


def test_cosines_within_and_between_groups():
    """Rows at 0°, 60° and 90°: the pair within the group has cosine 1/2; the others 0 and √3/2."""
    rows = np.array([[1, 0], [0.5, np.sqrt(0.75)], [0, 1]])
    within, between = cosines_by_group(rows, ["a", "a", "b"])
    assert (float(within), float(between)) == pytest.approx((0.5, np.sqrt(0.75) / 2))
    assert np.isnan(cosines_by_group(rows[:1], "a")).all()


EDITS = (ResidualFactor(1, "attention", 0.5), ResidualFactor(0, "mlp", 0.0), HeadFactor(0, 1, 0.0))


@pytest.mark.parametrize("edits", [(), EDITS])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_parts_of_every_step_add_up_to_it(norm, edits):
    config = EncoderConfig(d_model=16, num_heads=4, d_ff=32, num_layers=2, norm=norm, final_norm=norm == "pre")
    drawn = Encoder.random(config, seed=1).parameters()  # its biases and shifts are 0
    parameters = {name: value + 0.25 * name.endswith("bias") for name, value in drawn.items()}
    encoder = Encoder.from_parameters(config, parameters)
    run = encoder.run(np.array([[3, 1, 4], [1, 5, 9]]), edits=edits)
    stages = residual_stages(config)
    assert [stage.name for stage in stages[:3]] == ["input", "attention 1", "layer 1"]
    for index in range(1, len(stages)):
        before, after = (stage_vectors(run.trace, stages[place])[1, 2] for place in (index - 1, index))
        parts = residual_step(run, index, token=2, sentence=1)
        np.testing.assert_allclose(sum(part.vector for part in parts), after - before, atol=1e-5)
    names = [part.name for part in residual_step(run, 3, 0)]
    heads = [f"head {number}" for number in range(1, 5)]
    assert names == [*["residual × 0.5"] * bool(edits), *heads, "attention bias", *["norm"] * (norm == "post")]


def test_each_sublayer_of_post_norm_has_the_scale_and_shift_of_its_norm():
    config = EncoderConfig(d_model=16, num_heads=4, d_ff=32, num_layers=1, final_norm=True)
    drawn = dict(Encoder.random(config, seed=1).parameters())
    for index, name in enumerate(("layers.0.norm1", "layers.0.norm2", "final_norm")):
        drawn |= {f"{name}.scale": np.full(16, 0.5 + index, np.float32), f"{name}.bias": np.full(16, index, np.float32)}
    run = Encoder.from_parameters(config, drawn).run(np.array([[3, 1, 4]]))
    stages = residual_stages(config)
    for index in range(1, 4):
        before, after = (stage_vectors(run.trace, stages[place])[0, 2] for place in (index - 1, index))
        parts = residual_step(run, index, token=2)
        assert [part.is_norm for part in parts][-1]
        np.testing.assert_allclose(sum(part.vector for part in parts), after - before, atol=1e-5)


def test_the_name_of_a_factor_below_zero_has_a_minus_sign():
    encoder = Encoder.random(EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=1))
    run = encoder.run(np.array([[3, 1, 4]]), edits=[ResidualFactor(0, "mlp", -1.0)])
    assert residual_step(run, 2, token=0)[0].name == "residual × −1"


def test_dropped_numbers_are_dropped_from_every_head():
    config = EncoderConfig(d_model=16, num_heads=4, d_ff=32, num_layers=1, dropout=0.5)
    run = Encoder.random(config, seed=1).run(np.array([[3, 1, 4]]), edits=[Dropout(seed=2)])
    *heads_and_bias, _ = residual_step(run, 1, 0)
    attn_out = run.trace.layers[0].attn_out[0, 0]
    assert (attn_out == 0).any()
    assert all((part.vector[attn_out == 0] == 0).all() for part in heads_and_bias)
    np.testing.assert_allclose(sum(part.vector for part in heads_and_bias), attn_out, atol=1e-5)


@pytest.mark.parametrize(("stage", "token"), [(0, 0), (3, 0), (1, 3)])
def test_stage_or_token_that_does_not_exist(stage, token):
    run = Encoder.random(EncoderConfig(d_model=16, num_heads=4, d_ff=32, num_layers=1)).run(np.array([[3, 1, 4]]))
    with pytest.raises(ValueError, match="is invalid"):
        residual_step(run, stage, token)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("size", "dtype"),
    [
        (300, np.float16),
        (1e-4, np.float16),
        (1e30, np.float32),
        (1e-30, np.float32),
        (1e-44, np.float32),
        (1e300, np.float64),
        (1e-300, np.float64),
        (40, np.int8),
        (60, np.uint8),
    ],
)
def test_the_cosine_of_large_and_small_rows_is_that_of_their_direction(size, dtype, unchecked):
    rows = (np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [3.0, 0.0]]) * size).astype(dtype)
    root = np.sqrt(0.5)
    expected = [[1, root, 0, 1], [root, 1, 0, root], [0, 0, 0, 0], [1, root, 0, 1]]
    np.testing.assert_allclose(cosines(rows, rows), expected, rtol=1e-6)
