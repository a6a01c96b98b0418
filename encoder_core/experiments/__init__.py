"""Experiments on encoders: one module for each claim that learners are told, and measurements that pages use."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from encoder_core.experiments import claims
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setting, Setup, Verdict
from encoder_core.support.registry import Registry


@cache
def experiments() -> Mapping[str, Experiment]:
    """All experiments by name, in the order of the claims: the EXPERIMENT of each module of `claims`.

    Raises ValueError if two have the same name or number; the mapping, for a name that none has.
    """
    names = (module.name for module in pkgutil.iter_modules(claims.__path__, f"{claims.__name__}."))
    modules = map(importlib.import_module, names)
    in_order = sorted((module.EXPERIMENT for module in modules), key=lambda experiment: experiment.number)
    for one, other in pairwise(in_order):
        if one.number == other.number or one.name == other.name:
            raise ValueError(f"experiments {one.name!r} and {other.name!r} have the same number or name.")
    return Registry("experiment", {experiment.name: experiment for experiment in in_order})


__all__ = ["Control", "Experiment", "Measurement", "Option", "Setting", "Setup", "Verdict", "experiments"]
