"""A widget looks up its own entry in the session state without a copy of all entries.

Streamlit makes a copy for each selectbox, radio, number or text field, and in it a new class for each component of the
page: 2 of the 32 ms of a move of a slider on Scaled scores.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from streamlit.runtime.state import SafeSessionState


class _Entries(Mapping[str, Any]):
    """The entries of a session state. Only those who go through all of them make a copy."""

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._copy())

    def __len__(self) -> int:
        return len(self._copy())

    def _copy(self) -> dict[str, Any]:
        with self._state._lock:
            return self._state._state.filtered_state


def look_up_without_copies() -> None:
    """From now on, widgets do so. Further calls change nothing."""
    SafeSessionState.filtered_state = property(_Entries)  # type: ignore[assignment]
