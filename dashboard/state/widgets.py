"""Bind widgets to parameters.

The session's value decides what a widget shows. If anything but the widget itself changes the value (a click on a
heatmap, Back, a new text), a new widget with another key replaces the widget. A message that the browser sent before
it received the change then refers to the old widget and cannot be mistaken for a new choice.

Each widget gets its value twice: in the session state and as its initial value. Until the browser has read the session
state, which takes some milliseconds, a new widget sends its initial value in every message.
"""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dashboard.state.parameter import Parameter, Value
from dashboard.state.session import BoundWidget, session


def widget_key(name: str, value: Any, options: object = None) -> str:
    """The key of the widget that shows `value`; the value is put in the session state.

    Other `options` or another script need a new widget as well: for Streamlit, widgets of two pages are different even
    if their keys are equal, and the second one would show its default.
    """
    widget, script = session().widgets.get(name), session().script
    if widget is None:
        widget = BoundWidget(0, options, script)
    elif (widget.options, widget.script) != (options, script) or (
        st.session_state.get(_key(name, widget), value) != value
    ):
        widget = BoundWidget(widget.generation + 1, options, script)
    session().widgets[name] = widget
    key = _key(name, widget)
    set_initial_value(key, value)
    return key


def bind_widget(
    parameter: Parameter[Value],
    value: Any = None,
    options: Sequence[Any] | object = None,
    *,
    value_argument: str = "value",
    index_of: Sequence[Any] | None = None,
    on_change: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Keyword arguments for a widget that shows and sets a parameter.

    value           the value to show, if it is not the parameter's value
    options         the options, if they depend on the model
    value_argument  the widget's argument for its initial value
    index_of        the options of a select box, whose initial value is an index
    on_change       called with the new value instead of setting the parameter
    """
    current = session().get(parameter) if value is None else value
    set_value = on_change or (lambda new: session().set(parameter, new))

    def change(new: Any) -> None:
        if _is_possible(parameter, new):
            set_value(new)

    return bind_value(parameter.name, current, change, options, value_argument=value_argument, index_of=index_of)


def bind_value(
    name: str,
    value: Any,
    on_change: Callable[[Any], None],
    options: object = None,
    *,
    value_argument: str = "value",
    index_of: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """Like `bind_widget`, for a widget that shows a part of a parameter or the number that an edit sets."""
    key = widget_key(name, value, options)
    initial = {value_argument: value} if index_of is None else {"index": index_of.index(value)}
    latest = value

    def changed() -> None:
        # Streamlit also calls this for a widget that it has forgotten, because another one has taken its place or
        # because a run did not show it, if a message of the browser still contains it. Only a new value is a choice.
        nonlocal latest
        new = st.session_state[key]
        is_possible = index_of is None or new in index_of
        if is_possible and _comparable(new) != _comparable(latest):
            latest = new
            on_change(new)

    return {"key": key, "on_change": changed, **initial}


def set_initial_value(key: str, value: Any) -> None:
    """Set the value of the widget with this key, unless it has one. Call it before the widget is rendered."""
    if key not in st.session_state:
        st.session_state[key] = value


def set_widget_value(key: str, value: Any) -> None:
    """Set the value of the widget with this key. Call it from a callback, or before the widget is rendered."""
    st.session_state[key] = value


def widget_value(key: str) -> Any:
    """The value of the widget with this key; None if it has none."""
    return st.session_state.get(key)


def component_value(key: str, name: str) -> Any:
    """The last value that a component's JavaScript has set under this name; None before the first."""
    return (widget_value(key) or {}).get(name)


def edited_cells(key: str) -> dict[int, dict[str, Any]]:
    """The cells that the user changed in a table editor: row -> column -> value."""
    return dict(st.session_state[key]["edited_rows"])


def _key(name: str, widget: BoundWidget) -> str:
    return name if widget.generation == 0 else f"{name}.{widget.generation}"


def _is_possible(parameter: Parameter[Any], value: Any) -> bool:
    """Whether a link could contain the value: a browser's message can contain anything."""
    try:
        parameter.parse(parameter.format(value))
    except (TypeError, ValueError):
        return False
    return True


def _comparable(value: Any) -> Any:
    """Streamlit returns several choices as a list, whatever the sequence they began with."""
    return list(value) if isinstance(value, tuple) else value
