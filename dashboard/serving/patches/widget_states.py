"""Ignores widget states that no browser sends.

Streamlit deserializes the states of a message without checking them: a list for a switch, a text that is no option or
broken JSON raise an exception in the middle of a run. Here such a state counts as missing, so that the widget keeps
its value. A state whose id is none of a widget raises one in the next text area; it is not kept.
"""

import json
import logging
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.common import is_element_id
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, Serialized, WStates

_logger = logging.getLogger(__name__)
# Streamlit registers every number field as one of floats; the browser sends integers where it takes whole numbers.
_FIELDS = {"double_value": {"double_value", "int_value"}}
_deserialize, _keep = WStates.__getitem__, WStates.set_widget_from_proto


def _checked(states: WStates, widget: str) -> Any:
    """The value of a widget. Raises KeyError, which Streamlit expects, if the browser's state is not one of it."""
    state, metadata = states.states.get(widget), states.widget_metadata.get(widget)
    if not isinstance(state, Serialized) or metadata is None:
        return _deserialize(states, widget)
    kind = state.value.WhichOneof("value")
    expected = metadata.value_type
    if kind is None or expected is None or kind in _FIELDS.get(expected, {expected}):
        try:
            if kind in ("json_value", "json_trigger_value"):
                json.loads(getattr(state.value, kind))  # for a component, Streamlit would log a traceback
            return _deserialize(states, widget)
        except Exception as error:  # whatever it is, the state is the cause
            _logger.info("The state of a widget is ignored: %r", error)
    raise KeyError(widget)


def _keep_if_of_widget(self: WStates, widget_state: WidgetState) -> None:
    # What a component triggers has an internal key.
    if is_element_id(widget_state.id) or widget_state.id.startswith(STREAMLIT_INTERNAL_KEY_PREFIX):
        _keep(self, widget_state)


def check_widget_states() -> None:
    """From now on, ignore such states in all sessions. Further calls change nothing."""
    WStates.__getitem__ = _checked  # type: ignore[method-assign]
    WStates.set_widget_from_proto = _keep_if_of_widget  # type: ignore[method-assign]
