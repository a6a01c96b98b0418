"""A number is changed in the browser: the whole stack answers, the link carries it, and it can be undone."""

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.edits import SetScore
from tests.browser.conftest import PHONE, PROJECTOR, WIDE
from tests.browser.engine import softmax

_TO_THE_MIDDLE = """button => {
    const { top, bottom } = button.getBoundingClientRect();
    document.querySelector("[data-testid=stMain]").scrollBy(0, (top + bottom - innerHeight) / 2);
}"""


def edited_trace(*edits):
    sentences = DEFAULT_TEXT.splitlines()
    tokenizer = WordTokenizer.from_texts(sentences, max_len=64)
    config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
    return Encoder.random(config, 0, tokenizer=tokenizer).trace(sentences, "padding", edits)


def edits(screen):
    """The button of the bar's first edit."""
    return screen.page.locator("[class*=st-key-without_] button").first


def test_a_score_is_set_and_every_page_shows_what_follows(screen):
    screen.open("scaled_scores", cell="scores.0.0.0.2.1")
    field = screen.page.get_by_label("Set this score to")
    field.fill("5")
    with screen.rerun():
        field.press("Enter")
    screen.settle()
    expect(edits(screen)).to_contain_text("score sentence 1,\u2060 3 · cat → sentence 1,\u2060 2 · black")
    assert screen.parameters["edits"] == ["score.0.0.0.2.1=5"]
    after = edited_trace(SetScore(0, 0, 0, 2, 1, 5.0))
    shown = next(np.array(plot["z"], float) for plot in screen.plots() if plot["title"] == "after")
    scores = after.layers[0].scores[0, 0]
    np.testing.assert_allclose(shown, np.where(np.isfinite(scores), scores, np.nan), atol=1e-4)
    screen.go("softmax")
    weights = next(np.array(plot["z"], float) for plot in screen.plots() if plot["title"] == "all weights")
    np.testing.assert_allclose(weights, softmax(after, 1, 1)[0], atol=1e-4)
    screen.page.reload()
    screen.arrived("softmax")
    assert screen.parameters["edits"] == ["score.0.0.0.2.1=5"]
    weights = next(np.array(plot["z"], float) for plot in screen.plots() if plot["title"] == "all weights")
    np.testing.assert_allclose(weights, softmax(after, 1, 1)[0], atol=1e-4)


def test_a_click_on_another_cell_applies_a_typed_number_and_inspects_the_cell(screen):
    screen.open("scaled_scores", cell="scores.0.0.0.2.1")
    screen.page.get_by_label("Set this score to").fill("5")
    screen.page.mouse.click(*screen.place(1, 1, 3))
    screen.page.wait_for_url("**edits=*")
    screen.come_to_rest()
    assert screen.parameters["edits"] == ["score.0.0.0.2.1=5"]
    assert screen.parameters["cell"] == ["k.0.0.0.3.1"]


def test_undo_redo_and_reset(screen):
    screen.open("full_stack", edits="head.0.1=0")
    expect(edits(screen)).to_contain_text("head 2 off")
    for label, kept in (("Reset", []), ("Undo", ["head.0.1=0"]), ("Redo", [])):
        with screen.rerun():
            screen.page.get_by_role("button", name=label, exact=True).click()
        assert screen.parameters.get("edits", []) == kept
    with screen.rerun():
        screen.page.get_by_role("button", name="Undo", exact=True).press("Enter")
    expect(screen.page.get_by_role("button", name="Redo", exact=True), "nothing is left to be undone").to_be_focused()


@pytest.mark.parametrize(
    ("size", "name"),
    [
        (WIDE, "full_stack"),
        (WIDE, "scaled_scores"),
        (PROJECTOR, "full_stack"),
        (PHONE, "scaled_scores"),
        (PHONE, "full_stack"),
    ],
    ids=["middle of a window", "wide", "middle of a projector", "phone", "middle of a phone"],
)
def test_the_other_edits_are_all_in_sight(screen, size, name):
    screen.page.set_viewport_size(size)
    screen.open(name)
    button = screen.page.get_by_role("button", name="Other edits")
    button.evaluate(_TO_THE_MIDDLE)
    if name == "full_stack":  # no side of it has much room; on a phone, too little
        assert size["height"] / 3 < button.bounding_box()["y"] < size["height"] / 2
    with screen.rerun():
        button.click()
    popover = screen.page.get_by_test_id("stPopoverBody")
    expect(popover.get_by_text("Temperature of every softmax")).to_be_visible()
    fits = "body => body.scrollHeight === body.clientHeight"  # once it has found its place
    screen.page.wait_for_function(fits, arg=popover.element_handle())
    box = popover.bounding_box()
    assert 0 <= box["y"] <= box["y"] + box["height"] <= size["height"]


def test_two_visitors_have_edits_of_their_own(screen, stranger):
    screen.open("full_stack", edits="unscaled")
    stranger.open("full_stack")
    expect(stranger.page.locator(".st-key-what-if-bar")).to_have_count(0)
    expect(screen.page.locator(".st-key-what-if-bar")).to_be_visible()


@pytest.mark.parametrize(
    ("menu", "by_key", "name", "change"),
    [
        ("Other edits", False, "Switch off head 1", "edits=head.0.0%3D0"),
        ("Why exp", True, "Set the temperature", "temperature=0.5"),
    ],
)
def test_a_button_of_a_menu_closes_it_and_the_figure_it_changes_can_be_seen(screen, menu, by_key, name, change):
    screen.open("softmax")
    opens, body = screen.page.get_by_role("button", name=menu), screen.page.get_by_test_id("stPopoverBody")
    if by_key:  # which takes the focus into the menu
        opens.press("Enter")
        expect(body).to_be_focused()
    else:
        opens.click()
    body.get_by_role("button", name=name).first.click()
    screen.page.wait_for_url(f"**{change}*")
    expect(screen.page.get_by_test_id("stPopoverBody")).to_have_count(0)
    expect(opens).to_be_focused()
