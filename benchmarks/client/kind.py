"""What all kinds of widgets have in common: how a value is found in an element, kept as a state, and chosen.

A value is kept as the frontend keeps it: bool, int, float or str, None for an empty widget, or a tuple of those.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

Value = Any  # bool | int | float | str | None | tuple of these


def optional(element: Any, name: str) -> Any:
    """A field that may be missing, else None."""
    return getattr(element, name) if element.HasField(name) else None


@dataclass(frozen=True)
class Kind:
    """Checkbox and toggle; the base of the others."""

    field: str = "bool_value"

    def state_field(self, element: Any) -> str:
        """The field of WidgetState that carries the value."""
        return self.field

    def options(self, element: Any) -> tuple[str, ...]:
        """What can be chosen, as it is shown."""
        return ()

    def default(self, element: Any) -> Value:
        """The value when the widget appears."""
        return element.default

    def current(self, element: Any) -> Value:
        """The value that an element with `set_value` brings."""
        return element.value

    def stored(self, element: Any, state: WidgetState) -> Value:
        """The value in a widget state; None if there is none of this kind."""
        field = self.state_field(element)
        if state.WhichOneof("value") != field:
            return None
        value = getattr(state, field)
        return tuple(value.data) if field.endswith("array_value") else value

    def accept(self, element: Any, value: Any) -> Value:
        """The value after a person has chosen this one. Raises ValueError for what the browser does not allow."""
        if not isinstance(value, bool):
            raise ValueError(f"{value!r} is not True or False")
        return value

    def public(self, element: Any, value: Value) -> Any:
        """The value in the form in which `accept` takes it."""
        return value

    def clearable(self, element: Any) -> bool:
        """Whether an empty value has its place in the URL."""
        return False

    def url_default(self, element: Any) -> Value:
        """The value that the URL leaves out."""
        return self.default(element)


def as_options(chosen: Sequence[Any], options: Sequence[str]) -> tuple[str, ...]:
    """The options with these texts; numbers are looked up as their text. Raises ValueError for what is no option."""
    texts = tuple(str(value) for value in chosen)
    for text in texts:
        if text not in options:
            raise ValueError(f"{text!r} is none of {list(options)}")
    return texts


def write(state: WidgetState, field: str, value: Value) -> None:
    """Put a value into a fresh widget state; an empty one leaves it without a value."""
    if value is None:
        return
    if field.endswith("array_value"):
        getattr(state, field).SetInParent()
        getattr(state, field).data.extend(value)
    else:
        setattr(state, field, value)
