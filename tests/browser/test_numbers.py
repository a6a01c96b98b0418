"""Numbers in the browser are written as in Python."""

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder_core.explain.number_format import format_number
from tests.number_table import CASES
from tests.servers import ROOT

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


@pytest.mark.parametrize(("value", "text"), [("2500", "2,500"), ("-1230.4", "−1,230"), ("1e5", "100,000")])
def test_hovering_a_cell_shows_its_number(screen, value, text):
    screen.open("qkv", edits=f"embedded.0.2.3={value}")
    screen.page.mouse.move(*screen.place(0, 2, 3))
    expect(screen.page.locator(".ew-tip").first).to_have_text(f"token cat · dimension 3\n{text}")


def test_the_end_of_a_colour_bar_is_written_by_the_same_rule(screen):
    screen.open("scaled_scores", edits="embedded.0.2.3=2500")
    ends = screen.page.evaluate(
        """() => [...document.querySelectorAll(".ew-plot .ew-panel")].map(panel => [
            [...panel.querySelector(".ew-bar").childNodes].filter(part => part.className !== "ew-marked")
                .map(part => part.textContent).join(""),
            panel.querySelector(".js-plotly-plot").data.find(trace => trace.type === "heatmap")?.zmax])"""
    )
    large = [(end, limit) for end, limit in ends if limit is not None and limit > 1000]
    assert large
    for end, limit in large:
        assert end in (f"±{format_number(limit, 3)}", f"0{format_number(limit, 3)}")
