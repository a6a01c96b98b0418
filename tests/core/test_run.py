"""Runs: a trace with configuration, parameters and combined edits."""

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, ResidualFactor, Run, SetWeight, Unscaled
from encoder_core.explain import derive

CONFIG = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, d_ff=8, num_layers=2, dropout=0.5)
ENCODER = Encoder.random(CONFIG)
IDS = np.array([[1, 2, 3], [4, 5, 6]])
EDITS = [
    HeadFactor(1, 0, -2.0),
    HeadFactor(1, 0, 3.0),
    ResidualFactor(0, "mlp", 0.5),
    SetWeight("W_V", 0, 1, 2, 3, 9.0),
    Unscaled(),
]


def test_combined_edits():
    run = ENCODER.run(IDS, "causal", EDITS)
    assert run.edits == tuple(EDITS)
    assert run.head_factors(1).tolist() == [-6, 1]
    assert run.head_factors(0).tolist() == [1, 1]
    assert (run.residual_factor(0, "mlp"), run.residual_factor(0, "attention")) == (0.5, 1)
    assert (run.score_scale, ENCODER.run(IDS).score_scale) == (1, 0.5)  # d_head 4


def test_the_trace_of_a_run():
    run, trace = ENCODER.run(IDS, "causal", EDITS), ENCODER.trace(IDS, "causal", EDITS)
    np.testing.assert_array_equal(run.trace.output, trace.output)
    assert run.config is CONFIG
    assert np.abs(trace.output - ENCODER.trace(IDS, "causal").output).max() > 0.1


def test_parameters_before_and_after_the_edits():
    run, name = ENCODER.run(IDS, None, EDITS), "layers.0.attention.value.kernel"
    assert run.edited_parameters[name][2, 7] == 9
    assert (run.edited_parameters[name] != run.parameters[name]).sum() == 1
    assert not run.edited_parameters[name].flags.writeable
    assert all(run.edited_parameters[other] is run.parameters[other] for other in run.parameters if other != name)
    assert ENCODER.parameters()[name][2, 7] != 9


def test_apply_dropout():
    run = ENCODER.run(IDS, None, [Dropout(3)])
    ones = np.ones((2, 3, 8), np.float32)
    np.testing.assert_array_equal(run.apply_dropout(ones, "attn_out", 1), 2.0 * run.trace.kept.layers[1].attn_out)
    np.testing.assert_array_equal(run.apply_dropout(ones[0], "embedded", sentence=1), 2.0 * run.trace.kept.embedded[1])
    assert ENCODER.run(IDS).apply_dropout(ones, "attn_out", 1) is ones


def test_derivations_use_the_edits_of_the_run():
    run = ENCODER.run(IDS, None, EDITS)
    edited, plain = derive(run, "z.1.0.0.1.2"), derive(Run(run.trace, CONFIG, run.parameters), "z.1.0.0.1.2")
    assert edited.result == pytest.approx(-6 * plain.result)
    assert edited.difference < 1e-6 < plain.difference
