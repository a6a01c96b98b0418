"""Measurements for the benchmarks: compilations, durations, percentiles, memory."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
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


def milliseconds(work: Callable[[], object]) -> float:
    """The duration of `work` in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def percentile(values: Sequence[float], q: float) -> float:
    """The q-th percentile, rounded to hundredths."""
    return round(float(np.percentile(values, q)), 2)


def resident_mb(processes: Iterable[int | str] = ("self",)) -> float:
    """Resident memory of these processes in MB, by default of this one (Linux)."""
    pages = sum(int(Path(f"/proc/{process}/statm").read_text().split()[1]) for process in processes)
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
