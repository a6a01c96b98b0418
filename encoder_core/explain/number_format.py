"""How a number is written on screen, and calculations whose displayed numbers agree with each other.

`dashboard/components/numbers.js` holds the rule of `format_number` for the browser; a test compares both.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

import numpy as np

Number = int | float | np.integer | np.floating

LARGEST_PLAIN = 1_000_000  # beyond it, and below SMALLEST_PLAIN, a number is written with an exponent
SMALLEST_PLAIN = Decimal("0.0001")
_EXTRA_DIGITS = 4  # digits that the operands of a calculation may have more than its result


def format_number(value: Number, digits: int = 4) -> str:
    """At most `digits` significant digits, without trailing zeros: "0.3333", "1,230", "−2.5e−6", "∞", "NaN".

    Integers up to a million are exact. Halves round away from zero, in the shortest decimal form of the number, as in
    `Intl.NumberFormat`. Raises ValueError if `digits` is below 1.
    """
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"
    rounded = _rounded(value, digits).normalize()
    if not rounded:
        return "0"
    if SMALLEST_PLAIN <= abs(rounded) <= LARGEST_PLAIN:
        return _true_minus(f"{rounded:,f}")
    return _true_minus(f"{rounded:e}".replace("e+", "e"))


def format_fixed(value: Number, decimals: int = 3) -> str:
    """A fixed number of decimals, for columns of numbers whose decimal points stand below each other."""
    if not math.isfinite(value) or abs(float(value)) >= LARGEST_PLAIN:
        return format_number(value, decimals + 1)
    text = f"{float(value):,.{decimals}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else _true_minus(text)


def in_brackets(number: str) -> str:
    """A negative number that follows an operator stands in brackets."""
    return f"({number})" if number.startswith("−") else number


class Calculation(NamedTuple):
    """A calculation as it is displayed.

    operands  in order, each with at most `digits` significant digits
    relation  "=" where the displayed operands give the displayed result to its last digit, else "≈"
    """

    operands: tuple[str, ...]
    relation: str
    result: str
    digits: int


def format_calculation(
    operands: Sequence[Number], result: Number, combine: Callable[..., float] | None = None, digits: int = 3
) -> Calculation:
    """Operands with as many digits as it takes for the calculation to hold as it is displayed.

    combine  makes the result of the operands; None multiplies them
    digits   significant digits of the result; the operands have as many, or up to 4 more
    """
    calculate = combine or _product
    displayed = _displayed(result, digits)
    place = _rounded(result, digits).adjusted() + 1 - digits if math.isfinite(result) else 0  # of the last digit
    for of_operands in range(digits, digits + _EXTRA_DIGITS + 1):
        error = _error(calculate, [_displayed(operand, of_operands) for operand in operands], displayed)
        if error <= 0.5 * 10.0**place:
            is_plain = abs(displayed) <= LARGEST_PLAIN  # as in "1,190", whose last digit is read as one of units
            relation = "=" if error <= 0.5 * 10.0 ** (min(place, 0) if is_plain else place) else "≈"
            break
    else:
        relation, of_operands = "≈", digits
    texts = tuple(format_number(operand, of_operands) for operand in operands)
    return Calculation(texts, relation, format_number(result, digits), of_operands)


def _error(calculate: Callable[..., float], operands: Sequence[float], result: float) -> float:
    """How far the result is from what these operands give; NaN where they give nothing."""
    try:
        found = float(calculate(*operands))
    except (ArithmeticError, ValueError):  # such as a divisor that is displayed as 0
        return math.nan
    return 0.0 if found == result else abs(found - result)


def _product(*factors: float) -> float:
    return math.prod(factors)


def _displayed(value: Number, digits: int) -> float:
    return float(_rounded(value, digits)) if math.isfinite(value) else float(value)


def _rounded(value: Number, digits: int) -> Decimal:
    if digits < 1:
        raise ValueError(f"digits={digits} must be at least 1.")
    exact = Decimal(repr(float(value)))
    return exact if _is_exact(value) else Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(exact)


def _is_exact(value: Number) -> bool:
    """Is it an integer of which every digit is displayed?"""
    number = float(value)
    return number.is_integer() and abs(number) <= LARGEST_PLAIN


def _true_minus(text: str) -> str:
    return text.replace("-", "−")
