"""Threads that compute in the background, and end before the server does.

When a process ends, Python ends a daemon thread wherever that asks for the interpreter again. In the midst of XLA's C++
this aborts the process: after Ctrl+C in the first seconds, the terminal showed "FATAL: exception not rethrown".
"""

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from functools import cache

_LONGEST = 20.0  # seconds in which the threads must end; compiling one program takes 0.5 to 3, and more under load
_stopping = threading.Event()
_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


def start_thread(work: Callable[[], object], name: str) -> threading.Thread:
    """Start the work in a daemon thread: one of a ThreadPoolExecutor would keep the server from stopping.

    Work that takes long calls `end_with_server` between its parts.
    """
    _end_threads_at_exit()
    end_with_server()  # nobody would wait for this thread
    thread = threading.Thread(target=_run, args=(work,), name=name, daemon=True)
    _threads.add(thread)
    thread.start()
    return thread


def end_with_server(*_: object) -> None:
    """End this thread if the server stops. Can be used as a function that is told the progress."""
    if _stopping.is_set():
        raise SystemExit  # which a thread ends with silently


def _run(work: Callable[[], object]) -> None:
    try:
        work()
    except Exception:
        if not _stopping.is_set():  # else JAX, or what else the work needs, has ended before it
            raise


@cache
def _end_threads_at_exit() -> None:
    # What is registered last runs first. JAX, which is imported by now, would take its programs from the threads.
    atexit.register(_end_threads)


def _end_threads() -> None:
    _stopping.set()
    deadline = time.monotonic() + _LONGEST
    for thread in list(_threads):
        thread.join(max(0.0, deadline - time.monotonic()))
