"""How numbers are written on screen, and calculations that are true as they are displayed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core.support.number_format import (
    fixed_difference,
    format_calculation,
    format_fixed,
    format_number,
    format_percent,
    format_probability,
    in_brackets,
    latex_number,
    latex_range,
    latex_sequence,
    with_unit_prefix,
)
from tests.number_table import CASES, parsed, unit_of


@pytest.mark.parametrize(("value", "digits", "text"), CASES)
def test_numbers_are_formatted_as_in_the_table(value, digits, text):
    assert format_number(value, digits) == text


def test_integers_and_numpy_numbers_are_formatted_like_floats():
    assert [format_number(value) for value in (7, np.int64(1234), np.float32(0.1), np.float64(-0.0))] == [
        "7", "1,234", "0.1", "0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (999, "999"),
        (1000, "1 k"),
        (999_400, "999 k"),
        (999_999, "1 M"),
        (1_234_567, "1.23 M"),
        (5 * 10**12, "5,000 G"),
    ],
)
def test_a_count_has_three_digits_and_a_unit_prefix(count, text):
    assert with_unit_prefix(count) == text
    assert with_unit_prefix(count, "B") == (f"{text}B" if text[-1].isalpha() else f"{text} B")


def test_numbers_in_latex():
    assert [latex_number(format_number(x)) for x in (-2.5, 1230.0, 1e-5, -1.2e-6, 4e9)] == [
        "-2.5", "1{,}230", r"{1 \cdot 10^{-5}}", r"{-1.2 \cdot 10^{-6}}", r"{4 \cdot 10^{9}}",
    ]  # fmt: skip
    assert latex_number("-4.128e-05") == r"{-4.128 \cdot 10^{-5}}"


def test_a_sequence_has_dots_only_for_terms_that_are_left_out():
    assert [latex_range(1, last) for last in (1, 2, 3, 12)] == ["1", "1, 2", r"1, \dots, 3", r"1, \dots, 12"]
    assert latex_sequence(["z_1", "z_2", "z_3"], r"\; ") == r"z_1\; \dots\; z_3"


def test_a_probability_that_rounds_to_0_or_1_is_about_it():
    probabilities = (0.99996, 0.9994, 0.5, 2.5e-6, 0.0, 1.0)
    assert [format_probability(p, 3) for p in probabilities] == [
        "about 1", "0.999", "0.5", "2.5e−6", "about 0", "about 1",
    ]  # fmt: skip
    assert [format_probability(p) for p in (0.996, 0.994)] == ["about 1", "0.99"]


def test_only_all_of_something_is_100_percent_and_only_nothing_is_0_percent():
    shares = (0, 0.001, 0.01, 0.503, 0.994, 255 / 256, 1.0)
    assert [format_percent(share) for share in shares] == [
        "0%", "less than 1%", "1%", "50%", "99%", "more than 99%", "100%",
    ]  # fmt: skip
    assert [format_percent(share) for share in (-0.0, math.nan, -math.inf)] == ["0%", "NaN%", "−∞%"]
    assert [format_percent(share, 1) for share in (0.0, 0.0004, 0.9999, 1)] == [
        "0.0%", "less than 0.1%", "more than 99.9%", "100.0%",
    ]  # fmt: skip


def test_percents_have_the_minus_sign_and_round_halves_away_from_zero():
    assert [format_percent(share) for share in (-0.3, 0.125, -0.125, 12.5, np.float32(0.145))] == [
        "−30%", "13%", "−13%", "1250%", "14%",
    ]  # fmt: skip
    assert format_percent(0.0005, 1) == "0.1%"


def test_an_integer_too_large_for_a_float_raises_a_value_error():
    for function in (format_number, format_fixed, format_percent):
        with pytest.raises(ValueError, match=r"value=1000.* is invalid: allowed are numbers that fit float64"):
            function(10**400)


def test_zero_digits_raise_a_value_error():
    with pytest.raises(ValueError, match="digits=0"):
        format_number(0.5, 0)


@given(st.floats(-1e307, 1e307) | st.floats(-1e7, 1e7), st.integers(1, 6))
def test_the_formatted_number_is_near_the_number(value, digits):
    formatted = parsed(format_number(value, digits))
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits) if value else 0
    assert abs(formatted - value) <= 0.500001 * unit


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1.0, 2, "1.00"), (-0.001, 2, "0.00"), (-0.5, 3, "−0.500"), (1234.5, 1, "1,234.5"), (-math.inf, 2, "−∞"),
        (math.nan, 2, "NaN"), (1e30, 3, "1e30"), (42.4, 0, "42"), (np.float32(0.25), 2, "0.25"),
        (0.125, 2, "0.13"), (-0.125, 2, "−0.13"), (np.float32(0.125), 2, "0.13"), (2.5, 0, "3"), (1.005, 2, "1.01"),
        (np.float32(1.005), 2, "1.00"), (0.005, 2, "0.01"), (5e-324, 2, "0.00"), (-0.0, 1, "0.0"),
        (999_999.95, 1, "1,000,000.0"), (1 / 3, 30, "0.333333333333333300000000000000"),
    ],
)  # fmt: skip
def test_a_column_has_a_fixed_number_of_decimals(value, decimals, text):
    assert format_fixed(value, decimals) == text


def test_a_column_rounds_halves_as_numbers_with_significant_digits_do():
    for number in range(201, 2000, 2):
        half = number / 200  # 1.005, 1.015, ...
        assert parsed(format_fixed(half, 2)) == parsed(format_number(half, 3))


def test_a_difference_is_that_of_the_numbers_shown():
    """0.8949 − 0.7551 = 0.1398, but 0.89 − 0.76 is read; so is −0.3 − 0.1 (of −0.25 and 0.05, with one decimal)."""
    assert fixed_difference(0.8949, 0.7551, 2) == pytest.approx(0.13)
    assert fixed_difference(-0.25, 0.05, 1) == pytest.approx(-0.4)
    assert math.isnan(fixed_difference(math.nan, 1, 2))


def test_a_negative_number_after_an_operator_has_brackets():
    assert [in_brackets(text) for text in ("0.5", "−0.5", "−∞")] == ["0.5", "(−0.5)", "(−∞)"]


def test_operands_get_more_digits_where_the_result_needs_them():
    """With three digits, 0.805 × 0.112 = 0.0902 would be displayed for 0.0904."""
    calculation = format_calculation([0.8052, 0.11228], 0.8052 * 0.11228)
    assert calculation == (("0.8052", "0.1123"), "=", "0.0904", 4)
    assert format_calculation([0.5, 0.25], 0.125) == (("0.5", "0.25"), "=", "0.125", 3)
    assert format_calculation([3, 4], 12) == (("3", "4"), "=", "12", 3)


def test_a_calculation_that_does_not_hold_as_displayed_has_an_approximation_sign():
    assert format_calculation([0.5, 0.25], 0.13) == (("0.5", "0.25"), "≈", "0.13", 3)
    cancelled = format_calculation([1e6 + 0.001, -1e6], 0.001, lambda a, b: a + b)
    assert (cancelled.relation, cancelled.result) == ("≈", "0.001")
    assert format_calculation([1.0, 1e-300], 1e300, lambda a, b: a / b).relation == "="
    assert format_calculation([1.0, 0.0], math.inf, lambda a, b: a / b).relation == "≈"
    assert format_calculation([1.0, math.inf], math.inf).relation == "="


@pytest.mark.parametrize(
    ("combine", "operands", "digits", "expected"),
    [
        # 0.125 · 0.622 is 0.07775, which a reader rounds to 0.0778.
        (math.prod, [0.12499, 0.62199], 3, (("0.12499", "0.62199"), "=", "0.0777", 5)),
        (math.prod, [1.36458, 0.25], 4, (("1.36458", "0.25"), "=", "0.3411", 6)),
        (math.fsum, [-0.6226, -0.01549], 3, (("−0.6226", "−0.01549"), "=", "−0.638", 4)),
        # Exactly a half, although the product of the floats is 0.23249999999999998.
        (math.prod, [1.5, 0.155], 3, (("1.5", "0.155"), "=", "0.233", 3)),
    ],
)
def test_a_half_is_rounded_away_from_zero_as_a_reader_does(combine, operands, digits, expected):
    assert format_calculation(operands, combine(operands), lambda *numbers: combine(numbers), digits) == expected


OPERATIONS = {
    "product": lambda *factors: math.prod(factors),
    "sum": lambda *terms: math.fsum(terms),
    "quotient": lambda a, b, *others: a / b,
    "norm": lambda x, mean, *others: (x - mean) / 0.7,
}
NUMBERS = st.floats(1e-5, 1e5) | st.floats(-3, 3).filter(lambda x: abs(x) > 1e-6) | st.integers(1, 2000).map(float)


@given(st.sampled_from(sorted(OPERATIONS)), st.lists(NUMBERS, min_size=2, max_size=4), st.integers(1, 5))
def test_a_displayed_calculation_holds_as_displayed(operation, operands, digits):
    calculate = OPERATIONS[operation]
    calculation = format_calculation(operands, calculate(*operands), calculate, digits)
    if calculation.relation == "=":
        assert abs(calculate(*map(parsed, calculation.operands)) - parsed(calculation.result)) <= 0.500001 * unit_of(
            calculation.result
        )


@given(st.lists(st.floats(0.01, 9.99), min_size=2, max_size=2))
def test_a_product_of_two_ordinary_numbers_is_displayed_without_an_approximation(operands):
    assert format_calculation(operands, math.prod(operands)).relation == "="
