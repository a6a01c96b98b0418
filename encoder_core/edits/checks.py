"""What every edit says of a field that does not fit: the edit, the field, the value, and what is allowed."""

from collections.abc import Sequence

LARGEST = 1e6  # of a number that is set: the product of two such numbers, squared, is still finite in float32
TEMPERATURES = (1e-3, 1e3)  # smallest and largest temperature, also of several edits together
FACTORS = (-1e3, 1e3)  # smallest and largest factor on a head or a residual, also of several edits together


def require_index(edit: object, name: str, size: int) -> None:
    """The field is a whole number from 0 to size - 1."""
    index = getattr(edit, name)
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < size:
        raise ValueError(f"{edit!r}: {name}={index!r} is not one of 0 to {size - 1}.")


def require_number(edit: object, name: str, low: float, high: float) -> None:
    """The field is a number from `low` to `high`."""
    value = getattr(edit, name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and low <= value <= high):
        raise ValueError(f"{edit!r}: {name}={value!r} must be a number from {low:g} to {high:g}.")


def require_cell_value(edit: object) -> None:
    """The field `value` is a number that may stand in a cell."""
    require_number(edit, "value", -LARGEST, LARGEST)


def require_choice(edit: object, name: str, choices: Sequence[str]) -> None:
    """The field is one of the names."""
    value = getattr(edit, name)
    if value not in choices:
        raise ValueError(f"{edit!r}: {name}={value!r} is not one of {', '.join(map(repr, choices))}.")
