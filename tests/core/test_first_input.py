"""The input of the first layer, and the same with another position encoding."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, Run, SetEmbedded, SetTokenEmbedding
from encoder_core.explain.first_input import first_input, first_input_with_positions
from encoder_core.inputs.positions import sinusoids
from tests.core.reference import random_parameters, relative_difference

CONFIG = EncoderConfig(
    vocab_size=9, max_len=8, d_model=12, num_heads=3, d_ff=16, num_layers=1, embedding_scale="sqrt_d", dropout=0.3
)
IDS = np.array([[4, 1, 4, 7, 2], [3, 3, 8, 1, 5]])
EDITS = {
    "none": [],
    "the embedded input": [SetEmbedded(0, 1, 2, 0.7), SetEmbedded(1, 3, 0, -4.0)],
    "training": [Dropout(5)],
    "all": [Dropout(5), SetEmbedded(0, 1, 2, 0.7), SetTokenEmbedding(4, 3, -2.5)],
}


def run_with(edits, **choices) -> Run:
    config = replace(CONFIG, **choices)
    parameters = random_parameters(config, np.random.default_rng(2))
    return Encoder.from_parameters(config, parameters).run(IDS, None, edits)


def test_by_hand():
    """[0, 1, 1, 1] + [1, 1, 2, 3] = [1, 2, 3, 4]; mean 2.5, variance 1.25; times 2, plus 1."""
    config = replace(CONFIG, d_model=4, num_heads=2, positions="none", embedding_scale="none", norm_eps=1e-12)
    rows, position = np.array([[[0, 1, 1, 1]]], np.float32), np.array([[1, 1, 2, 3]], np.float32)
    plain = Encoder.random(config).run(rows)
    assert first_input_with_positions(plain, position).embedded.tolist() == [[[1, 2, 3, 4]]]
    config = replace(config, embedding_norm=True)
    norm = {"embedding_norm.scale": np.full(4, 2, np.float32), "embedding_norm.bias": np.ones(4, np.float32)}
    parameters = Encoder.random(config).parameters() | norm
    run = Encoder.from_parameters(config, parameters).run(rows)
    total, steps, embedded = first_input_with_positions(run, position).for_sentence(0)
    assert total.tolist() == [[1, 2, 3, 4]]
    assert (steps.mean.tolist(), steps.variance.tolist()) == ([2.5], [1.25])
    np.testing.assert_allclose(embedded, 2 * (np.array([[1, 2, 3, 4]]) - 2.5) / 1.25**0.5 + 1)
    assert first_input(run).for_sentence(0).total.tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("normed", [False, True])
def test_with_the_positions_of_the_model_it_agrees_with_the_trace(normed, edits):
    run = run_with(edits, embedding_norm=normed)
    traced, recomputed = first_input(run), first_input_with_positions(run, run.trace.position_encoding)
    np.testing.assert_array_equal(traced.embedded, run.trace.embedded)
    assert relative_difference(recomputed.embedded, run.trace.embedded) < 1e-6
    assert relative_difference(traced.total, recomputed.total) < 1e-6
    if normed:
        np.testing.assert_array_equal(traced.total, run.trace.embedding_sum)
        assert relative_difference(traced.norm.output, recomputed.norm.output) < 1e-5
    else:
        assert traced.norm is recomputed.norm is None


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("normed", [False, True])
def test_with_other_positions_it_agrees_with_a_model_that_has_them(normed, edits):
    learned, other = (run_with(edits, embedding_norm=normed, positions=name) for name in ("learned", "sinusoidal"))
    same = [name for name in other.parameters if name.startswith(("token_embedding", "embedding_norm"))]
    parameters = other.parameters | {name: learned.parameters[name] for name in same}
    trace = Encoder.from_parameters(other.config, parameters).trace(IDS, None, edits)
    result = first_input_with_positions(learned, sinusoids(5, 12))
    assert relative_difference(result.embedded, trace.embedded) < 1e-6
    assert relative_difference(result.embedded, learned.trace.embedded) > 0.1
    one, both = result.for_sentence(1), result
    np.testing.assert_array_equal(one.embedded, both.embedded[1])
    if normed:
        np.testing.assert_array_equal(one.norm.variance, both.norm.variance[1])
