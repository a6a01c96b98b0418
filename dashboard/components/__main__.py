"""Publish the scripts and styles of all components, so that no start has to: `python -m dashboard.components`."""

import pkgutil
from importlib import import_module

from dashboard import components

for _module in pkgutil.iter_modules(components.__path__, f"{components.__name__}."):
    if not _module.name.endswith(".__main__"):
        import_module(_module.name)
