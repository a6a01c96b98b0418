"""One executable of a function for each capacity, kept apart from JAX's own caches.

`jax.jit` keeps what it needs to compile again, 40 MB for all programs, next to the executables. A server that compiles
everything when it starts can free this with `jax.clear_caches()` and still run what is compiled here.

XLA computes in threads of its own, one program after another, in the order in which they were asked for.
"""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar

import jax

from encoder_core.blocks.capacity import Capacity
from encoder_core.support.progress import Progress, require_progress

Result = TypeVar("Result")
_thread = threading.local()


def wait_for(result: Result) -> Result:
    """Wait until XLA has computed all arrays of a result."""
    start = time.perf_counter()
    jax.block_until_ready(result)
    _thread.waited = seconds_waited() + time.perf_counter() - start
    return result


def one_ahead(results: Iterable[Result]) -> Iterator[Result]:
    """Wait for results of programs, each of which is asked for while XLA computes the one before.

    Eight sentences of one person, asked for at once, would all be computed before anybody else's. Two results are in
    memory, besides those that the caller keeps.
    """
    asked: deque[Result] = deque()
    for result in results:
        asked.append(result)
        if len(asked) == 2:
            yield wait_for(asked.popleft())
    yield from map(wait_for, asked)


def seconds_waited() -> float:
    """For how long the current thread has waited for XLA: what it has cost besides its own processor time."""
    return getattr(_thread, "waited", 0.0)


def compiled_for_each_capacity(function: Callable[..., Result]) -> Callable[..., Result]:
    """Compile the function at its first call with each capacity; all later calls run that executable.

    The first argument is the capacity. At one capacity, the others have the same shapes and dtypes in every call.
    """
    jitted = jax.jit(function, static_argnums=0)
    executables: dict[Capacity, Callable[..., Result]] = {}
    locks: defaultdict[Capacity, threading.Lock] = defaultdict(threading.Lock)  # two threads compile it only once

    @wraps(function)
    def run(capacity: Capacity, *args: Any) -> Result:
        if capacity not in executables:
            with locks[capacity]:
                if capacity not in executables:
                    executables[capacity] = jitted.lower(capacity, *args).compile()
        return executables[capacity](*args)

    return run


def compile_in_turn(programs: Sequence[Callable[[], object]], progress: Progress | None) -> None:
    """Call what compiles each program, one after another; `progress` is told the number of programs after each."""
    require_progress(progress)
    for done, compile_program in enumerate(programs, start=1):
        compile_program()
        if progress:
            progress(done, len(programs))
