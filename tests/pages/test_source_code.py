"""The code that a page shows: what computes, without the lines that only check arguments."""

import inspect
import re
import sys

import pytest

from dashboard.inspect.source_code import source_of
from encoder_core.analysis import cosines, entropy, softmax_steps
from encoder_core.blocks import SelfAttention, layer_norm
from encoder_core.experiments import experiments

_SHOWN = re.compile(r"encoder_core\.(analysis|blocks|engine|experiments|inputs\.positions|pretrained\.analogy)")

_CHECK = re.compile(r"(?<!def )\brequire_\w+\(")


def test_checks_of_arguments_are_left_out():
    source = source_of(entropy)
    assert source.startswith("# without the checks of its arguments\ndef entropy(")
    assert "require_" not in source
    assert "raise " not in source
    assert source.endswith("return np.asarray(entr(weights.astype(float)).sum(axis=-1) / np.log(2) + 0.0)  # not -0")
    assert "raise ValueError" not in source_of(cosines)


def test_no_check_is_left_where_the_code_says_that_there_is_none():
    modules = [module for name, module in sys.modules.items() if name.startswith("encoder_core.")]
    functions = {value for module in modules for value in vars(module).values() if inspect.isfunction(value)}
    shown = {function for function in functions if _SHOWN.match(function.__module__)}
    assert softmax_steps in shown
    for function in shown:
        source = source_of(function)
        compile(source, "shown", "exec")
        assert not source.startswith("# without the checks") or not _CHECK.search(source), function


@pytest.mark.parametrize("function", [layer_norm, SelfAttention.project])
def test_code_without_checks_is_shown_as_it_is(function):
    assert source_of(function).startswith("def ")


def test_the_code_of_all_experiments_can_be_shown():
    for experiment in experiments().values():
        for function in experiment.code:
            compile(source_of(function), "shown", "exec")
