"""`WidgetStateManager`: the values that the browser holds, and when it sends them."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

from benchmarks.client.kind import Value, write


class WidgetStateManager:
    """All widget states by widget id. `send(states, fragment id)` sends a rerun message."""

    def __init__(self, send: Callable[[WidgetStates, str], None]) -> None:
        self._send = send
        self._states: dict[str, WidgetState] = {}
        self._pending_triggers: set[str] = set()
        self._scheduled_fragment: str | None = None  # of the scheduled flush, if there is one
        self._batching = False

    def get(self, widget: str) -> WidgetState | None:
        """The state of a widget, if the browser holds one."""
        return self._states.get(widget)

    def keep(self, widget: str, field: str, value: Value) -> None:
        """Keep a value without a message."""
        write(self._create(widget), field, value)

    def keep_json(self, widget: str, value: Any) -> None:
        """Keep the state of a component without a message."""
        self._create(widget).json_value = to_json(value)

    def json(self, widget: str) -> dict[str, Any]:
        """The state of a component: all that its JavaScript has set so far."""
        state = self._states.get(widget)
        return json.loads(state.json_value) if state is not None and state.json_value else {}

    def trigger(self, widget: str, event: dict[str, Any] | None = None) -> None:
        """A button is clicked, or a component's JavaScript triggers an event; needs a flush."""
        state = self._states.get(widget)
        state = self._create(widget) if state is None else state
        if event is None:
            state.trigger_value = True
        else:
            events = json.loads(state.json_trigger_value) if state.WhichOneof("value") == "json_trigger_value" else []
            state.json_trigger_value = to_json([*events, event])
        self._pending_triggers.add(widget)

    def schedule_flush(self, fragment: str) -> None:
        """Send all states at the end of the browser tick: now, unless a batch is open.

        The first fragment id counts. Outside of fragments it is "", which is not undefined: after it another id has no
        effect, and before it the id of a fragment makes the message one for the fragment alone.
        """
        if self._scheduled_fragment is None:
            self._scheduled_fragment = fragment
        if not self._batching:
            self._flush()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """One browser tick: what is scheduled inside is sent in one message at the end."""
        if self._batching:
            yield
            return
        self._batching = True
        try:
            yield
        finally:
            self._batching = False
            self._flush()

    def send_all(self, fragment: str = "") -> None:
        """Send all states right now."""
        self._send(self.all(), fragment)

    def all(self) -> WidgetStates:
        """All states."""
        return WidgetStates(widgets=self._states.values())

    def among(self, active: set[str]) -> WidgetStates:
        """The states of these widgets."""
        return WidgetStates(widgets=[state for state in self._states.values() if state.id in active])

    def remove_inactive(self, active: set[str]) -> None:
        """Forget the widgets that are not among these; triggers that have not been sent stay."""
        for widget in self._states.keys() - active - self._pending_triggers:
            del self._states[widget]

    def _create(self, widget: str) -> WidgetState:
        state = self._states[widget] = WidgetState(id=widget)
        return state

    def _flush(self) -> None:
        fragment, self._scheduled_fragment = self._scheduled_fragment, None
        if fragment is None:
            return
        self.send_all(fragment)
        for widget in self._pending_triggers:
            self._states.pop(widget, None)
        self._pending_triggers.clear()


def to_json(value: Any) -> str:
    """`JSON.stringify(value)`."""
    return json.dumps(_javascript(value), separators=(",", ":"), ensure_ascii=False)


def _javascript(value: Any) -> Any:
    """The same value with JavaScript's only type of numbers."""
    if isinstance(value, dict):
        return {str(key): _javascript(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_javascript(one) for one in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 1e21 else value
    return value
