"""A click on a cell shows its arithmetic; operands lead on, the trail back; hovering and playing ask no server."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE
from tests.browser.engine import trace_of
from tests.number_table import parsed


def trail(screen):
    return screen.page.locator(".ew-crumb").all_inner_texts()


def test_a_click_shows_the_sum_and_its_operands_lead_to_the_table(screen):
    screen.open("scaled_scores", layer=2, head=3)
    layer = trace_of().layers[1]
    with screen.rerun():
        screen.page.mouse.click(*screen.place(2, 4, 7))
    said = screen.page.locator(".ew-result")
    expect(said).to_contain_text("layer 2, head 3, query 5 “on”, key 8 “,”")
    value = parsed(re.search(r"= (\S+)", said.inner_text())[1])
    assert value == pytest.approx(layer.dot_products[0, 2, 4, 7], rel=1e-4)
    assert screen.parameters["cell"] == ["dot_products.1.0.2.4.7"]
    largest = int(np.argmax(np.abs(layer.q[0, 2, 4] * layer.k[0, 2, 7])))
    with screen.rerun():
        screen.page.locator("button.ew-operand").first.click()
    assert trail(screen)[-1] == f"q [0, 2, 4, {largest}]"
    with screen.rerun():
        screen.page.locator("button.ew-operand").nth(1).click()
    assert trail(screen)[-1].startswith("1.attention.query.kernel [")
    cells = trail(screen)
    screen.page.reload()
    screen.arrived("scaled_scores")
    assert trail(screen) == cells
    with screen.rerun():
        screen.page.locator(".ew-crumb").nth(1).click()
    assert trail(screen) == cells[:2]


def test_what_made_the_cell_is_outlined_on_all_figures(screen):
    screen.open("scaled_scores")
    with screen.rerun():
        screen.page.mouse.click(*screen.place(2, 4, 7))
    frames = screen.page.evaluate(
        """() => [...document.querySelectorAll(".ew-picture .js-plotly-plot")].slice(0, 3).map(plot =>
            plot.layout.shapes.filter(s => s.line.dash === "dot" || s.line.width === 3)
                .map(s => [s.x0, s.x1, s.y0, s.y1]))"""
    )
    assert frames == [[[-0.5, 15.5, 3.5, 4.5]], [[6.5, 7.5, -0.5, 15.5]], [[6.5, 7.5, 3.5, 4.5]]]


def test_hovering_a_dot_product_shows_its_sum_without_a_round_trip(screen):
    screen.open("scaled_scores")
    layer = trace_of().layers[0]
    sent = []
    screen.socket.on("framesent", lambda frame: sent.append(frame))
    screen.page.mouse.move(*screen.place(2, 4, 7))
    tip = screen.page.locator(".ew-tip").first
    expect(tip).to_contain_text("13 smaller")
    total = parsed(tip.inner_text().rsplit("= ", 1)[1])
    assert total == pytest.approx(layer.dot_products[0, 0, 4, 7], rel=1e-3)
    assert sent == []


def test_a_product_is_played_cell_by_cell_paused_and_skipped(screen):
    screen.open("scaled_scores")
    sent = []
    screen.socket.on("framesent", lambda frame: sent.append(frame))
    screen.page.get_by_role("button", name="Draw it cell by cell").click()
    said = screen.page.locator(".ew-said")
    expect(said).to_contain_text("query The · key The")
    expect(said).to_contain_text("key black")
    screen.page.get_by_role("button", name="Pause").click()
    text = said.inner_text()
    screen.page.wait_for_timeout(2500)
    assert said.inner_text() == text
    screen.page.get_by_role("button", name="Go on").click()
    expect(said).not_to_have_text(text)
    screen.page.get_by_role("button", name="Skip to the end").click()
    expect(screen.page.locator(".ew-cover")).to_have_count(0)
    assert sent == []


def test_the_trail_of_a_page_does_not_follow_to_the_next(screen):
    screen.open("scaled_scores", cell="dot_products.0.0.0.1.2~q.0.0.0.1.3")
    assert len(trail(screen)) == 2
    screen.go("qkv")
    assert trail(screen) == []
    assert "cell" not in screen.parameters


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("page", ["scaled_scores", "softmax"])
def test_no_part_of_a_derivation_is_cut_off(screen, page, size):
    screen.page.set_viewport_size(size)
    screen.open(page, cell="" if page == "softmax" else "dot_products.0.0.0.4.7")
    panel = screen.page.locator(".ew-derivation")
    expect(panel.locator(".ew-folded").last).to_contain_text("smaller terms")
    hidden = panel.evaluate(
        """panel => [panel, ...panel.querySelectorAll("*")]
            .filter(part => part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== "visible"
                || part.scrollWidth > part.clientWidth + 1 && part.clientWidth).map(part => part.className)"""
    )
    assert hidden == []
