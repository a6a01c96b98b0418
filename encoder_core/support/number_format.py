"""Format numbers, and calculations whose displayed numbers are consistent with each other.

The JavaScript of `dashboard/components` implements `format_number` for the browser; a test compares both.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import NamedTuple

import numpy as np

from encoder_core.support.validation import invalid_value, require_integer

Number = int | float | np.integer | np.floating

LARGEST_PLAIN = 1_000_000  # larger numbers, and those below SMALLEST_PLAIN, are formatted with an exponent
SMALLEST_PLAIN = Decimal("0.0001")
_TIE = 1e-9  # relative difference from half a unit of what is a half, but for the rounding of floats
_EXTRA_DIGITS = 4  # additional digits of the operands of a calculation


def format_number(value: Number, digits: int = 4) -> str:
    """At most `digits` significant digits, without trailing zeros: "0.3333", "1,230", "−2.5e−6", "∞", "NaN".

    Integers up to a million are exact. The shortest decimal form of the number is rounded, halves away from zero, as
    in `Intl.NumberFormat`. Raises ValueError where `digits` is below 1,
    and for what is no number.
    """
    if not _is_finite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"
    rounded = _rounded(value, digits).normalize()
    if not rounded:
        return "0"
    if SMALLEST_PLAIN <= abs(rounded) <= LARGEST_PLAIN:
        return _true_minus(f"{rounded:,f}")
    return _true_minus(f"{rounded:e}".replace("e+", "e"))


def latex_number(formatted: str) -> str:
    r"""A formatted number in LaTeX: "1{,}230", "{-2.5 \cdot 10^{-6}}". As "-2.5e-6", KaTeX shows it as e minus 6."""
    mantissa, _, exponent = formatted.replace("−", "-").replace(",", "{,}").partition("e")
    return rf"{{{mantissa} \cdot 10^{{{int(exponent)}}}}}" if exponent else mantissa  # in braces: no line break inside


def latex_sequence(terms: Sequence[str], separator: str = ", ") -> str:
    r"""The terms in LaTeX, with dots for those between the first and the last: "1", "1, 2", "1, \dots, 4"."""
    first_and_last = list(terms) if len(terms) < 3 else [terms[0], r"\dots", terms[-1]]
    return separator.join(first_and_last)


def latex_with_shape(symbol: str, sizes: Sequence[int], *, above: bool = False) -> str:
    """A symbol with a brace below it, or above it, and the sizes of its axes there."""
    shape = r"\times".join(map(str, sizes))
    return rf"\overbrace{{{symbol}}}^{{{shape}}}" if above else rf"\underbrace{{{symbol}}}_{{{shape}}}"


def latex_range(first: int, last: int) -> str:
    r"""The whole numbers from the first to the last in LaTeX: "1, \dots, 4"; "1" if they are the same."""
    return latex_sequence([str(number) for number in range(first, last + 1)])


def format_fixed(value: Number, decimals: int = 3) -> str:
    """The number with a fixed number of decimals, for columns with aligned decimal points.

    Halves are rounded as in `format_number`: away from zero. Raises ValueError for what is no number, and unless
    `decimals` is a whole number from 0.
    """
    decimals = require_integer("decimals", decimals, 0)
    if not _is_finite(value) or abs(float(value)) >= LARGEST_PLAIN:
        return format_number(value, decimals + 1)
    return _true_minus(f"{_with_decimals(_decimal(value), decimals):,f}")


def fixed_difference(value: Number, other: Number, decimals: int) -> float:
    """The difference of two numbers as `format_fixed` shows them, for a text that shows all three."""
    if not (_is_finite(value) and _is_finite(other)):
        return float(value) - float(other)
    return float(_with_decimals(_decimal(value), decimals) - _with_decimals(_decimal(other), decimals))


def format_weight(weight: Number, decimals: int = 2) -> str:
    """An attention weight in a sentence, with a fixed number of decimals: "0.80"; "less than 0.01" where a positive
    one would be read as 0."""
    text = format_fixed(weight, decimals)
    return f"less than {10.0**-decimals:.{decimals}f}" if weight > 0 and text == format_fixed(0, decimals) else text


def format_probability(probability: Number, digits: int = 2) -> str:
    """A probability of a softmax over several numbers: "0.83", "about 1". None of them is exactly 0 or 1, although
    floats can be."""
    text = format_number(probability, digits)
    return f"about {text}" if text in ("0", "1") else text


def format_percent(share: Number, decimals: int = 0) -> str:
    """A share in percent; "less than 1%" and "more than 99%" where 0% and 100% would be rounded numbers.

    Halves are rounded away from zero. Raises ValueError for what is no number, and unless `decimals` is a whole number
    from 0.
    """
    decimals = require_integer("decimals", decimals, 0)
    if not _is_finite(share):
        return f"{format_number(share)}%"
    exact, unit = _decimal(share).scaleb(2), Decimal(1).scaleb(-decimals)
    text, nothing, least, most, whole = (
        f"{_true_minus(f'{_with_decimals(x, decimals):f}')}%"
        for x in (exact, Decimal(0), unit, 100 - unit, Decimal(100))
    )
    if share in (0, 1):
        return text
    return {nothing: f"less than {least}", whole: f"more than {most}"}.get(text, text)


def with_unit_prefix(count: int, unit: str = "") -> str:
    """1234567 -> "1.23 M", or "1.23 MB": three significant digits, and a prefix with the unit, if there is one."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 0.9995 * size:  # 999,999 is 1 M, not 1,000 k
            return f"{format_number(count / size, 3)} {prefix}{unit}"
    return f"{count} {unit}".rstrip()


def in_brackets(number: str) -> str:
    """The formatted number, in brackets where it is negative; for numbers after an operator."""
    return f"({number})" if number.startswith("−") else number


class Calculation(NamedTuple):
    """A formatted calculation.

    operands  in order, each with at most `digits` significant digits
    relation  "=" where the result of the displayed operands rounds to the displayed result, else "≈"
    """

    operands: tuple[str, ...]
    relation: str
    result: str
    digits: int


def format_calculation(
    operands: Sequence[Number], result: Number, combine: Callable[..., float] | None = None, digits: int = 3
) -> Calculation:
    """The calculation with as few digits of the operands as possible such that the displayed result is right.

    combine  computes the result from the operands; None multiplies them
    digits   significant digits of the result; the operands have as many, or up to 4 more
    """
    calculate = combine or _product
    result = float(f"{result:.15g}")  # without the rounding of floats: 1.5 · 0.155 is 0.2325
    displayed = _displayed(result, digits)
    place = (
        _rounded(result, digits).adjusted() + 1 - digits if math.isfinite(result) else 0
    )  # exponent of the last digit
    for operand_digits in range(digits, digits + _EXTRA_DIGITS + 1):
        calculated = _calculated(calculate, [_displayed(operand, operand_digits) for operand in operands])
        if _rounds_to(displayed, calculated, place):
            is_plain = abs(displayed) <= LARGEST_PLAIN  # such as "1,190", where readers take the last zero for a digit
            relation = "=" if _rounds_to(displayed, calculated, min(place, 0) if is_plain else place) else "≈"
            break
    else:
        relation, operand_digits = "≈", digits
    texts = tuple(format_number(operand, operand_digits) for operand in operands)
    return Calculation(texts, relation, format_number(result, digits), operand_digits)


def _calculated(calculate: Callable[..., float], operands: Sequence[float]) -> float:
    """The result of these operands; NaN where it cannot be computed."""
    try:
        return float(calculate(*operands))
    except (ArithmeticError, ValueError):  # such as a divisor that is displayed as 0
        return math.nan


def _rounds_to(displayed: float, calculated: float, place: int) -> bool:
    """Whether the calculated number, rounded at this power of ten, halves away from zero, is the displayed one."""
    if calculated == displayed:
        return True
    error, half = abs(calculated - displayed), 0.5 * 10.0**place
    if math.isclose(error, half, rel_tol=_TIE):
        return abs(displayed) > abs(calculated)
    return error < half


def _product(*factors: float) -> float:
    return math.prod(factors)


def _displayed(value: Number, digits: int) -> float:
    return float(_rounded(value, digits)) if math.isfinite(value) else float(value)


def _rounded(value: Number, digits: int) -> Decimal:
    digits = require_integer("digits", digits, 1)
    exact = _decimal(value)
    return exact if _is_exact(value) else Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(exact)


def _decimal(value: Number) -> Decimal:
    """The shortest decimal form of a finite number."""
    return Decimal(repr(float(value)))


def _with_decimals(exact: Decimal, decimals: int) -> Decimal:
    """The number rounded to so many decimals, halves away from zero; zero has no sign."""
    digits = max(exact.adjusted(), 0) + decimals + 2
    rounded = exact.quantize(Decimal(1).scaleb(-decimals), context=Context(prec=digits, rounding=ROUND_HALF_UP))
    return rounded or abs(rounded)


def _is_finite(value: Number) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:
        raise invalid_value("value", value, "numbers") from None
    except OverflowError:  # of an integer, which has no limit
        raise invalid_value("value", value, "numbers that fit float64, up to 1.8e308") from None


def _is_exact(value: Number) -> bool:
    """True for integers that are displayed with all digits."""
    number = float(value)
    return number.is_integer() and abs(number) <= LARGEST_PLAIN


def _true_minus(text: str) -> str:
    return text.replace("-", "−")
