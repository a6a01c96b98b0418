"""A click on a cell shows its arithmetic; operands lead on, the trail back; hovering and playing ask no server."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, TABLET, WIDE
from tests.browser.engine import trace_of
from tests.number_table import parsed


def trail(screen):
    return screen.page.locator(".ew-crumb").all_inner_texts()


def test_a_click_shows_the_sum_and_its_operands_lead_to_the_table(screen):
    screen.open("scaled_scores", layer=2, head=3)
    layer = trace_of().layers[1]
    with screen.rerun():
        screen.page.mouse.click(*screen.place(2, 4, 7))
    result = screen.page.locator(".ew-result")
    expect(result).to_contain_text("layer 2, sentence 1, head 3, query 5 “on”, key 8 “,”")
    value = parsed(re.search(r"= (\S+)", result.inner_text())[1])
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
        """() => [...document.querySelectorAll(".ew-plot .js-plotly-plot")].slice(0, 3).map(plot =>
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
    expect(tip).to_contain_text("13 more")
    total = parsed(tip.inner_text().rsplit("= ", 1)[1])
    assert total == pytest.approx(layer.dot_products[0, 0, 4, 7], rel=1e-3)
    assert sent == []


def hovered(screen, plot, row, column, place):
    """What the tip says of a cell, below its `place`."""
    screen.page.mouse.move(*screen.place(plot, row, column))
    tip = screen.page.locator(".ew-tip").first
    expect(tip).to_contain_text(place)
    assert tip.inner_text().startswith(f"{place}\n")
    return tip.inner_text().removeprefix(f"{place}\n")


def test_a_score_that_is_set_and_one_that_is_masked_have_no_sum(screen):
    edits = "score.0.0.0.6.5=4.5~score.0.0.0.2.9=3.5~unscaled"
    screen.open("scaled_scores", mask="causal", edits=edits)
    layer = trace_of().layers[0]
    assert hovered(screen, 4, 6, 5, "query sofa · key the") == "4.5, set by hand"
    assert hovered(screen, 4, 2, 9, "query cat · key down") == "3.5, set by hand"  # masked until it was set
    assert hovered(screen, 4, 2, 8, "query cat · key lied") == "masked"
    product = float(hovered(screen, 3, 6, 5, "query sofa · key the").rsplit("= ", 1)[1])  # unscaled: no factor
    assert product == pytest.approx(layer.dot_products[0, 0, 6, 5], rel=1e-3)


def test_the_factor_of_a_head_is_part_of_its_sum(screen):
    screen.open("weighted_values", edits="head.0.0=0.5")
    tip = hovered(screen, 4, 3, 6, "query jumped · dimension 6")
    assert " more) · 0.5 = " in tip
    z = 0.5 * trace_of().layers[0].z[0, 0, 3, 6]
    assert float(tip.rsplit("= ", 1)[1].replace("−", "-")) == pytest.approx(z, rel=1e-3)


# The cell of the caption is the last one that is uncovered, in every frame; nothing moves from beginning to end.
_WATCH_PLAYER = """() => {
    const host = document.querySelector(".ew-plot"), { items, player } = host.plotLine;
    const { playButton, skipButton, caption } = player, { rows, columns } = items[2].panel;
    const seen = window.seen = { captions: [], cells: new Set(), places: new Set() };
    const places = () => [playButton, skipButton, host, ...host.querySelectorAll(".ew-panel")].map(part => {
        const { left, top, width, height } = part.getBoundingClientRect();
        return [left, top, width, height].map(Math.round).join();
    }).join(";");
    new MutationObserver(() => {
        seen.captions.push(caption.textContent);
        seen.cells.add(caption.textContent.split(":")[0]);
        seen.places.add(places());
    }).observe(caption, { childList: true });
    seen.places.add(places());
    seen.expected = rows.names.flatMap(row => columns.names.map(column => `query ${row} · key ${column}`));
}"""


def test_a_product_is_played_cell_by_cell_paused_and_skipped(screen):
    screen.open("scaled_scores", text="a black cat")
    sent = []
    screen.socket.on("framesent", lambda frame: sent.append(frame))
    screen.page.evaluate(_WATCH_PLAYER)
    screen.page.get_by_role("button", name="Draw Q Kᵀ cell by cell").click()
    caption = screen.page.locator(".ew-caption").first
    screen.page.get_by_role("button", name="Pause").click()
    text = caption.inner_text()
    expect(screen.page.get_by_role("button", name="Continue")).to_be_visible()
    assert caption.inner_text() == text
    screen.page.evaluate(
        "window.setTimeout = ((wait, end, time) => wait(end, time / 8)).bind(null, window.wait = setTimeout)"
    )
    screen.page.get_by_role("button", name="Continue").click()
    expect(screen.page.locator(".ew-cover")).to_have_count(0)
    screen.page.evaluate("window.setTimeout = window.wait")
    seen = screen.page.evaluate("({ ...window.seen, cells: [...seen.cells], places: [...seen.places] })")
    assert seen["cells"][:9] == seen["expected"]
    assert seen["captions"][0].startswith("query a · key a: ")
    assert "13 more = " in seen["captions"][0]
    assert len(seen["places"]) == 1
    screen.page.get_by_role("button", name="Draw Q Kᵀ cell by cell").click()
    expect(screen.page.locator(".ew-cover")).to_have_count(3)
    screen.page.get_by_role("button", name="Skip to the end").click()
    expect(screen.page.locator(".ew-cover")).to_have_count(0)
    assert sent == []


def test_every_key_has_a_label_in_two_lines_if_need_be(screen):
    screen.open("scaled_scores")
    for plot in screen.plots()[2:]:
        assert [text.strip() for text in plot["labels"]["x"]] == list(trace_of().tokens[0])
    heights = "[...document.querySelectorAll('.ew-chart')].map(plot => [plot.clientHeight, plot.layout.height])"
    for place, figure in screen.page.evaluate(heights):
        assert place == figure  # nothing is cut, and nothing moves when the figure is painted


def test_the_selected_token_keeps_its_label_among_too_many(screen):
    words = [f"w{number}" for number in range(30)]
    screen.open("scaled_scores", token=4, key_token=16, text=" ".join(words))
    of_keys = screen.plots()[2]["labels"]["x"]
    assert "w15" in of_keys
    assert len(of_keys) < 30  # others have given way
    assert "w14" not in of_keys
    assert "w16" not in of_keys


def test_the_marked_score_is_written_and_not_pale_on_a_scale_of_its_own(screen):
    layer = trace_of().layers[0]
    scores, dots = layer.scores[0, 0], layer.dot_products[0, 0]
    for own_scales, largest in ((False, dots), (True, scores[np.isfinite(scores)])):
        screen.open("scaled_scores", token=16, key_token=3, own_scales=str(own_scales).lower())
        marked = screen.page.locator(".ew-marked").last
        assert float(marked.inner_text()) == pytest.approx(scores[15, 2], rel=1e-3)
        ends = screen.page.locator(".ew-bar").last.inner_text().rsplit("±", 1)[1]
        assert float(ends) == pytest.approx(float(np.abs(largest).max()), rel=0.01)


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
    expect(panel.locator(".ew-folded").last).to_contain_text("more terms")
    hidden = panel.evaluate(
        """panel => [panel, ...panel.querySelectorAll("*")]
            .filter(part => part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY !== "visible"
                || part.scrollWidth > part.clientWidth + 1 && part.clientWidth).map(part => part.className)"""
    )
    assert hidden == []


@pytest.mark.parametrize("size", [WIDE, TABLET, PHONE], ids=["wide", "1024 px", "phone"])
def test_numbers_are_not_broken_into_two_lines(screen, size):
    screen.page.set_viewport_size(size)
    screen.open("scaled_scores", cell="dot_products.0.0.0.15.2")
    expect(screen.page.locator(".ew-folded")).to_contain_text("more terms")
    broken = screen.page.locator(".ew-operand").evaluate_all(
        """operands => operands.map(operand => operand.firstChild).filter(value => {
            const range = document.createRange();
            range.selectNodeContents(value);
            return range.getClientRects().length > 1;
        }).map(value => value.data)"""
    )
    assert broken == []
