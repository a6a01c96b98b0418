"""A choice of the user: its name in the URL, its default, and the conversion between URL text and value."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Value = TypeVar("Value")

MAX_QUOTED = 20  # characters of a link's value that a message quotes
_MAX_LISTED = 16  # options in a message
_MAX_DIGITS = 8  # of a number in a link


@dataclass(frozen=True)
class Parameter(Generic[Value]):
    """A choice that a link can contain.

    name                in the URL
    default             the value that the URL omits; None: the page chooses
    parse               text in a link -> value; raises ValueError with the allowed values
    format              value -> text in the URL
    scope               "session": kept across pages; "page": reset to the default when the user opens another page
    adds_history_entry  whether a change by the user is a separate entry for the browser's Back button
    explicit_with       (page, name): on this page, the URL contains the parameter even at its default if it contains
                        the other parameter, which old links to this page contain instead
    """

    name: str
    default: Value
    parse: Callable[[str], Value]
    format: Callable[[Value], str] = str
    scope: Literal["session", "page"] = "session"
    adds_history_entry: bool = False
    explicit_with: tuple[str, str] | None = None


PARAMETERS: dict[str, Parameter[Any]] = {}  # all parameters of the app by name, in the order of the URL


def declare(parameter: Parameter[Value]) -> Parameter[Value]:
    """Register a parameter. Raises ValueError if another one has the same name."""
    if parameter.name in PARAMETERS:
        raise ValueError(f"parameter {parameter.name!r} is declared twice.")
    PARAMETERS[parameter.name] = parameter
    return parameter


def declare_option(name: str, options: Sequence[Any], default: Any, **fields: Any) -> Parameter[Any]:
    """A choice among fixed options: texts, numbers, or True and False."""
    return declare(Parameter(name, default, lambda text: parse_option(text, options), format_option, **fields))


def declare_flag(name: str, **fields: Any) -> Parameter[bool]:
    """A switch that is off by default."""
    return declare_option(name, (True, False), False, **fields)


def declare_number(
    name: str, low: int, high: int | None = None, default: int | None = None, **fields: Any
) -> Parameter[Any]:
    """A whole number from `low` to `high`. Without `high`, the page checks the upper end. The default can be None."""

    def read(text: str) -> int:
        value = parse_whole_number(text)
        if value is None or not low <= value <= (value if high is None else high):
            raise ValueError(f"allowed are whole numbers from {low}" + ("" if high is None else f" to {high}"))
        return value

    return declare(Parameter(name, default, read, **fields))


def declare_text(name: str, default: str | None = None, max_length: int = 200, **fields: Any) -> Parameter[Any]:
    """A text of at most `max_length` characters; the page checks its meaning (see `Session.get_option`)."""
    return declare(Parameter(name, default, lambda text: _check_length(text, max_length), **fields))


def declare_pattern(name: str, pattern: str, allowed: str, **fields: Any) -> Parameter[Any]:
    """A text that matches a regular expression, or None, the default. `allowed` says which texts do."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"allowed are {allowed}")
        return text

    return declare(Parameter(name, None, read, **fields))


def declare_numbers(name: str, default: tuple[int, ...] | None, max_count: int, **fields: Any) -> Parameter[Any]:
    """At most `max_count` whole numbers from 0, separated by dots."""

    def read(text: str) -> tuple[int, ...]:
        if not text:
            return ()
        parts = [parse_whole_number(part) for part in text.split(".")]
        if len(parts) > max_count or any(part is None or part < 0 for part in parts):
            raise ValueError(f"allowed are up to {max_count} whole numbers separated by dots")
        return tuple(part for part in parts if part is not None)

    return declare(Parameter(name, default, read, lambda value: ".".join(map(str, value)), **fields))


def parse_option(text: str, options: Sequence[Any]) -> Any:
    """The option that a text in a link represents. Raises ValueError with the allowed options."""
    first = options[0]
    value: Any = text
    if isinstance(first, bool):
        value = {"true": True, "false": False}.get(text.lower())
    elif isinstance(first, int):
        value = parse_whole_number(text)
    elif isinstance(first, float):
        number = _parse_number(text)
        value = next((option for option in options if math.isclose(option, number, rel_tol=1e-9)), None)
    if value is None or value not in options:
        raise ValueError(describe_allowed(options))
    return value


def format_option(value: Any) -> str:
    """An option as text, in links and messages."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe_allowed(options: Sequence[Any]) -> str:
    """The allowed values, as a part of a message: "allowed are …"."""
    if isinstance(options, range):
        step = f" in steps of {options.step}" if options.step > 1 else ""
        return f"allowed are {options[0]} to {options[-1]}{step}"
    names = [format_option(option) for option in options]
    if len(names) > _MAX_LISTED:
        names = [*names[:2], "…", *names[-2:]]
    return "allowed are " + ", ".join(names)


def _parse_number(text: str) -> float:
    """The number in any notation, such as 0.003, 0.0030 and 3e-3; NaN where the text is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def parse_whole_number(text: str) -> int | None:
    """The number, if the text is its usual decimal notation; else None."""
    digits = text.removeprefix("-")
    is_number = len(digits) <= _MAX_DIGITS and digits.isascii() and digits.isdecimal() and str(int(text)) == text
    return int(text) if is_number else None


def _check_length(text: str, max_length: int) -> str:
    if len(text) > max_length:
        raise ValueError(f"allowed are at most {max_length} characters")
    return text
