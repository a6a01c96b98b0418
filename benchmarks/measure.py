"""Measurements for the benchmarks: compilations, percentiles, memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import jax
import numpy as np

_COMPILED = "/jax/core/compile/backend_compile_duration"


class CompilationCounter:
    """A context manager that counts XLA compilations, with `jax.monitoring`."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Self:
        jax.monitoring.register_event_duration_secs_listener(self._listen)
        return self

    def __exit__(self, *exc_info: object) -> None:
        jax.monitoring.unregister_event_duration_listener(self._listen)

    def _listen(self, event: str, duration_secs: float, **_: str | int) -> None:
        self.count += event == _COMPILED


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile, rounded to hundredths."""
    return round(float(np.percentile(values, q)), 2)


def resident_mb() -> float:
    """Resident memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6
