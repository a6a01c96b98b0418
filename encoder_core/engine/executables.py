"""One executable of a function for each capacity, kept apart from JAX's own caches.

`jax.jit` keeps what it needs to compile again, 40 MB for all programs, next to the executables. A server that compiles
everything when it starts can free this with `jax.clear_caches()` and still run what is compiled here.
"""

import threading
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import jax

from encoder_core.blocks.capacity import Capacity

Result = TypeVar("Result")


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
