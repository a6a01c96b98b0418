"""The edges of fields, options and switches are visible: 3:1 on what is around them, as WCAG 1.4.11 asks."""

import pytest

from tests.contrast import contrast, rgb

# The colour of an edge, and of what it is on.
_EDGES = """() => {
    const colours = text => text.match(/[\\d.]+/g).map(Number);
    const paper = element => {
        const [r, g, b, a = 1] = colours(getComputedStyle(element).backgroundColor);
        return a === 1 ? [r, g, b] : paper(element.parentElement);
    };
    const kinds = { list: ".react-aria-ComboBox > [role=group]", text: "[data-testid=stTextAreaRootElement]",
        number: "[data-testid=stNumberInputContainer]",
        option: "[data-testid=stButtonGroup] button[aria-checked=false]",
        radio: "[data-testid=stRadioOption] > div > div:first-child" };
    return Object.entries(kinds).flatMap(([kind, selector]) => [...document.querySelectorAll(selector)].map(field => (
        [kind, colours(getComputedStyle(field).borderTopColor).slice(0, 3), paper(field.parentElement)])));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_edges_of_fields_are_visible(screen, scheme):
    screen.appear(scheme)
    screen.open("softmax", cell="pattern[0,0,2,1]")
    edges = screen.page.evaluate(_EDGES)
    assert {kind for kind, *_ in edges} >= {"list", "text", "option", "radio"}
    assert [(kind, edge, paper) for kind, edge, paper in edges if contrast(edge, paper) < 3] == []


@pytest.mark.parametrize(("scheme", "line"), [("light", "#d9dce5"), ("dark", "#303746")])
def test_those_of_cards_stay_faint(screen, scheme, line):
    screen.appear(scheme)
    screen.open("softmax")
    card = screen.page.locator(".st-key-what-if").evaluate("card => getComputedStyle(card).borderTopColor")
    assert card == f"rgb({', '.join(map(str, rgb(line)))})"
