"""Two threads that call a function at the same time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor


def in_two_threads(function, *arguments):
    """What both threads get that call the function at the same time."""
    barrier = threading.Barrier(2)

    def call():
        barrier.wait(10)
        return function(*arguments)

    with ThreadPoolExecutor(2) as threads:
        return [future.result(30) for future in [threads.submit(call) for _ in range(2)]]


def slowly(calls, value):
    """A function that takes long enough for a second thread to come before there is a value."""

    def function(*arguments):
        calls.append(arguments)
        time.sleep(0.2)
        return value()

    return function
