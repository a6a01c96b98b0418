"""Numbers in the browser are written as in Python."""

import numpy as np
import pytest

from encoder_core.figures.numbers import format_number
from tests.browser.conftest import ROOT
from tests.number_table import CASES

_WRITE_ALL = """async ([source, cases]) => {
    const { formatNumber } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    return cases.map(([value, digits]) => formatNumber(value, digits));
}"""


@pytest.fixture
def written(browser):
    """What the JavaScript module writes for pairs of a value and a number of digits."""
    page = browser.new_page()
    source = (ROOT / "dashboard" / "numbers.js").read_text(encoding="utf-8")
    yield lambda cases: page.evaluate(_WRITE_ALL, [source, cases])
    page.close()


def test_the_browser_writes_the_table(written):
    found = written([[value, digits] for value, digits, _ in CASES])
    assert found == [text for _, _, text in CASES]


def test_the_browser_writes_random_numbers_like_python(written):
    rng = np.random.default_rng(0)
    of_any_size = rng.normal(size=3000) * 10.0 ** rng.integers(-14, 14, 3000)
    halves = rng.integers(-(10**6), 10**6, 3000) / 10.0 ** rng.integers(0, 9, 3000)  # often just between two
    cases = [[float(x), int(d)] for x, d in zip([*of_any_size, *halves], rng.integers(1, 8, 6000), strict=True)]
    assert written(cases) == [format_number(value, digits) for value, digits in cases]
