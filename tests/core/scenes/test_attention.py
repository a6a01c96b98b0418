"""The scenes of attention: shared colour scales, outlines, and the end of the colours of weights."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis import entropy, softmax_steps
from encoder_core.figures import panels_of
from encoder_core.scenes.attention import multi_head, scaled_scores, softmax, weighted_values
from encoder_core.scenes.focus import Focus

TOKENS = ("the", "<b>", "sat")
AT = Focus(head=1, token=1, labels=TOKENS)


@pytest.fixture(scope="module")
def trace():
    config = EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=1)
    return Encoder.random(config, seed=0).trace(["the cat sat", "it sat"], "causal+padding")


@pytest.fixture(scope="module")
def layer(trace):
    return trace.layers[0]


def limits(parts):
    """The ends of the colour scales of the heatmaps."""
    return [panel.figure.data[0].zmax for panel in panels_of(parts) if panel.figure.data[0].type == "heatmap"]


@pytest.mark.parametrize(("own_scales", "share"), [(False, 1), (True, 0.5)])
def test_scaled_and_masked_scores_share_the_colour_scale_of_the_dot_products_or_one_of_their_own(
    layer, own_scales, share
):
    q, k, dots, scores = (x[0, 1] for x in (layer.q, layer.k, layer.dot_products, layer.scores))
    scale = scaled_scores.Scale(0.5, "√4")
    parts = scaled_scores.step_by_step(q, k, dots, scores, AT, scale=scale, own_scales=own_scales)
    largest, of_factors = float(np.abs(dots).max()), float(max(np.abs(q).max(), np.abs(k).max()))
    assert limits(parts) == [of_factors, of_factors, largest, share * largest, share * largest]
    assert [part for part in parts if isinstance(part, str)] == ["·", "=", "→", "→"]


def test_softmax_of_a_row_shows_its_sums_and_the_weights_have_the_limit(layer):
    scores, weights = layer.scores[0, 0], layer.pattern[0, 0]
    steps = softmax_steps(scores[1])
    parts = softmax.step_by_step(scores, weights, steps, AT, bits=entropy(weights), limit=1.0)
    score, shifted, exp, weight, _, bits = panels_of(parts)
    assert score.figure.layout.xaxis.range == shifted.figure.layout.xaxis.range
    assert exp.figure.layout.xaxis.title.text == f"sum {steps.total:.3f}"
    assert weight.figure.layout.xaxis.title.text == "sum 1.000"
    assert bits.figure.layout.yaxis.ticktext[1] == "&lt;b&gt;"
    assert limits(parts) == [1.0]


def test_weighted_rows_add_up_to_the_row_of_z(layer):
    weights, v, z = layer.pattern[0, 0], layer.v[0, 0], layer.z[0, 0]
    visible = np.isfinite(layer.scores[0, 0])
    parts = weighted_values.mixture(
        weighted_values.HeadWeights(weights, visible, 0.5), v, z, Focus(token=2, labels=TOKENS), dimension=1
    )
    of_weights, values, of_products, result = limits(parts)
    assert (of_weights, values) == (0.5, result)
    assert of_products <= values
    products = panels_of(parts)[3].figure.data[0].z
    np.testing.assert_allclose(products.sum(axis=0), z[2], rtol=1e-5, atol=1e-6)
    one = weighted_values.one_number(
        weights[2], v[:, 1], visible[2], float(z[2, 1]), Focus(token=2, labels=TOKENS), dimension=1
    )
    running = panels_of(one)[-1]
    assert running.figure.layout.xaxis.title.text.startswith("ends at z = ")
    np.testing.assert_allclose(
        running.figure.data[0].base[-1] + running.figure.data[0].x[-1], z[2, 1], rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    ("factor", "numbers", "z"),
    [(1.0, ["1.000", "2.000"], "3.000"), (0.01, ["0.010", "0.020"], "0.030"), (1e-5, ["1e−5", "2e−5"], "3e−5")],
)
def test_products_of_a_head_with_a_small_factor_are_not_written_as_zeros(factor, numbers, z):
    weights, values = np.float32([0.5, 0.5]), np.float32([2, 4])
    line = weighted_values.one_number(
        weights, values, np.ones(2, bool), 3 * factor, Focus(labels=("a", "b")), dimension=0, factor=factor
    )
    products, running = (panel.figure for panel in panels_of(line)[2:])
    assert list(products.data[-1].text) == numbers
    assert products.layout.xaxis.title.text == f"sum {z}"
    assert running.layout.xaxis.title.text == f"ends at z = {z}"


def test_split_and_merged_q_are_equal(layer):
    q = layer.q[0].swapaxes(0, 1).reshape(3, 8)
    whole, _, again = panels_of(multi_head.split(q, layer.q[0], Focus(head=1, labels=TOKENS)))
    np.testing.assert_array_equal(whole.figure.data[0].z, q)
    np.testing.assert_array_equal(again.figure.data[0].z, q)


def test_patterns_of_several_sentences_have_numbered_tokens(trace, layer):
    (sheet,) = multi_head.all_patterns(
        layer.pattern, trace.mask, Focus(sentence=1, labels=TOKENS), title="t", limit=1.0
    )
    assert sheet.rows.names == ("1", "2", "3")
    assert sheet.tiles.rows.names == ("sentence 1", "sentence 2")
    assert (sheet.figure.data[0].zmin, sheet.figure.data[0].zmax) == (0, 1)


def test_contributions_and_their_sum_share_a_colour_scale(layer):
    added = layer.head_contributions[0]
    total = added.sum(axis=0)
    parts = multi_head.contributions(added, total, Focus(token=2, labels=TOKENS), biased=False)
    largest = float(max(np.abs(added).max(), np.abs(total).max()))
    assert limits(parts) == [largest, largest]
    (norms,) = multi_head.contribution_lengths(np.linalg.norm(added, axis=-1), Focus(token=2, labels=TOKENS))
    assert norms.figure.data[0].z.shape == (2, 3)
    changed = multi_head.difference(total, 2 * total, titles=("before", "after"), tokens=TOKENS)
    assert len(set(limits(changed))) == 1
    np.testing.assert_allclose(panels_of(changed)[2].figure.data[0].z, -total, rtol=1e-6)
