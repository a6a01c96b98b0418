"""What enters the first block, as it is and as it would be with another position encoding."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, Run, SetEmbedded, SetTokenEmbedding
from encoder_core.explain.first_input import first_input, first_input_with
from encoder_core.inputs.positions import sinusoids
from tests.core.reference import random_parameters, relative_difference

CONFIG = EncoderConfig(
    vocab_size=9, max_len=8, d_model=12, num_heads=3, d_ff=16, num_layers=1, embedding_scale="sqrt_d", dropout=0.3
)
IDS = np.array([[4, 1, 4, 7, 2], [3, 3, 8, 1, 5]])
EDITS = {
    "none": [],
    "what enters": [SetEmbedded(0, 1, 2, 0.7), SetEmbedded(1, 3, 0, -4.0)],
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
    assert first_input_with(plain, position).embedded.tolist() == [[[1, 2, 3, 4]]]
    config = replace(config, embedding_norm=True)
    norm = {"embedding_norm.scale": np.full(4, 2, np.float32), "embedding_norm.bias": np.ones(4, np.float32)}
    parameters = Encoder.random(config).parameters() | norm
    run = Encoder.from_parameters(config, parameters).run(rows)
    total, steps, embedded = first_input_with(run, position).of(0)
    assert total.tolist() == [[1, 2, 3, 4]]
    assert (steps.mean.tolist(), steps.variance.tolist()) == ([2.5], [1.25])
    np.testing.assert_allclose(embedded, 2 * (np.array([[1, 2, 3, 4]]) - 2.5) / 1.25**0.5 + 1)
    assert first_input(run).of(0).total.tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("normed", [False, True])
def test_with_its_own_positions_it_is_what_the_trace_shows(normed, edits):
    run = run_with(edits, embedding_norm=normed)
    is_, would_be = first_input(run), first_input_with(run, run.trace.position_encoding)
    np.testing.assert_array_equal(is_.embedded, run.trace.embedded)
    assert relative_difference(would_be.embedded, run.trace.embedded) < 1e-6
    assert relative_difference(is_.total, would_be.total) < 1e-6
    if normed:
        np.testing.assert_array_equal(is_.total, run.trace.embedding_sum)
        assert relative_difference(is_.norm.output, would_be.norm.output) < 1e-5
    else:
        assert is_.norm is would_be.norm is None


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("normed", [False, True])
def test_with_other_positions_it_is_what_a_model_with_them_shows(normed, edits):
    learned, other = (run_with(edits, embedding_norm=normed, positions=name) for name in ("learned", "sinusoidal"))
    same = [name for name in other.parameters if name.startswith(("token_embedding", "embedding_norm"))]
    parameters = other.parameters | {name: learned.parameters[name] for name in same}
    trace = Encoder.from_parameters(other.config, parameters).trace(IDS, None, edits)
    found = first_input_with(learned, sinusoids(5, 12))
    assert relative_difference(found.embedded, trace.embedded) < 1e-6
    assert relative_difference(found.embedded, learned.trace.embedded) > 0.1
    one, all_ = found.of(1), found
    np.testing.assert_array_equal(one.embedded, all_.embedded[1])
    if normed:
        np.testing.assert_array_equal(one.norm.variance, all_.norm.variance[1])
