"""How numbers are written on screen, and calculations that are true as they are displayed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core.explain.number_format import format_calculation, format_fixed, format_number, in_brackets
from encoder_core.figures import band, curves
from tests.number_table import CASES, parsed, unit_of


@pytest.mark.parametrize(("value", "digits", "text"), CASES)
def test_a_number_is_written_as_in_the_table(value, digits, text):
    assert format_number(value, digits) == text


def test_integers_and_numpy_numbers_are_written_like_floats():
    assert [format_number(value) for value in (7, np.int64(1234), np.float32(0.1), np.float64(-0.0))] == [
        "7", "1,234", "0.1", "0",
    ]  # fmt: skip


def test_there_is_no_number_without_digits():
    with pytest.raises(ValueError, match="digits=0 must be at least 1"):
        format_number(0.5, 0)


@given(st.floats(-1e307, 1e307) | st.floats(-1e7, 1e7), st.integers(1, 6))
def test_what_is_written_is_near_the_number(value, digits):
    shown = parsed(format_number(value, digits))
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits) if value else 0
    assert abs(shown - value) <= 0.500001 * unit


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1.0, 2, "1.00"), (-0.001, 2, "0.00"), (-0.5, 3, "−0.500"), (1234.5, 1, "1,234.5"), (-math.inf, 2, "−∞"),
        (math.nan, 2, "NaN"), (1e30, 3, "1e30"), (42.4, 0, "42"), (np.float32(0.25), 2, "0.25"),
    ],
)  # fmt: skip
def test_a_column_has_a_fixed_number_of_decimals(value, decimals, text):
    assert format_fixed(value, decimals) == text


def test_a_negative_number_after_an_operator_stands_in_brackets():
    assert [in_brackets(text) for text in ("0.5", "−0.5", "−∞")] == ["0.5", "(−0.5)", "(−∞)"]


def test_operands_get_more_digits_where_the_result_needs_them():
    """With three digits, 0.805 × 0.112 = 0.0902 would be displayed for 0.0904."""
    found = format_calculation([0.8052, 0.11228], 0.8052 * 0.11228)
    assert found == (("0.8052", "0.1123"), "=", "0.0904", 4)
    assert format_calculation([0.5, 0.25], 0.125) == (("0.5", "0.25"), "=", "0.125", 3)
    assert format_calculation([3, 4], 12) == (("3", "4"), "=", "12", 3)


def test_a_calculation_that_does_not_hold_as_displayed_says_so():
    assert format_calculation([0.5, 0.25], 0.13) == (("0.5", "0.25"), "≈", "0.13", 3)
    cancelled = format_calculation([1e6 + 0.001, -1e6], 0.001, lambda a, b: a + b)
    assert (cancelled.relation, cancelled.result) == ("≈", "0.001")
    assert format_calculation([1.0, 1e-300], 1e300, lambda a, b: a / b).relation == "="
    assert format_calculation([1.0, 0.0], math.inf, lambda a, b: a / b).relation == "≈"
    assert format_calculation([1.0, math.inf], math.inf).relation == "="


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
    found = format_calculation(operands, calculate(*operands), calculate, digits)
    if found.relation == "=":
        assert abs(calculate(*map(parsed, found.operands)) - parsed(found.result)) <= 0.500001 * unit_of(found.result)


@given(st.lists(st.floats(0.01, 9.99), min_size=2, max_size=2))
def test_a_product_of_two_ordinary_numbers_is_displayed_without_an_approximation(operands):
    assert format_calculation(operands, math.prod(operands)).relation == "="


def test_hovers_of_curves_and_bands_are_written_by_the_same_rule():
    values = np.array([-1230.4, 0.0, 1e-12])
    texts = ("−1,230", "0", "1e−12")
    (curve,) = curves({"a": values}, range(3), title="t", x_axis="", y_axis="").data
    assert (tuple(curve["hovertext"]), curve["hovertemplate"]) == (texts, "%{hovertext}")
    for trace in band(values, values, values, title="t", x_axis="", y_axis="").data:
        assert (tuple(trace["hovertext"]), trace["hovertemplate"]) == (texts, "%{hovertext}")
