"""The code that a page shows: what computes, without the lines that only check arguments."""

import pytest

from dashboard.inspect.source_code import source_of
from encoder_core.analysis import cosines, entropy, softmax_steps
from encoder_core.blocks import SelfAttention, layer_norm
from encoder_core.experiments import experiments


def test_checks_of_arguments_are_left_out():
    source = source_of(entropy)
    assert source.startswith("# without the checks of its arguments\ndef entropy(")
    assert "require_" not in source
    assert "raise " not in source
    assert source.endswith("return np.asarray(entr(weights.astype(float)).sum(axis=-1) / np.log(2) + 0.0)  # not -0")
    assert "raise ValueError" not in source_of(cosines)


def test_what_a_check_returns_changed_stays():
    source = source_of(softmax_steps)
    assert '    scores = require_numbers("scores", scores, "*row key").astype(float)\n' in source
    assert "temperature = require" not in source


@pytest.mark.parametrize("function", [layer_norm, SelfAttention.project])
def test_code_without_checks_is_shown_as_it_is(function):
    assert source_of(function).startswith("def ")


def test_the_code_of_all_experiments_can_be_shown():
    for experiment in experiments().values():
        for function in experiment.code:
            compile(source_of(function), "shown", "exec")
