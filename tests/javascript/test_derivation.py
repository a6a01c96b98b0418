"""The derivation of a number, as its component renders it."""

import pytest

_RENDER = """async data => {
    document.body.innerHTML = "<div class='ew-derivation'></div>";
    const { default: render } = await import("/derivation/derivation.js");
    const sent = window.sent = [];
    render({ data, parentElement: document.body, setTriggerValue: (...values) => sent.push(values) });
    await new Promise(done => setTimeout(done));
}"""


def term(value, *operands, **fields):
    described = [{"name": name, "value": number, "cell": cell, "colour": None} for name, number, cell in operands]
    digits = {"operand_digits": 4, "adds_digits": 4, "sign": "×", "relation": "="}
    return {"operands": described, **digits, "adds": value, "running": value, **fields}


TERMS = [term(6, ("q", -2, "q.0.0"), ("k", -3, None)), term(-1.5, ("q", 0.5, "q.0.1"), ("k", -3, None), relation="≈")]
DATA = {
    "trail": [{"cell": "scores.0", "label": "scores [0]"}, {"cell": "q.0", "label": "q [0]"}],
    "description": "Score",
    "trace_value": 4.5,
    "result": 4.5,
    "difference": 1.23e-8,
    "note": "",
    "steps": [{"name": "sum", "value": 4.5, "terms": TERMS, "folded": None}],
    "colours": {"plus": "red", "minus": "blue"},
}


@pytest.fixture
def render(scripts):
    def render(**fields):
        scripts.page.evaluate(_RENDER, {**DATA, **fields})
        return scripts.page

    return render


def texts(page, selector):
    return page.locator(selector).all_text_contents()


def test_value_and_difference(render):
    page = render()
    assert texts(page, ".ew-result") == ["Score= 4.5recomputed 4.5, Δ 1e−8"]
    assert texts(render(difference=None), ".ew-result") == ["Score= 4.5"]


def test_terms(render):
    page = render()
    assert texts(page, ".ew-factors") == ["(−2) q×(−3) k", "0.5 q×(−3) k"]
    assert texts(page, ".ew-adds") == ["6", "≈ −1.5"]
    assert texts(page, ".ew-running") == ["6", "−1.5"]


@pytest.mark.parametrize(("count", "text"), [(1, "1 more term"), (13, "13 more terms")])
def test_folded_terms(render, count, text):
    page = render(steps=[{**DATA["steps"][0], "folded": [count, 0.25]}])
    assert texts(page, ".ew-folded > *") == [text, "0.25", "", "4.5"]


def test_infinity_and_nan_are_written(render):
    page = render(steps=[{"name": "exp", "value": "∞", "terms": [term("∞", ("q", "NaN", None))], "folded": None}])
    assert texts(page, ".ew-adds") == ["∞"]
    assert texts(page, ".ew-factors") == ["NaN q"]


def test_click_on_an_operand_or_the_trail_opens_its_cell(render):
    page = render()
    assert page.locator("button.ew-operand").count() == 2
    page.locator("button.ew-operand").nth(1).click()
    page.locator(".ew-crumb").first.click()
    assert page.evaluate("sent") == [["go", "q.0.1"], ["go", "scores.0"]]
    assert page.locator(".ew-crumb").last.is_disabled()


def test_trail_of_one_cell_is_left_out(render):
    assert render(trail=DATA["trail"][:1]).locator(".ew-crumb").count() == 0


def test_names_with_markup_stay_text(render):
    page = render(description="<img src=x>", trail=[{"cell": "a", "label": "<img src=x>"}] * 2)
    assert page.locator("img").count() == 0
    assert texts(page, ".ew-crumb") == ["<img src=x>"] * 2


@pytest.mark.parametrize(
    ("value", "bar"),
    [(4, {"left": 50, "width": 50}), (-1, {"left": 37.5, "width": 12.5}), (0, {"left": 50, "width": 0}),
     ("∞", {"left": 50, "width": 0})],
)  # fmt: skip
def test_bar_of_a_term(scripts, value, bar):
    assert scripts.call("derivation/derivation.js", "termBar", value, 4) == bar
