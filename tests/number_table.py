"""How numbers are written with 3, 4 and 5 significant digits, by hand, for Python and for JavaScript; and read back."""

import math

WRITTEN: list[tuple[float, str, str, str]] = [
    (0.0, "0", "0", "0"),
    (-0.0, "0", "0", "0"),
    (1e-12, "1e−12", "1e−12", "1e−12"),
    (-1e-12, "−1e−12", "−1e−12", "−1e−12"),
    (-2.34567e-6, "−2.35e−6", "−2.346e−6", "−2.3457e−6"),
    (0.0000999999, "0.0001", "0.0001", "0.0001"),
    (0.00012345, "0.000123", "0.0001235", "0.00012345"),
    (0.1, "0.1", "0.1", "0.1"),
    (1 / 3, "0.333", "0.3333", "0.33333"),
    (-2.5, "−2.5", "−2.5", "−2.5"),
    (1.00005, "1", "1", "1.0001"),
    (999.95, "1,000", "1,000", "999.95"),
    (1000.0, "1,000", "1,000", "1,000"),
    (1230.4, "1,230", "1,230", "1,230.4"),
    (2500.0, "2,500", "2,500", "2,500"),
    (12345.678, "12,300", "12,350", "12,346"),
    (1e5, "100,000", "100,000", "100,000"),
    (999_999.0, "999,999", "999,999", "999,999"),
    (-999_999.6, "−1,000,000", "−1,000,000", "−1,000,000"),
    (1e6, "1,000,000", "1,000,000", "1,000,000"),
    (1_000_001.0, "1,000,000", "1,000,000", "1,000,000"),
    (1_234_567.8, "1.23e6", "1.235e6", "1.2346e6"),
    (1e21, "1e21", "1e21", "1e21"),
    (-1.7976931348623157e308, "−1.8e308", "−1.798e308", "−1.7977e308"),
    (5e-324, "5e−324", "5e−324", "5e−324"),
    (math.nan, "NaN", "NaN", "NaN"),
    (math.inf, "∞", "∞", "∞"),
    (-math.inf, "−∞", "−∞", "−∞"),
]
CASES = [(value, digits, text) for value, *texts in WRITTEN for digits, text in zip((3, 4, 5), texts, strict=True)]


def parsed(text: str) -> float:
    """The number that a reader sees."""
    return float(text.replace("−", "-").replace(",", ""))


def unit_of(text: str) -> float:
    """One unit of the last digit that a reader sees."""
    mantissa, _, exponent = text.replace("−", "-").partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
