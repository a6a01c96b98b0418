"""One choice of the user: its name in the URL, its default, and how a link's text becomes its value and back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

Value = TypeVar("Value")

MOST_QUOTED = 20  # characters of a link's value that a message repeats
_MOST_LISTED = 12  # options that a message lists
_LONGEST_NUMBER = 9  # digits


@dataclass(frozen=True)
class Parameter(Generic[Value]):
    """A choice that a link can carry.

    name     in the URL
    default  the value that the URL leaves out; None stands for "the page chooses"
    read     text of a link -> value; raises ValueError whose message says what is allowed
    write    value -> text for the URL
    scope    "session": kept across pages; "page": back to its default when the user opens another page
    steps    True: a change by the user is a step of its own for the browser's Back button
    apart    (page, name): on this page the URL has the parameter even at its default where it has the other one, which
             links to this page once had in its place
    """

    name: str
    default: Value
    read: Callable[[str], Value]
    write: Callable[[Value], str] = str
    scope: Literal["session", "page"] = "session"
    steps: bool = False
    apart: tuple[str, str] | None = None


PARAMETERS: dict[str, Parameter[Any]] = {}  # every parameter of the app by name, in the order in which the URL has them


def declare(parameter: Parameter[Value]) -> Parameter[Value]:
    """Register a parameter. Raises ValueError where the name is taken: a URL has one meaning."""
    if parameter.name in PARAMETERS:
        raise ValueError(f"parameter {parameter.name!r} is declared twice.")
    PARAMETERS[parameter.name] = parameter
    return parameter


def option(name: str, options: Sequence[Any], default: Any, **more: Any) -> Parameter[Any]:
    """A choice among fixed options: texts, whole numbers, or True and False."""
    return declare(Parameter(name, default, lambda text: read_option(text, options), write_option, **more))


def flag(name: str, **more: Any) -> Parameter[bool]:
    """A switch that is off by default."""
    return option(name, (True, False), False, **more)


def number(name: str, low: int, high: int | None = None, default: int | None = None, **more: Any) -> Parameter[Any]:
    """A whole number from `low` to `high`, or a default that the page chooses. Without a `high`, the page knows it."""

    def read(given: str) -> int:
        value = _whole_number(given)
        if value is None or not low <= value <= (value if high is None else high):
            raise ValueError(f"allowed are whole numbers from {low}" + ("" if high is None else f" to {high}"))
        return value

    return declare(Parameter(name, default, read, **more))


def text(name: str, default: str | None = None, longest: int = 200, **more: Any) -> Parameter[Any]:
    """A text of at most `longest` characters; the page checks what it means (see `Session.among`)."""
    return declare(Parameter(name, default, lambda given: _short_enough(given, longest), **more))


def numbers(name: str, default: tuple[int, ...] | None, most: int, **more: Any) -> Parameter[Any]:
    """Several whole numbers from 0, at most `most`, written with dots between them."""

    def read(given: str) -> tuple[int, ...]:
        if not given:
            return ()
        parts = [_whole_number(part) for part in given.split(".")]
        if len(parts) > most or None in parts:
            raise ValueError(f"allowed are up to {most} whole numbers with dots between them")
        return tuple(part for part in parts if part is not None)

    return declare(Parameter(name, default, read, lambda value: ".".join(map(str, value)), **more))


def read_option(given: str, options: Sequence[Any]) -> Any:
    """The option that a link's text stands for. Raises ValueError that says which are allowed."""
    like = options[0]
    value: Any = given
    if isinstance(like, bool):
        value = {"true": True, "false": False}.get(given.lower())
    elif isinstance(like, int):
        value = _whole_number(given)
    elif isinstance(like, float):
        value = next((choice for choice in options if write_option(choice) == given), None)
    if value is None or value not in options:
        raise ValueError(allowed(options))
    return value


def write_option(value: Any) -> str:
    """An option as a link and a message write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def allowed(options: Sequence[Any]) -> str:
    """The part of a message that lists the allowed values."""
    if isinstance(options, range):
        step = f" in steps of {options.step}" if options.step > 1 else ""
        return f"allowed are {options[0]} to {options[-1]}{step}"
    names = [write_option(choice) for choice in options]
    if len(names) > _MOST_LISTED:
        names = [*names[:2], "…", *names[-2:]]
    return "allowed are " + ", ".join(names)


def _whole_number(given: str) -> int | None:
    """The number that the digits stand for, written as Python would write it; else None."""
    is_number = len(given) < _LONGEST_NUMBER and given.isascii() and given.isdecimal() and str(int(given)) == given
    return int(given) if is_number else None


def _short_enough(given: str, longest: int) -> str:
    if len(given) > longest:
        raise ValueError(f"allowed are at most {longest} characters")
    return given
