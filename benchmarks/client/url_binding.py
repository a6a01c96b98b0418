"""Widgets with `bind="query-params"`: what the frontend writes into the URL when one of them changes."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from benchmarks.client.kind import Value
from benchmarks.client.location import Location, parse_query, search_params, stringify_query


@dataclass(frozen=True)
class Binding:
    """One widget's parameter."""

    key: str
    default: Value
    clearable: bool


class Bindings:
    """The widgets that are mounted and have a parameter."""

    def __init__(self) -> None:
        self._by_widget: dict[str, Binding] = {}
        self._widget_of: dict[str, str] = {}

    def register(self, widget: str, binding: Binding) -> None:
        """The widget is mounted, or its binding has changed."""
        other = self._widget_of.get(binding.key)
        if other is not None and other != widget:
            self._by_widget.pop(other, None)
        self._by_widget[widget] = binding
        self._widget_of[binding.key] = widget

    def unregister(self, widget: str) -> None:
        """The widget is gone."""
        binding = self._by_widget.pop(widget, None)
        if binding is not None:
            self._widget_of.pop(binding.key, None)

    def sync(self, widget: str, value: Value, location: Location) -> str | None:
        """Write the value that a person has chosen; returns the new query if the URL has changed."""
        binding = self._by_widget.get(widget)
        if binding is None:
            return None
        parameters: dict[str, Any] = dict(parse_query(location.search))
        parameters[binding.key] = _url_value(binding, value)
        query = stringify_query(parameters)
        if query == location.query:
            return None
        location.replace(location.path + (f"?{query}" if query else ""))
        return search_params(location.search)

    def keep_for_page_change(self, location: Location) -> str:
        """The part of the query that belongs to bound widgets: it goes on to the next page."""
        if not self._widget_of:
            return ""
        parameters = parse_query(search_params(location.search))
        return stringify_query({key: parameters[key] for key in self._widget_of if key in parameters})


def _url_value(binding: Binding, value: Value) -> str | list[str] | None:
    """The parameter for a value; None leaves it out."""
    empty = value is None or value in ("", ())
    if isinstance(value, tuple):
        texts = [_text(one) for one in value if one != ""]
        empty = not texts
        if (empty and not binding.clearable) or _is_default_array(texts, binding.default):
            return None
        return texts or ""
    text = ("" if binding.clearable else None) if value is None else _text(value)
    if (empty and not binding.clearable) or text is None or _is_default(text, binding.default):
        return None
    return text


def _is_default(text: str, default: Value) -> bool:
    if default is None:
        return text == ""
    if isinstance(default, tuple):
        return text == "" and not default
    return text == _text(default)


def _is_default_array(texts: list[str], default: Value) -> bool:
    if not isinstance(default, tuple):
        return default is not None and texts == [_text(default)]
    return texts == [_text(one) for one in default]


def _text(value: Any) -> str:
    """`String(value)` of JavaScript."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(value)
    return str(value)


def _number_text(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity", 0.0: "0"}.get(value, "NaN")
    digits = Decimal(repr(value)).normalize()
    if 1e-6 <= abs(value) < 1e21:
        return f"{digits:f}"
    mantissa, exponent = f"{digits:e}".split("e")
    return f"{mantissa}e{int(exponent):+d}"
