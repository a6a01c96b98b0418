"""Checks of arguments. Every error message names the argument, its value and the allowed values."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from types import UnionType
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Shaped

_MAX_SHOWN = 100  # characters of a value in an error message
_LARGEST_WEIGHT = 1e300


class IndexTooLarge(ValueError):
    """The error for an index that is too large: the name of the index, and how many there are."""

    name: str
    size: int


def invalid_value(name: str, value: object, allowed: str) -> ValueError:
    """The error for a value that is not allowed, such as "d_model=0 is invalid: allowed are whole numbers from 1."."""
    return ValueError(f"{name}={short_repr(value)} is invalid: allowed are {allowed}.")


def invalid_item(name: str, index: int, item: object, allowed: str) -> ValueError:
    """The error for an item of a list, such as "words[1]=3 is invalid: allowed for words are lists of strings."."""
    return ValueError(f"{name}[{index}]={short_repr(item)} is invalid: allowed for {name} are {allowed}.")


def require_type(name: str, value: object, types: type | UnionType, allowed: str) -> None:
    """Raises ValueError unless the value is of one of the types; `allowed` names them, in the plural."""
    if not isinstance(value, types):
        raise invalid_value(name, value, allowed)


def require_items(name: str, values: Any, types: type | UnionType, allowed: str, *, least: int = 0) -> list[Any]:
    """The values of any iterable but a text, a mapping or an array, as a list. Raises ValueError unless all of them are
    of this type, and at least `least`. A text is refused because it would count as a list of its letters."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping | np.ndarray):
        raise invalid_value(name, values, allowed)
    items = list(values)
    for index, item in enumerate(items):
        if not isinstance(item, types):
            raise invalid_item(name, index, item, allowed)
    if len(items) < least:
        raise invalid_value(name, items, f"{allowed}, with at least {least}")
    return items


def require_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as a Python integer. Raises ValueError unless it is a whole number of at least `low` and, where `high`
    is given, at most `high`."""
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_integer or int(value) < low or (high is not None and int(value) > high):
        raise invalid_value(name, value, f"whole numbers from {low}" + ("" if high is None else f" to {high}"))
    return int(value)


def require_index(name: str, value: Any, size: int) -> int:
    """The value as a Python integer. Raises ValueError unless it is a whole number from 0 to size - 1, IndexTooLarge
    for a larger one."""
    if type(value) is int and 0 <= value < size:  # the usual case: `isinstance` with an abstract class takes longer
        return value
    is_integer = isinstance(value, Integral) and not isinstance(value, bool)
    if is_integer and 0 <= int(value) < size:
        return int(value)
    error = invalid_value(name, value, f"0 to {size - 1}")
    if is_integer and int(value) >= size:
        too_large = IndexTooLarge(*error.args)
        too_large.name, too_large.size = name, size
        raise too_large
    raise error


def require_indices(name: str, values: Any, size: int, allowed: str) -> list[int]:
    """The values of any iterable, as a list of Python integers. Raises ValueError unless all of them are whole numbers
    from 0 to size - 1; `allowed` names them, in the plural."""
    items = require_items(name, values, Integral, allowed)
    return [require_index(f"{name}[{index}]", item, size) for index, item in enumerate(items)]


def require_number(name: str, value: Any, low: int | float, high: int | float, *, below_high: bool = False) -> float:
    """The value as a Python float. Raises ValueError unless it is a number from `low` to `high`, of Python or NumPy;
    with `below_high`, `high` is excluded."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and low <= value <= high) or (below_high and value == high):
        raise invalid_value(name, value, f"numbers from {low:g} to {'below ' if below_high else ''}{high:g}")
    return float(value)


def require_two(name: str, value: Any, allowed: str) -> None:
    """Raises ValueError unless the value is a tuple or list of two items; `allowed` names them, in the plural."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise invalid_value(name, value, allowed)


def require_pair(name: str, value: Any) -> None:
    """Raises ValueError unless the value is a tuple or list of two numbers, of Python or NumPy."""
    allowed = "pairs of numbers, such as (0, 1)"
    require_two(name, value, allowed)
    if not all(isinstance(number, Real) and not isinstance(number, bool) for number in value):
        raise invalid_value(name, value, allowed)


def require_array(name: str, value: Any, allowed: str) -> np.ndarray:
    """The value as an array. Raises ValueError where its rows have different lengths, or it is no array at all."""
    if hasattr(value, "_fields"):  # NumPy would take a named tuple, such as a trace, for a list of rows
        raise ValueError(f"{name}: a value of type {type(value).__name__} is invalid: allowed are {allowed}.")
    try:
        return _read_array(value)
    except (RuntimeError, TypeError) as error:  # of a tensor of torch that has a gradient, or is sparse
        raise ValueError(f"{name} cannot be read as an array: {error}") from None
    except ValueError:
        raise ValueError(f"{name}: rows of different lengths are invalid: allowed are {allowed}.") from None


def _read_array(value: Any) -> np.ndarray:
    """The value as an array. Types that NumPy does not have, such as bfloat16 of JAX or torch, become float32."""
    try:
        array = np.asarray(value)
    except TypeError as error:
        try:
            array = np.asarray(jnp.from_dlpack(value))
        except (BufferError, RuntimeError, TypeError, ValueError):
            raise error from None
    is_small_float = array.dtype.kind == "V" and jnp.issubdtype(array.dtype, np.floating)
    return array.astype(np.float32) if is_small_float else array


def require_numbers(name: str, value: Any, axes: str) -> Shaped[np.ndarray, "..."]:
    """The value as an array of numbers or booleans, which need not be finite.

    axes  the names of its axes, as in jaxtyping: "*lead row column", where "*lead" stands for any number of axes

    Raises ValueError for other values, for other numbers of axes, and where one of the named axes is empty.
    """
    names = axes.split()
    named = [axis for axis in names if not axis.startswith("*")]
    allowed = f"numbers of shape ({', '.join(names)})"
    array = require_array(name, value, allowed)
    if array.dtype.kind not in "biuf":
        raise invalid_value(name, value, allowed)
    if array.ndim < len(named) or (len(named) == len(names) and array.ndim > len(named)):
        raise ValueError(f"{name}: shape={array.shape} is invalid: allowed are {allowed}.")
    if 0 in array.shape[array.ndim - len(named) :]:
        raise ValueError(f"{name}: shape={array.shape} is invalid: allowed are {allowed}, none of them 0.")
    return array


def require_finite(name: str, array: Shaped[np.ndarray, "..."]) -> None:
    """Raises ValueError where a number is NaN or infinite."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: values that are not finite are invalid: allowed are finite numbers.")


def require_weights(name: str, array: Shaped[np.ndarray, "..."]) -> None:
    """Raises ValueError where a number is NaN, infinite, below 0 or so large that a sum of its logarithms overflows."""
    require_finite(name, array)
    for extreme in (float(array.min(initial=0)), float(array.max(initial=0))):
        if not 0 <= extreme <= _LARGEST_WEIGHT:
            allowed = f"weights from 0 to {_LARGEST_WEIGHT:g}"
            raise ValueError(f"{name}: a weight of {extreme:g} is invalid: allowed are {allowed}.")


def require_square(name: str, array: Shaped[np.ndarray, "..."]) -> None:
    """Raises ValueError unless the last two axes have one size."""
    if array.shape[-1] != array.shape[-2]:
        raise ValueError(f"{name}: shape={array.shape} is invalid: allowed are square matrices.")


def require_mask(name: str, value: Any, shape: tuple[int, ...], *, optional: bool = False) -> None:
    """Raises ValueError unless the value is a boolean array of this shape or, where it is `optional`, None."""
    if value is None and optional:
        return
    if not isinstance(value, np.ndarray) or value.dtype.kind != "b" or value.shape != shape:
        raise invalid_value(name, value, f"{'None and ' * optional}boolean arrays of shape {shape}")


def require_choice(name: str, value: Any, choices: Iterable[object]) -> Any:
    """The value as one of Python. Raises ValueError unless it is one of `choices`, and of the same type; a text, flag
    or number of NumPy counts as one of Python."""
    allowed, chosen = tuple(choices), python_value(value)
    if not any(type(chosen) is type(choice) and chosen == choice for choice in allowed):
        raise invalid_value(name, value, ", ".join(map(repr, allowed)))
    return chosen


def python_value(value: Any) -> Any:
    """A number, flag or text of NumPy as one of Python, whose `repr` has no name of NumPy; other values as they are."""
    return value.item() if isinstance(value, np.generic) else value


def short_repr(value: object) -> str:
    """The value in an error message: on one line, and shortened."""
    text = repr(value)
    text = " ".join(text.split()) if "\n" in text else text  # arrays have several lines
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
