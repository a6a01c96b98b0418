"""All tasks: one module for each, with its TASK."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from encoder_core.support.registry import Registry
from encoder_core.training.task import Task

_ORDER = ("copy", "reverse", "sort", "bracket", "repeat", "majority", "words")


@cache
def tasks() -> Mapping[str, Task]:
    """All tasks by name, the easiest first: the TASK of each module of this package."""
    modules = (importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    by_name = {module.TASK.name: module.TASK for module in modules}
    order = {name: place for place, name in enumerate(_ORDER)}
    names = sorted(by_name, key=lambda name: (order.get(name, len(order)), name))
    return Registry("task", {name: by_name[name] for name in names})
