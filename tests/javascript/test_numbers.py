"""Numbers in the browser are written as in Python."""

import numpy as np

from encoder_core.support.number_format import format_number
from tests.number_table import CASES

_FORMAT_ALL = """async cases => {
    const { formatNumber } = await import("/shared/numbers.js");
    return cases.map(([value, digits]) => formatNumber(value, digits));
}"""


def test_numbers_of_the_table(scripts):
    texts = scripts.page.evaluate(_FORMAT_ALL, [[value, digits] for value, digits, _ in CASES])
    assert texts == [text for _, _, text in CASES]


def test_random_numbers_are_written_as_in_python(scripts):
    rng = np.random.default_rng(0)
    of_any_size = rng.normal(size=3000) * 10.0 ** rng.integers(-14, 14, 3000)
    halves = rng.integers(-(10**6), 10**6, 3000) / 10.0 ** rng.integers(0, 9, 3000)  # often halfway between two numbers
    cases = [[float(x), int(d)] for x, d in zip([*of_any_size, *halves], rng.integers(1, 8, 6000), strict=True)]
    assert scripts.page.evaluate(_FORMAT_ALL, cases) == [format_number(value, digits) for value, digits in cases]


def test_four_digits_are_the_default(scripts):
    assert scripts.call("shared/numbers.js", "formatNumber", 1 / 3) == "0.3333"
