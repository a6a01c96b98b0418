"""The page of the recipes, and the recipes in the sidebar."""

import numpy as np
import pytest

from dashboard.settings import OPTIONS, Settings, positions_of, with_positions
from dashboard.stages import page_named, stage_named
from encoder_core import RECIPES, Encoder, EncoderConfig
from encoder_core.dropout import drop
from encoder_core.edits import Dropout
from encoder_core.recipes import VARIANTS
from tests.pages.app import figures, opened, rendered, run, said

PAGE = page_named("recipes")
FIGURES = {"nnx": 5, "haiku": 4, "nanolm": 3, "annotated": 2, "article": 6}

OF_MINILM = ("Analogies", "Attention of a word")  # see test_words.py


def chosen(at, label, option):
    """Choose an option of a row of buttons, and run the page."""
    next(group for group in at.button_group if group.label == label).set_value(option)
    return run(at)


def options(at, label):
    return next(group.options for group in at.button_group if group.label == label)


@pytest.mark.parametrize("name", RECIPES)
def test_every_view_and_figure_of_a_recipe_is_drawn(framed, name):
    at = opened(PAGE, recipe=name)
    assert not at.warning
    views = {"Its figures", "Text and code", "All five compared"}
    if RECIPES[name].config().dropout:
        views |= {"Training and evaluation"}
    if name == "nanolm":
        views |= {"Attention by hand", "One-hot by hand"}
    assert set(options(at, "View")) == views
    assert len(options(at, "Figure")) == FIGURES[name]
    for title in options(at, "Figure"):
        assert title in OF_MINILM or list(figures(chosen(at, "Figure", title)))
    for view in views - {"All five compared"}:
        assert list(figures(chosen(at, "View", view)))


@pytest.mark.parametrize("name", RECIPES)
def test_each_note_with_two_configs_shows_both(framed, name):
    at = chosen(opened(PAGE, recipe=name), "View", "Text and code")
    notes = RECIPES[name].notes
    texts = " ".join(rendered(at))
    assert all(note.title in texts and note.intended in texts and note.written in texts for note in notes)
    titles = [figure["title"] for figure in figures(at)]
    assert titles.count("as written") == sum(note.as_written is not None for note in notes)


def test_the_size_of_nanolm_as_written_is_the_tutorials(framed):
    at = opened(PAGE, recipe="nanolm", recipe_variant="as written")
    assert any("**3,426,468** parameters = **13.07 MiB**" in text for text in rendered(at))


def test_the_worked_example_is_written_out(framed):
    at = chosen(opened(PAGE, recipe="nanolm"), "View", "Attention by hand")
    scores, weights, output = (formula.value for formula in at.latex)
    for number in ("2.78", "1.39000", "2.23000", "3.07000"):
        assert number in scores
    for number in ("0.11518", "0.26680", "0.61801"):
        assert number in weights
    for number in ("1.10113", "1.20113", "1.30113", "1.40113"):
        assert number in output
    compared = at.dataframe[-1].value
    assert len(compared) == 10
    assert compared["difference"].max() < 1e-6
    at.selectbox(key="by_hand_query").set_value(3)
    assert r"1.3 \cdot 0.5" in run(at).latex[0].value


def test_the_one_hot_product_is_written_out(framed):
    at = chosen(opened(PAGE, recipe="nanolm"), "View", "One-hot by hand")
    at.selectbox(key="by_hand_lookup_token").set_value(7)
    row = run(at).dataframe[-1].value["encoder_core"]
    demo = RECIPES["nanolm"].demos["one-hot"]
    np.testing.assert_array_equal(row.to_numpy(np.float32), demo.parameters()["token_embedding"][7])
    assert rf"1 \cdot {row.iloc[0]:.5g}".replace("-", "(-") in at.latex[0].value


def test_all_five_are_compared(framed):
    at = chosen(opened(PAGE), "View", "All five compared")
    table = next(text for text in rendered(at) if "| **nnx** |" in text)
    rows = {row.split("|")[1].strip(): row for row in table.splitlines()}
    assert {"norm", "activation", "positions", "embedding scale", "mask", "heads × d_head", "parameters", "bytes",
            "FLOPs"} <= set(rows)  # fmt: skip
    assert "8 × 32 :orange[8 × 4]" in rows["heads × d_head"]
    assert "3,426,468" in rows["parameters"]
    assert "× √d_model :orange[÷ √d_model]" in rows["embedding scale"]


def test_the_mask_of_dropout_is_the_one_that_was_drawn(framed):
    at = chosen(opened(PAGE, recipe="haiku"), "View", "Training and evaluation")
    recipe = RECIPES["haiku"]
    encoder, (inputs, mask, _) = Encoder.recipe("haiku"), recipe.inputs(0)
    before = encoder.trace(inputs, mask).layers[0].attn_out[0]

    def shown():
        return next(text for text in rendered(at) if "were dropped" in text)

    for seed in (0, 1):
        kept = encoder.trace(inputs, mask, [Dropout(seed)]).kept.layers[0].attn_out[0]
        assert f"**{(~kept).sum():,}** were dropped" in shown()
        assert (drop(before, kept, 1 / 0.9) == 0).sum() == (~kept).sum()
        next(button for button in at.button if button.label == "Draw another mask").click()
        run(at)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ({"recipe": "bert"}, "recipe = “bert”; allowed are nnx, haiku, nanolm, annotated, article. nnx is used."),
        ({"recipe": ["nnx", "haiku"]}, "recipe 2 times"),
        ({"recipe_variant": "as planned"}, "recipe_variant = “as planned”; allowed are as intended, as written."),
        ({"encoder": "bert"}, "encoder = “bert”; allowed are random, minilm, "),
        ({"encoder": "nnx", "variant": "<b>"}, "variant = “<b>”; allowed are as intended, as written."),
    ],
)
def test_an_unknown_recipe_in_a_link_is_said(framed, link, sentence):
    at = opened(PAGE, **link)
    assert any(sentence in found for found in said(at)), said(at)
    assert list(figures(at))


def test_the_button_sets_the_sidebar(framed):
    at = opened(PAGE, recipe="article", recipe_variant="as written", text="my own words", heads="2")
    next(button for button in at.button if button.label == "Open in the walkthrough").click()
    run(at)
    assert (at.session_state["encoder"], at.session_state["variant"]) == ("article", "as written")
    assert not at.text_area
    at.selectbox(key="encoder").set_value("random")
    run(at)
    assert at.text_area[0].value == "my own words"
    assert at.session_state["heads"] == 2


def test_a_stage_says_where_text_and_code_disagree(framed):
    def quirks(stage, **link):
        return [text for text in rendered(opened(stage_named(stage), **link)) if "disagree here" in text]

    (found,) = quirks("feed_forward", encoder="nnx", variant="as written")
    assert "GELU after every element" in found
    assert "as written" in found
    assert "as intended" in quirks("feed_forward", encoder="nnx")[0]
    assert quirks("scaled_scores", encoder="nnx") == []
    assert quirks("feed_forward") == []


def test_with_a_recipe_nothing_else_counts():
    state = {"encoder": "nanolm", "variant": "as written", "seed": 3, "d_model": 128, "text": "own"}
    assert Settings.from_state(state) == Settings.from_state({"encoder": "nanolm", "variant": "as written", "seed": 3})
    assert Settings.from_state(state).recipe is RECIPES["nanolm"]
    assert Settings.from_state({"d_model": 128, "variant": "as written"}).variant == "as intended"


@pytest.mark.parametrize("choice", OPTIONS["positions"])
def test_positions_are_told_from_a_config(choice):
    assert positions_of(with_positions(EncoderConfig(positions="none"), choice)) == choice


def test_the_positions_of_the_article_as_written_are_a_choice_of_their_own():
    configs = [RECIPES["article"].config(variant) for variant in VARIANTS]
    assert [positions_of(config) for config in configs] == ["sinusoidal", "per_dimension"]
