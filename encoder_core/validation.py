"""Checks of arguments. Every error message names the argument, its value and the allowed values."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def invalid_value(name: str, value: object, allowed: str) -> ValueError:
    """The error for a value that is not allowed, such as "d_model=0 is invalid: allowed are whole numbers from 1."."""
    return ValueError(f"{name}={value!r} is invalid: allowed are {allowed}.")


def require_integer(name: str, value: Any, low: int) -> int:
    """The value as a Python integer. Raises ValueError unless it is a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < low:
        raise invalid_value(name, value, f"whole numbers from {low}")
    return int(value)


def require_index(name: str, value: Any, size: int) -> None:
    """Raises ValueError unless the value is a whole number from 0 to size - 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < size:
        raise invalid_value(name, value, f"0 to {size - 1}")


def require_number(name: str, value: Any, low: int | float, high: int | float, *, below_high: bool = False) -> float:
    """The value as a Python float. Raises ValueError unless it is a number from `low` to `high`, of Python or NumPy;
    with `below_high`, `high` is excluded."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and low <= value <= high) or (below_high and value == high):
        raise invalid_value(name, value, f"numbers from {low:g} to {'below ' if below_high else ''}{high:g}")
    return float(value)


def require_array(name: str, value: Any, allowed: str) -> np.ndarray:
    """The value as an array. Raises ValueError where its rows have different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: rows of different lengths are invalid: allowed are {allowed}.") from None


def require_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raises ValueError unless the value is one of `choices`, and of the same type."""
    allowed = tuple(choices)
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        raise invalid_value(name, value, ", ".join(map(repr, allowed)))
