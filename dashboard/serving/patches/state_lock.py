"""One lock for the session state of a visitor.

When a control is moved while a run goes on, Streamlit begins the next run at once, and the one before goes on to its
next element. Each run has a lock of its own for the state that they share, so one may go through a dictionary while the
other adds a key to it: "dictionary changed size during iteration".
"""

import threading
from collections.abc import Callable

from streamlit.runtime.state import SafeSessionState, SessionState

_begin = SafeSessionState.__init__
_NAME = "_lock_of_all_runs"


def _begin_with_lock_of_state(self: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]) -> None:
    _begin(self, state, yield_callback)
    # The state itself has slots. Its query parameters are the same object for as long as it lives, and have none. The
    # first of two threads that ask at once sets the lock.
    lock = vars(state.query_params).setdefault(_NAME, threading.RLock())
    object.__setattr__(self, "_lock", lock)  # `self._lock = lock` would be an entry of the state


def share_state_lock() -> None:
    """From now on, all runs of a session use one lock. Further calls change nothing."""
    SafeSessionState.__init__ = _begin_with_lock_of_state  # type: ignore[method-assign]
