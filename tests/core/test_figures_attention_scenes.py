"""The scenes of attention: what is on one scale, what is outlined, and where the colours of weights end."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis import softmax_steps
from encoder_core.figures import panels_of
from encoder_core.scenes import multi_head, scaled_scores, softmax, weighted_values
from encoder_core.scenes.position import At

TOKENS = ("the", "<b>", "sat")
AT = At(head=1, token=1)


@pytest.fixture(scope="module")
def trace():
    config = EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=1)
    return Encoder.random(config, seed=0).trace(["the cat sat", "it sat"], "causal+padding")


@pytest.fixture(scope="module")
def layer(trace):
    return trace.layers[0]


def figures(parts):
    return panels_of(parts)


def ends(parts):
    """Where the colours of each heatmap end."""
    return [panel.figure.data[0].zmax for panel in figures(parts) if panel.figure.data[0].type == "heatmap"]


def test_the_scale_of_the_scores_is_that_of_the_scaled_products_so_that_they_are_not_pale(layer):
    q, k, dots, scores = (x[0, 1] for x in (layer.q, layer.k, layer.dot_products, layer.scores))
    parts = scaled_scores.step_by_step(q, k, dots, scores, AT, divisor="√4", scale=0.5, tokens=TOKENS)
    largest, of_factors = float(np.abs(dots).max()), float(max(np.abs(q).max(), np.abs(k).max()))
    assert ends(parts) == [of_factors, of_factors, largest, largest / 2, largest / 2]
    assert [part for part in parts if isinstance(part, str)] == ["·", "=", "→", "→"]


def test_softmax_of_a_row_says_its_sums_and_the_weights_end_where_they_are_told(layer):
    scores, weights = layer.scores[0, 0], layer.pattern[0, 0]
    steps = softmax_steps(scores[1])
    parts = softmax.step_by_step(scores, weights, steps, AT, shifted="s − max", tokens=TOKENS, limit=1.0)
    score, shifted, exp, weight, _, entropy = figures(parts)
    assert score.figure.layout.xaxis.range == shifted.figure.layout.xaxis.range
    assert exp.figure.layout.xaxis.title.text == f"sum {steps.total:.3f}"
    assert weight.figure.layout.xaxis.title.text == "sum 1.000"
    assert entropy.figure.layout.yaxis.ticktext[1] == "&lt;b&gt;"
    assert ends(parts) == [1.0]


def test_weighted_rows_add_up_to_the_row_of_z(layer):
    weights, v, z = layer.pattern[0, 0], layer.v[0, 0], layer.z[0, 0]
    visible = np.isfinite(layer.scores[0, 0])
    parts = weighted_values.mixture(weights, v, z, visible, At(token=2), tokens=TOKENS, dimension=1, limit=0.5)
    of_weights, values, of_products, result = ends(parts)
    assert (of_weights, values) == (0.5, result)
    assert of_products <= values
    products = figures(parts)[3].figure.data[0].z
    np.testing.assert_allclose(products.sum(axis=0), z[2], rtol=1e-5, atol=1e-6)
    one = weighted_values.one_number(
        weights[2], v[:, 1], visible[2], float(z[2, 1]), At(token=2), dimension=1, tokens=TOKENS
    )
    running = figures(one)[-1]
    assert running.figure.layout.xaxis.title.text.startswith("ends at z = ")
    np.testing.assert_allclose(
        running.figure.data[0].base[-1] + running.figure.data[0].x[-1], z[2, 1], rtol=1e-5, atol=1e-6
    )


def test_split_and_put_back_is_the_same_q(layer):
    q = layer.q[0].swapaxes(0, 1).reshape(3, 8)
    whole, _, again = figures(multi_head.split(q, layer.q[0], At(head=1), tokens=TOKENS))
    np.testing.assert_array_equal(whole.figure.data[0].z, q)
    np.testing.assert_array_equal(again.figure.data[0].z, q)


def test_all_patterns_number_the_places_of_several_sentences(trace, layer):
    (sheet,) = multi_head.all_patterns(layer.pattern, trace.mask, At(sentence=1), title="t", tokens=TOKENS, limit=1.0)
    assert sheet.rows.names == ("1", "2", "3")
    assert sheet.tiles.rows.names == ("sentence 1", "sentence 2")
    assert (sheet.figure.data[0].zmin, sheet.figure.data[0].zmax) == (0, 1)


def test_what_heads_add_and_their_sum_have_one_scale(layer):
    added = layer.head_contributions[0]
    total = added.sum(axis=0)
    parts = multi_head.added_up(added, total, At(token=2), biased=False, tokens=TOKENS)
    largest = float(max(np.abs(added).max(), np.abs(total).max()))
    assert ends(parts) == [largest, largest]
    (norms,) = multi_head.lengths(np.linalg.norm(added, axis=-1), At(token=2), tokens=TOKENS)
    assert norms.figure.data[0].z.shape == (2, 3)
    changed = multi_head.difference(total, 2 * total, titles=("before", "after"), tokens=TOKENS)
    assert len(set(ends(changed))) == 1
    np.testing.assert_allclose(figures(changed)[2].figure.data[0].z, -total, rtol=1e-6)
