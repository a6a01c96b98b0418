"""Widgets that show a parameter and set it.

The session's value decides what a widget shows. When the value was changed by anything but the widget itself (a click
on a heatmap, Back, a new text), the widget is replaced by a new one under another key. So a message that the browser
sent before it heard of the change can only speak of the old widget, and is never mistaken for a new choice.

Each widget is told its value twice: by the session state, and as the value that it begins with. For until a browser has
read the former, a new widget says the latter in every message, if only for some milliseconds.
"""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dashboard.state.parameter import Parameter, Value
from dashboard.state.session import Shown, session


def widget_key(name: str, value: Any, options: object = None) -> str:
    """The key of the widget that shows `value`, which is in the session state already. A widget whose `options` differ
    from those it had is another widget, too. So is that of another script: for Streamlit, the widgets of two pages are
    two widgets even if their keys are equal, and the second would show its default."""
    shown, script = session().widgets.get(name), session().script
    if shown is None:
        shown = Shown(0, options, script)
    elif (shown.options, shown.script) != (options, script) or st.session_state.get(_key(name, shown), value) != value:
        shown = Shown(shown.generation + 1, options, script)
    session().widgets[name] = shown
    key = _key(name, shown)
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def shows(
    parameter: Parameter[Value],
    value: Any = None,
    options: Sequence[Any] | object = None,
    *,
    begins: str | Sequence[Any] = "value",
    changed: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Keyword arguments for a widget that shows a parameter and sets it.

    value    what it shows, if that is not the parameter's value as it stands
    options  what it offers, where that depends on the model
    begins   the widget's argument for the value it begins with; of a select box its options, for its `index`
    changed  called with the new value in place of setting the parameter
    """
    current = session().get(parameter) if value is None else value
    changed = changed or (lambda chosen: session().set(parameter, chosen))
    return shows_value(parameter.name, current, changed, options, begins=begins)


def shows_value(
    name: str,
    value: Any,
    changed: Callable[[Any], None],
    options: object = None,
    *,
    begins: str | Sequence[Any] = "value",
) -> dict[str, Any]:
    """The same for a widget that shows a part of a parameter, or a number that an edit sets."""
    key = widget_key(name, value, options)
    return {"key": key, "on_change": lambda: changed(st.session_state[key]), **_beginning(begins, value)}


def component_value(key: str, name: str) -> Any:
    """What the JavaScript of a component has said last under this name; None where it has said nothing."""
    return (st.session_state.get(key) or {}).get(name)


def edited_cells(key: str) -> dict[int, dict[str, Any]]:
    """The cells of a table editor that the user has changed: row -> column -> value."""
    return dict(st.session_state[key]["edited_rows"])


def _beginning(begins: str | Sequence[Any], value: Any) -> dict[str, Any]:
    return {begins: value} if isinstance(begins, str) else {"index": begins.index(value)}


def _key(name: str, shown: Shown) -> str:
    return name if shown.generation == 0 else f"{name}.{shown.generation}"
