"""The processes that this one has started: which they are, their processor time and their memory (Linux)."""

import os
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.measure import resident_mb

_TICKS = os.sysconf("SC_CLK_TCK")


def descendants(of: int | None = None) -> list[int]:
    """The processes that one, by default this one, has started, and those that they have."""
    known, new = [], [of or os.getpid()]
    while new:
        tasks = [task for pid in new for task in Path(f"/proc/{pid}/task").glob("*/children")]
        new = [int(child) for task in tasks for child in _read(task).split()]
        known += new
    return known


def cpu_seconds() -> float:
    """Processor time of all these processes so far."""
    fields = [_read(Path(f"/proc/{pid}/stat")).rpartition(b")")[2].split() for pid in descendants()]
    return sum(int(field[11]) + int(field[12]) for field in fields if field) / _TICKS


def wait_until_idle(quiet: float = 2.0) -> None:
    """Wait until these processes use less than a tenth of a core for `quiet` seconds, at most two minutes."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        before = cpu_seconds()
        time.sleep(quiet)
        if cpu_seconds() - before < quiet / 10:
            return


def largest_mb() -> float:
    """Resident memory in MB of the largest of these processes."""
    return max(resident_mb([pid]) for pid in descendants())


def _read(path: Path) -> bytes:
    """The content of a file in /proc, b"" if the process has ended."""
    with suppress(OSError):
        return path.read_bytes()
    return b""
