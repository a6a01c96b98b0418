"""What the alt text of a figure says about its numbers: their range, the place of the largest, and what is masked."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from encoder_core.figures.axis import Axis
from encoder_core.support.number_format import Number, format_number
from encoder_core.support.wording import format_count, shorten

_ROUNDING = 1e-6  # relative difference of equal numbers in 32-bit floating point


def _three_digits(value: Number) -> str:
    return format_number(value, 3)


def numbers_in_words(
    values: Float[np.ndarray, "row column"],
    place: Callable[[int, int], str],
    masked: int = 0,
    unit: str = "cell",
    write: Callable[[Number], str] = _three_digits,
) -> str:
    """The addition to an alt text: "; values −4.5 to 4.5, largest at query “it”, dimension 3; 40 cells masked".

    values  those that are drawn; NaN where there is none
    place   the name of a row and column
    masked  how many cells are masked
    unit    what a value is called
    write   writes a number
    """
    hidden = f"; {format_count(masked, unit)} masked" if masked else ""
    flat = values.ravel()
    largest = np.fmax.reduce(flat, initial=-np.inf)  # like nanmax, which copies the array
    if not np.isfinite(largest):
        return hidden
    row, column = divmod(int((flat == largest).argmax()), values.shape[1])
    low, high = write(float(np.fmin.reduce(flat))), write(float(largest))
    if low == high:
        return f"; all values {high}{hidden}"
    count = int(np.count_nonzero(flat >= largest - _ROUNDING * abs(largest)))
    first = "" if count == 1 else f"{format_count(count, unit)}, first "
    return f"; values {low} to {high}, largest at {first}{place(row, column)}{hidden}"


def cell_in_words(axes: tuple[Axis, Axis], row: int, column: int) -> str:
    """The name of a cell: "query “it”, dimension 3"."""
    return f"{place_in_words(axes[0], row)}, {place_in_words(axes[1], column)}"


def place_in_words(axis: Axis, index: int) -> str:
    """The name of a row or column: "query “it”", "dimension 3"; "query 3 “it”" where another one has the same name."""
    name = axis.names[index]
    if name.isdecimal():
        return f"{axis.title} {name}".strip()
    number = f"{axis.start + index * axis.size + 1} " if axis.names.count(name) > 1 else ""
    return f"{axis.title} {number}“{shorten(name)}”".strip()
