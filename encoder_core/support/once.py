"""A cache whose values are computed once, also if several threads ask for one at the same time."""

import threading
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def once(function: Function) -> Function:
    """A decorator: the value of each list of arguments is computed by the first thread, and the others wait for it.

    With `functools.cache`, each thread that comes before there is a value computes one. An error is not kept: it is
    raised, and the next thread computes the value. Calls with other arguments do not wait. A function that calls itself
    with the same arguments would wait for itself.
    """
    values: dict[Hashable, Any] = {}
    locks: dict[Hashable, threading.Lock] = {}

    @wraps(function)
    def call(*arguments: Hashable) -> Any:
        if arguments not in values:
            with locks.setdefault(arguments, threading.Lock()):
                if arguments not in values:
                    values[arguments] = function(*arguments)
                    locks.pop(arguments, None)
        return values[arguments]

    return call  # type: ignore[return-value]
