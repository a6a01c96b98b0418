"""Numbers on screen have the format of encoder_core."""

import numpy as np
import pytest
from playwright.sync_api import expect

from encoder_core.support.number_format import format_number
from tests.browser.engine import trace_of
from tests.browser.screen import new_tab


@pytest.mark.parametrize(("value", "text"), [("2500", "2,500"), ("-1230.4", "−1,230"), ("1e5", "100,000")])
def test_hovering_a_cell_shows_its_number(screen, value, text):
    screen.open("qkv", edits=f"embedded.0.2.3={value}")
    screen.page.mouse.move(*screen.place(0, 2, 3))
    expected = f"token cat · dimension 3\n{text}\n• beyond the colour scale"
    expect(screen.page.locator(".ew-tip").first).to_have_text(expected)


def test_the_number_under_a_mouse_that_rests_follows_a_slider(screen):
    """Also where the mouse then moves within its cell, and not after it has left the figure."""
    screen.open("scaled_scores")
    x, y = screen.place(3, 4, 7)
    screen.page.mouse.move(x, y)
    tip, sums = screen.page.locator(".ew-tip").first, []
    for _ in range(2):
        scaled = trace_of(layers=screen.says("layers"), d_model=screen.says("d_model")).layers[0]
        score = scaled.dot_products[0, 0, 4, 7] / np.sqrt(scaled.q.shape[-1])
        expect(tip).to_contain_text(f"= {format_number(score)}")
        sums.append(tip.inner_text())
        screen.page.mouse.move(x + 1, y)
        assert tip.inner_text() == sums[-1]
        screen.press("d_model", "ArrowRight")
    assert len(set(sums)) == 2
    screen.page.mouse.move(5, 5)
    expect(tip).to_be_hidden()
    screen.press("d_model", "ArrowRight")
    expect(tip).to_be_hidden()


def test_the_end_of_a_colour_bar_is_written_by_the_same_rule(screen):
    screen.open("scaled_scores", edits="embedded.0.2.3=2500")
    ends = screen.page.evaluate(
        """() => [...document.querySelectorAll(".ew-plot .ew-panel")].map(panel => [
            [...panel.querySelector(".ew-bar").childNodes]
                .filter(part => !["ew-marked", "ew-beyond"].includes(part.className))
                .map(part => part.textContent).join(""),
            panel.querySelector(".js-plotly-plot").data.find(trace => trace.type === "heatmap")?.zmax])"""
    )
    large = [(end, limit) for end, limit in ends if limit is not None and limit > 1000]
    assert large
    for end, limit in large:
        assert end in (f"±{format_number(limit, 3)}", f"0{format_number(limit, 3)}")


@pytest.mark.parametrize(
    ("page", "label", "number", "choice"),
    [
        ("feed_forward", "Neuron", 7, "neuron=7"),
        ("add_and_norm", "Dimension", 9, "norm_dimension=9"),
        ("positions", "Shuffle seed", 3, "shuffle=3"),
        ("scaled_scores", "key", 5, "cell="),
        ("recipes?recipe_view=Training+and+evaluation", "Dropout seed", 4, "dropout_seed=4"),
    ],
)
def test_a_whole_number_that_is_typed_is_chosen(screen, page, label, number, choice):
    path, _, query = page.partition("?")
    screen.open(path, **dict([query.replace("+", " ").split("=")] if query else []))
    field = screen.page.get_by_role("spinbutton", name=label, exact=True)
    field.fill(str(number))
    with screen.rerun():
        field.press("Enter")
    assert choice in screen.page.url
    expect(field).to_have_value(str(number))
    with screen.rerun():
        field.press("ArrowUp")
    expect(field).to_have_value(str(number + 1))


# The heights that an element has from now on, in each frame and whenever the page has changed: a frame can be painted
# then. `window.heights` are those that differ from the one before.
_WATCH_HEIGHT = """selector => {
    const watch = window.heights = [];
    const look = () => {
        const height = Math.round(document.querySelector(selector)?.getBoundingClientRect().height ?? 0);
        if (watch === window.heights && height !== watch.at(-1)) watch.push(height);
    };
    const lookAgain = () => {
        look();
        if (watch === window.heights) requestAnimationFrame(lookAgain);
        else changes.disconnect();
    };
    const changes = new MutationObserver(look);
    changes.observe(document.body, { childList: true, subtree: true });
    lookAgain();
}"""


# While heights are watched, each message of the server arrives in a frame of its own, as it can on a busy machine.
_ONE_A_FRAME = """
window.WebSocket = class extends WebSocket {
    constructor(...values) {
        super(...values);
        const waiting = [];
        const arrive = () => {
            this.dispatchEvent(Object.assign(new MessageEvent("message", { data: waiting[0] }), { isLate: true }));
            waiting.shift();
            if (waiting.length) requestAnimationFrame(arrive);
        };
        this.addEventListener("message", event => {
            if (event.isLate || !window.heights && !waiting.length) return;
            event.stopImmediatePropagation();
            if (waiting.push(event.data) === 1) requestAnimationFrame(arrive);
        });
    }
};
"""


@pytest.fixture
def slow_messages(screen):
    """A tab to which the parts of a page come one after another."""
    with new_tab(screen.page.context, screen.url) as tab:
        tab.page.add_init_script(_ONE_A_FRAME)
        yield tab


def heights_while(screen, selector, act):
    """The heights that an element takes, one after another, while something is done."""
    screen.page.evaluate(_WATCH_HEIGHT, selector)
    with screen.rerun():
        act()
    screen.come_to_rest()
    return screen.page.evaluate("(() => { const heights = window.heights; window.heights = null; return heights; })()")


def test_what_is_below_the_code_and_the_numbers_does_not_rise_and_fall_again(slow_messages):
    """The server sends what a click asks for."""
    screen = slow_messages.open("softmax")
    for name in ("Code", "Formula"):
        heights = heights_while(screen, ".st-key-details", screen.page.get_by_role("tab", name=name).click)
        assert min(heights) >= min(heights[0], heights[-1]), heights
    numbers = ".st-key-depths > :first-child"
    screen.page.get_by_role("radio", name="weights", exact=True).click()
    screen.come_to_rest()
    heights = heights_while(screen, numbers, screen.page.get_by_role("radio", name="the cell", exact=True).click)
    assert len(heights) > 1, "the cell has another height than the table"
    assert min(heights) >= min(heights[0], heights[-1]) - 1, heights
