"""Experiments on encoders: one module for each claim that learners are told, and measurements that pages use."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setting, Setup
from encoder_core.read_only import ReadOnlyMapping


@cache
def experiments() -> Mapping[str, Experiment]:
    """All experiments by name, in the order of the claims: the EXPERIMENT of each module of this package.

    Raises ValueError if two have the same name or number.
    """
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    in_order = sorted((m.EXPERIMENT for m in modules if hasattr(m, "EXPERIMENT")), key=lambda x: x.number)
    for one, other in pairwise(in_order):
        if one.number == other.number or one.name == other.name:
            raise ValueError(f"experiments {one.name!r} and {other.name!r} have the same number or name.")
    return ReadOnlyMapping({experiment.name: experiment for experiment in in_order})


__all__ = ["Control", "Experiment", "Measurement", "Option", "Setting", "Setup", "experiments"]
