"""Numbers on screen have the format of encoder_core."""

import pytest
from playwright.sync_api import expect

from encoder_core.explain.number_format import format_number


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
