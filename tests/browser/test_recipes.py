"""The recipes in a browser: into the walkthrough and back, and the worked example, edited."""

import pytest
from playwright.sync_api import expect

from encoder_core import RECIPES, Encoder
from encoder_core.recipes.by_hand import worked_attention
from encoder_core.tutorials import ITEMS
from tests.browser.engine import scaled_scores


# Without a browser, every page is opened with every recipe and variant: see tests/pages/test_pages.py.
@pytest.mark.parametrize(
    ("name", "last"), [("haiku", "embedding"), ("nanolm", "multi_head"), ("annotated", "full_stack")]
)
def test_a_recipe_opens_in_the_walkthrough(screen, name, last):
    screen.open("recipes", recipe=name, text="my own words", d_model=32)
    screen.page.get_by_role("button", name="Open in the walkthrough").click()
    screen.arrived("map")
    assert screen.parameters["encoder"] == [name]
    inputs, mask, _ = RECIPES[name].inputs(0)
    config = RECIPES[name].config()
    for stage in ("scaled_scores", last):
        screen.go(stage)
        assert screen.page.locator("[data-testid=stException]").count() == 0
        assert screen.empty_plots() == [], stage
        assert screen.pixels_too_wide() <= 2, stage
        assert screen.says("d_model") == config.d_model
        if stage == "scaled_scores":
            screen.shows(*scaled_scores(Encoder.recipe(name).trace(inputs, mask), 1, 1))
    if last == "full_stack":
        screen.page.reload()
        screen.arrived(last)
        assert screen.says("d_ff") == config.d_ff


def test_the_variant_is_in_the_link(screen):
    screen.open("recipes", recipe="nanolm", recipe_variant="as written")
    screen.page.get_by_role("button", name="Open in the walkthrough").click()
    screen.arrived("map").go("scaled_scores")
    assert (screen.parameters["encoder"], screen.parameters["variant"]) == (["nanolm"], ["as written"])
    inputs, mask, _ = RECIPES["nanolm"].inputs(0)
    screen.shows(*scaled_scores(Encoder.recipe("nanolm", "as written").trace(inputs, mask), 1, 1))


def test_a_number_of_the_worked_example_is_changed(screen):
    screen.open("recipes", recipe="nanolm")
    with screen.rerun():
        screen.page.get_by_role("radio", name="Attention by hand").click()
    screen.come_to_rest()  # the table measures itself once more
    table = screen.page.locator("[data-testid=stDataFrame]").first
    box = table.bounding_box()
    rows = [[0.5, 0.6, 0.7, 0.8], [0.9, 1.0, 1.1, 1.2], [1.3, 1.4, 1.5, 1.6]]
    assert _written(screen) == [f"{score:.5f}" for score in worked_attention(rows[1], rows).scores]
    screen.page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 3.5 * box["height"] / 6)  # token 2, dim 3
    screen.come_to_rest()
    screen.page.keyboard.press("Enter")
    editor = screen.page.locator("#portal input")
    editor.fill("-2.5")
    with screen.rerun():
        editor.press("Enter")
    rows[1][3] = -2.5
    assert _written(screen) == [f"{score:.5f}" for score in worked_attention(rows[1], rows).scores]


def test_a_click_on_a_row_of_the_table_opens_it(screen):
    screen.open("recipes", recipe="nnx", recipe_view="Row by row")
    last = ITEMS["nnx"][-1]
    with screen.rerun():
        screen.page.get_by_role("cell", name=last.title).click()
    assert screen.parameters["recipe_item"] == [last.name]
    expect(screen.page.locator("tr.ew-selected button")).to_have_text(last.title)
    assert screen.empty_plots() == []
    assert screen.pixels_too_wide() <= 2


def _written(screen):
    """The three scores, as the formula says them."""
    lines = screen.page.locator("[data-testid=stMarkdownContainer] annotation").all_text_contents()
    return [line.rsplit("= ", 1)[1] for line in lines if line.startswith("s_")]
