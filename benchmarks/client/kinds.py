"""The kinds of widgets that the client knows, by the name of their proto field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.client.kind import Kind, Value, as_options, optional


class _Number(Kind):
    def state_field(self, element: NumberInput) -> str:
        return "int_value" if element.data_type == NumberInput.INT else "double_value"

    def default(self, element: NumberInput) -> Value:
        return self._typed(element, optional(element, "default"))

    def current(self, element: NumberInput) -> Value:
        value = optional(element, "value")
        return self.default(element) if value is None else self._typed(element, value)

    def accept(self, element: NumberInput, value: Any) -> Value:
        value = self.default(element) if value is None else self._typed(element, value)
        if value is None:
            if element.required:
                raise ValueError("this number is required")
        elif not element.min <= value <= element.max:
            raise ValueError(f"{value} is not in {element.min} to {element.max}")
        return value

    def clearable(self, element: NumberInput) -> bool:
        return self.default(element) is None

    @staticmethod
    def _typed(element: NumberInput, value: float | None) -> Value:
        if value is None:
            return None
        if element.data_type == NumberInput.INT and value != int(value):
            raise ValueError(f"{value} is not a whole number")
        return int(value) if element.data_type == NumberInput.INT else float(value)


class _Slider(Kind):
    """Slider and select slider. The frontend keeps the indices of a select slider, the message has its strings."""

    def state_field(self, element: Slider) -> str:
        return "string_array_value" if self._selects(element) else "double_array_value"

    def options(self, element: Slider) -> tuple[str, ...]:
        return tuple(element.options)

    def default(self, element: Slider) -> Value:
        return self._strings(element, element.default) if self._selects(element) else tuple(element.default)

    def current(self, element: Slider) -> Value:
        if not self._selects(element):
            return tuple(element.value)
        return self._known(element, tuple(element.raw_value)) if element.raw_value else self.default(element)

    def stored(self, element: Slider, state: WidgetState) -> Value:
        value = super().stored(element, state)
        return self._known(element, value) if value is not None and self._selects(element) else value

    def accept(self, element: Slider, value: Any) -> Value:
        chosen = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if len(chosen) != len(element.default):
            raise ValueError(f"{value!r} has not {len(element.default)} values")
        if self._selects(element):
            return as_options(chosen, element.options)
        if not all(element.min <= number <= element.max for number in chosen):
            raise ValueError(f"{value} is not in {element.min} to {element.max}")
        return tuple(float(number) for number in chosen)

    def public(self, element: Slider, value: Value) -> Any:
        return value[0] if len(value) == 1 else value

    @staticmethod
    def _selects(element: Slider) -> bool:
        return element.type == Slider.SELECT_SLIDER

    @staticmethod
    def _strings(element: Slider, indices: Sequence[float]) -> Value:
        return tuple(element.options[int(i)] if i < len(element.options) else "" for i in indices)

    def _known(self, element: Slider, chosen: tuple[str, ...]) -> Value:
        default = self.default(element)
        options = list(element.options)
        first = options[0] if options else ""
        return tuple(
            text if text in options else default[i] if i < len(default) else first for i, text in enumerate(chosen)
        )


@dataclass(frozen=True)
class _Choice(Kind):
    """Selectbox and radio."""

    field: str = "string_value"

    def options(self, element: Any) -> tuple[str, ...]:
        return tuple(element.options)

    def default(self, element: Any) -> Value:
        index = optional(element, "default")
        return element.options[index] if element.options and index is not None else None

    def current(self, element: Any) -> Value:
        return optional(element, "raw_value")

    def accept(self, element: Any, value: Any) -> Value:
        if value is None:
            if not self.clearable(element) or not hasattr(element, "required") or element.required:
                raise ValueError("this choice cannot be cleared")
            return None
        new_allowed = hasattr(element, "accept_new_options") and element.accept_new_options
        return str(value) if new_allowed else as_options([value], element.options)[0]

    def clearable(self, element: Any) -> bool:
        return not element.HasField("default")


@dataclass(frozen=True)
class _Choices(Kind):
    """Multiselect; the base of pills and segmented control."""

    field: str = "string_array_value"

    def options(self, element: Any) -> tuple[str, ...]:
        return tuple(element.options)

    def default(self, element: Any) -> Value:
        options = self.options(element)
        return tuple(options[i] for i in element.default if i < len(options))

    def current(self, element: Any) -> Value:
        return tuple(element.raw_values)

    def accept(self, element: Any, value: Any) -> Value:
        chosen = tuple(value) if element.accept_new_options else as_options(value, element.options)
        if element.max_selections and len(chosen) > element.max_selections:
            raise ValueError(f"more than {element.max_selections} options")
        return chosen

    def clearable(self, element: Any) -> bool:
        return True


class _Buttons(_Choices):
    """Pills and segmented control: an option is shown, and sent, with its icon."""

    def options(self, element: ButtonGroup) -> tuple[str, ...]:
        return tuple(
            f"{x.content_icon} {x.content}".strip() if x.HasField("content_icon") else x.content
            for x in element.options
        )

    def accept(self, element: ButtonGroup, value: Any) -> Value:
        single = element.click_mode == ButtonGroup.SINGLE_SELECT
        chosen = (() if value is None else (value,)) if single else tuple(value)
        if element.required and single and not chosen:
            raise ValueError("this choice is required")
        return as_options(chosen, self.options(element))

    def public(self, element: ButtonGroup, value: Value) -> Any:
        if element.click_mode == ButtonGroup.MULTI_SELECT:
            return value
        return value[0] if value else None


@dataclass(frozen=True)
class _Text(Kind):
    """Text input and text area; a text counts when it is committed (Enter, Ctrl+Enter or leaving the field)."""

    field: str = "string_value"

    def default(self, element: Any) -> Value:
        return optional(element, "default")

    def current(self, element: Any) -> Value:
        return optional(element, "value")

    def accept(self, element: Any, value: Any) -> Value:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is no text")
        if element.max_chars and len(value) > element.max_chars:
            raise ValueError(f"more than {element.max_chars} characters")
        return value

    def clearable(self, element: Any) -> bool:
        return True


KINDS: dict[str, Kind] = {
    "checkbox": Kind(),
    "number_input": _Number(),
    "slider": _Slider(),
    "selectbox": _Choice(),
    "radio": _Choice(),
    "multiselect": _Choices(),
    "button_group": _Buttons(),
    "text_input": _Text(),
    "text_area": _Text(),
}
