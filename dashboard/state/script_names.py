"""The names of a page's script, forgotten when the page runs again.

The functions of a script refer to its names, and the names to the model. Only the garbage collector would free such a
cycle: it takes 50 ms, in which nobody else computes, and each move of a visitor with the largest sizes would need it.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

_run = threading.local()  # the run of this thread: `uses` ends with it


class ScriptNames:
    """The global names of one run of a page's script. Its fragment uses them, too, but no callback of a widget."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names, self._users, self.are_forgotten = names, 0, False
        self._lock = threading.Lock()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Context in which the names stay, unless they are forgotten already."""
        self._use(1)
        try:
            yield
        finally:
            self._use(-1)

    def forget(self) -> None:
        """Forget the names as soon as nobody uses them. Those of a module that was imported stay."""
        self.are_forgotten = True
        self._use(0)

    def _use(self, change: int) -> None:
        with self._lock:
            self._users += change
            if self.are_forgotten and not self._users and not self._are_of_a_module():
                self._names.clear()

    def _are_of_a_module(self) -> bool:
        module = sys.modules.get(self._names.get("__name__", ""))
        return module is not None and vars(module) is self._names


@contextmanager
def script_run() -> Iterator[None]:
    """Context in which a page's script runs: it uses its names until it ends."""
    with ExitStack() as _run.uses:
        yield


def use_names(names: ScriptNames) -> None:
    """Use the names of the script that runs in this thread until it ends."""
    if uses := getattr(_run, "uses", None):
        uses.enter_context(names.in_use())
