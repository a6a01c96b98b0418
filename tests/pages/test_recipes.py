"""The page of the recipes, and the recipes in the sidebar."""

import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.lessons.recipes.models import demo_model
from dashboard.page_list import STAGES, page_named, stage_named
from dashboard.sidebar import tutorial_differences
from dashboard.state.position_choice import positions_of, with_positions
from dashboard.state.setting_parameters import OPTIONS
from dashboard.state.settings import Settings
from encoder_core import RECIPES, Encoder, EncoderConfig
from encoder_core.analysis import relative_change
from encoder_core.edits import Dropout
from encoder_core.inputs.dropout import apply_dropout
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.recipes import NOTE_TENSORS, VARIANTS, Note
from encoder_core.tutorials import ITEMS
from tests.pages.app import chosen, figures, key_of, link_of, opened, rendered, run, warning_texts

PAGE, TRAINING = page_named("recipes"), "Training and evaluation"
FIGURES = {"nnx": 5, "haiku": 4, "nanolm": 3, "annotated": 2, "article": 6}

OF_MINILM = ("Analogies", "Attention of a word")  # see test_words.py


def with_option(at, label, option):
    """Choose an option of a row of buttons, and run the page."""
    next(group for group in at.button_group if group.label == label).set_value(option)
    return run(at)


def options(at, label):
    return next(group.options for group in at.button_group if group.label == label)


@pytest.mark.parametrize("name", RECIPES)
def test_every_view_and_figure_of_a_recipe_is_drawn(framed, name):
    at = opened(PAGE, recipe=name)
    assert not at.warning
    views = {"Its figures", "Text and code", TRAINING, "All five compared"}
    views |= {"Row by row"} if name in ITEMS else set()
    if name == "nanolm":
        views |= {"Attention by hand", "One-hot by hand"}
    assert set(options(at, "View")) == views
    assert len(options(at, "Figure")) == FIGURES[name]
    for title in options(at, "Figure"):
        assert title in OF_MINILM or list(figures(with_option(at, "Figure", title)))
    without_figure = {"All five compared"} | (set() if RECIPES[name].config().dropout else {TRAINING})
    for view in views - without_figure:
        assert list(figures(with_option(at, "View", view)))


@pytest.mark.parametrize("name", RECIPES)
def test_each_note_with_two_configs_shows_both(framed, name):
    at = with_option(opened(PAGE, recipe=name), "View", "Text and code")
    notes = RECIPES[name].notes
    texts = " ".join(rendered(at))
    assert all(note.title in texts and note.text in texts and note.code in texts for note in notes)
    assert texts.count(":gray[The paper]") == sum(note.paper is not None for note in notes)
    assert all(note.paper in texts for note in notes if note.paper)
    titles = [figure["title"] for figure in figures(at)]
    assert titles.count("as written") == sum(note.as_written is not None for note in notes)
    assert ("both variants give the same numbers" in texts) == (
        RECIPES[name].has_two_variants and None in [note.as_written for note in notes]
    )
    _opens_its_rows(at, name)


def _opens_its_rows(at, name):
    """A note without a figure of its own has buttons for the rows that compute its effect."""
    buttons = [button for button in at.button if button.label.startswith("Row by row: ")]
    assert len(buttons) == {"nnx": 2, "haiku": 1, "nanolm": 0, "annotated": 5, "article": 1}[name]
    assert len(buttons) == sum(len(note.rows) for note in RECIPES[name].notes if not note.tensor)
    for button in buttons[-1:]:
        button.click()
        assert chosen(run(at), "recipe_view") == "Row by row"
        assert any(f". {button.label.removeprefix('Row by row: ')}** " in text.value for text in at.markdown)


def test_the_question_stands_before_the_notes_that_answer_it(framed):
    at = with_option(opened(PAGE, recipe="nnx"), "View", "Text and code")
    texts = [element.value for element in at.main if element.type == "markdown"]
    first_note = RECIPES["nnx"].notes[0].title
    order = [text for text in texts if "**Predict**" in text or first_note in text]
    assert ["**Predict**" in text for text in order] == [True, False]


def captions(at):
    return [caption.value for caption in at.caption]


def test_the_collapse_of_nnx_is_computed(framed):
    at = with_option(opened(PAGE, recipe="nnx"), "View", "Text and code")
    drawn = {figure["title"]: figure for figure in figures(at)}
    assert {"two linear layers", "one affine map", "difference, own scale"} <= set(drawn)
    (caption,) = [text for text in captions(at) if "one affine map" in text]
    assert "W_up is 64 × 256, W_down 256 × 64, so W is 64 × 64: its rank" in caption
    assert "is **64** and cannot be above 64" in caption
    assert "33,088 parameters do in evaluation mode what 4,160 could" in caption
    largest = [float(f"{digit}e-{power}") for digit, power in re.findall(r"(\d)e−(\d)", caption)]
    assert len(largest) == 2
    assert max(largest) < 1e-5


def test_the_rank_of_the_heads_of_nanolm_is_computed(framed):
    at = with_option(opened(PAGE, recipe="nanolm"), "View", "Text and code")
    titles = [figure["title"] for figure in figures(at)]
    assert {"Q Kᵀ, d_head 4", "Q Kᵀ, d_head 32", "singular values"} <= set(titles)
    (caption,) = [text for text in captions(at) if "rank of at most d_head" in text]
    assert "with d_head 4 they have a rank of **4** (at most 4)" in caption
    assert "with d_head 32 they have a rank of **10** (at most 10)" in caption


def test_the_help_of_the_sizes_states_how_the_numbers_are_drawn(framed):
    for recipe in ("nnx", "article"):
        (sizes,) = [text for text in opened(PAGE, recipe=recipe).markdown if "MiB**" in text.value]
        assert "drawn by NumPy from the seed, not with the tutorial's keys" in sizes.help
        assert "standard deviation of 0.02; the libraries initialize them to 0" in sizes.help


def test_matches_of_a_row_with_itself_are_counted_where_another_is_seen(framed):
    """Five tokens under a causal mask: the first sees only itself."""
    (caption,) = [text for text in captions(opened(PAGE, recipe="nnx")) if "Q, K and V are the rows" in text]
    demo = RECIPES["nnx"].demos["attention"]
    batch = demo.inputs(0)
    rows = Encoder.from_parameters(demo.config, demo.parameters(0)).trace(batch.inputs).embedded[0]
    matches = sum(rows[i] @ rows[i] >= max(rows[i] @ rows[j] for j in range(i + 1)) for i in range(1, 5))
    assert f"In **{matches} of 4** rows" in caption
    assert "Not counted: 1 row that can attend to nothing else." in caption


@pytest.mark.parametrize(
    ("name", "variant", "sentence"),
    [
        ("annotated", "as intended", ""),
        ("annotated", "as written", "As written, the code switches every dropout layer to evaluation mode"),
        ("article", "as intended", "This tutorial has no dropout, so training and evaluation give the same numbers."),
    ],
)
def test_the_training_view_says_where_nothing_is_ever_dropped(framed, name, variant, sentence):
    at = opened(PAGE, recipe=name, recipe_variant=variant, recipe_view=TRAINING)
    assert not at.warning
    assert [info.value.startswith(sentence) for info in at.info] == ([True] if sentence else [])
    assert bool(list(figures(at))) == (not sentence)


@pytest.mark.parametrize(
    ("name", "item"), [("nanolm", "parameters-by-part"), ("nanolm", "head-size"), ("nnx", "two-linear-layers")]
)
def test_a_row_about_the_code_opens_the_model_of_the_code(framed, name, item):
    at = opened(PAGE, recipe=name, recipe_view="Row by row", recipe_item=item)
    button = at.button("recipe_items_stage")
    assert button.label.startswith("Open the tutorial's model as written on the page ")
    button.click()
    run(at)
    assert chosen(at, "variant") == "as written"


def test_the_page_says_that_patterns_are_chance(framed):
    at = opened(PAGE)
    assert "Untrained: who attends to whom is chance." in rendered(at)
    at.button("open_trained").click()
    run(at)
    assert chosen(at, "encoder") in ("minilm", "words")


def test_the_size_of_nanolm_as_written_is_the_tutorials(framed):
    at = opened(PAGE, recipe="nanolm", recipe_variant="as written")
    assert any("**3,426,468** parameters = **13.07 MiB**" in text for text in rendered(at))


def test_a_size_without_the_table_of_the_walkthrough_names_both(framed):
    for name, recipe in RECIPES.items():
        (size,) = [text for text in opened(PAGE, recipe=name).markdown if "MiB**" in text.value]
        total = sum(parameters_by_part(recipe.config()).values())
        assert (total != recipe.num_parameters()) == (f"(**{total:,}** on the map)" in size.value)
        assert (total != recipe.num_parameters()) == ("The map counts the table that stands in" in size.help)
        on_map = rendered(opened(stage_named("map"), encoder=name))
        assert any(f"{total:,} parameters" in text.replace("*", "") for text in on_map)
    at = with_option(opened(PAGE), "View", "All five compared")
    assert any("The encoders of nnx and haiku read random rows" in text for text in captions(at))


def test_the_worked_example_is_written_out(framed):
    at = with_option(opened(PAGE, recipe="nanolm"), "View", "Attention by hand")
    scores, weights, output = equations(at)
    for number in ("2.78", "1.39000", "2.23000", "3.07000"):
        assert number in scores
    for number in ("0.11518", "0.26680", "0.61801"):
        assert number in weights
    for number in ("1.10113", "1.20113", "1.30113", "1.40113"):
        assert number in output
    compared = at.dataframe[-1].value
    assert len(compared) == 10
    assert compared["absolute difference"].max() < 1e-6
    assert "The badge has the largest difference as a fraction of the largest number." in captions(at)
    at.selectbox(key=key_of(at, "hand_query")).set_value(3)
    assert r"1.3 \cdot 0.5" in equations(run(at))[0]


def equations(at):
    """The lines of the scores, of the weights and of the output."""
    return [text for text in rendered(at) if text.startswith(("$s_{1} = ", "$w_{1} = ", "$z_{0} = "))]


@pytest.mark.parametrize(
    ("view", "edited", "expected"),
    [
        ("Attention by hand", {"hand_table": "3.0=20"}, r"z_{0} = {{4.128 \cdot 10^{-5}} \cdot 0.5} + "),
        ("Attention by hand", {"hand_table": "1.0=-0.00001"}, r"{0.9 \cdot ({-1 \cdot 10^{-5}})} + "),
        ("One-hot by hand", {"lookup_table": "2.0=0.00001", "lookup_token": "2"},
         r"{1 \cdot {1 \cdot 10^{-5}}} + {0 \cdot (-0.7828)}"),
    ],
)  # fmt: skip
def test_small_numbers_of_the_equations_are_powers_of_ten(framed, view, edited, expected):
    """KaTeX shows 4.128e-05 as the variable e minus 05."""
    at = opened(PAGE, recipe="nanolm", recipe_view=view, **edited)
    shown = [text for text in rendered(at) if re.match(r"\$[swzx]_", text)]
    assert expected in "".join(shown)
    assert not re.search(r"\de-?\d", "".join(shown))


def test_the_one_hot_product_is_written_out(framed):
    at = with_option(opened(PAGE, recipe="nanolm"), "View", "One-hot by hand")
    at.selectbox(key=key_of(at, "lookup_token")).set_value(7)
    row = run(at).dataframe[-1].value["encoder_core"]
    demo = RECIPES["nanolm"].demos["one-hot"]
    np.testing.assert_array_equal(row.to_numpy(np.float32), demo.parameters()["token_embedding"][7])
    (equations,) = [text for text in rendered(at) if text.startswith("$x_0 = ")]
    assert rf"1 \cdot {row.iloc[0]:.5g}".replace("-", "(-") in equations


def test_all_five_are_compared(framed):
    at = with_option(opened(PAGE), "View", "All five compared")
    table = next(text for text in rendered(at) if "| **nnx** |" in text)
    rows = {row.split("|")[1].strip(): row for row in table.splitlines()}
    assert {"norm", "activation", "positions", "embedding scale", "mask", "heads × d_head", "parameters", "bytes",
            "FLOPs"} <= set(rows)  # fmt: skip
    assert "8 × 32 :orange[(8 × 4)]" in rows["heads × d_head"]
    assert "gelu_tanh :orange[(gelu_tanh after the second linear)]" in rows["activation"]
    assert "0.1 :orange[(none)]" in rows["dropout"]
    assert "3,426,468" in rows["parameters"]
    assert "× √d_model :orange[(÷ √d_model)]" in rows["embedding scale"]


def test_the_mask_of_dropout_is_the_one_that_was_drawn(framed):
    at = with_option(opened(PAGE, recipe="haiku"), "View", "Training and evaluation")
    recipe = RECIPES["haiku"]
    encoder, (inputs, mask, _) = Encoder.recipe("haiku"), recipe.inputs(0)
    before = encoder.trace(inputs, mask).layers[0].attn_out[0]

    def caption():
        return next(text for text in rendered(at) if "were dropped" in text)

    for seed in (0, 1):
        kept = encoder.trace(inputs, mask, [Dropout(seed)]).kept.layers[0].attn_out[0]
        assert f"**{(~kept).sum():,}** were dropped" in caption()
        assert (apply_dropout(before, kept, 1 / 0.9) == 0).sum() == (~kept).sum()
        next(button for button in at.button if button.label == "Draw another mask").click()
        run(at)


def test_the_change_by_dropout_names_what_it_was_measured_on(framed):
    """The row by row view measures another input and another draw, and says so: its percentage is not this one."""
    recipe = RECIPES["haiku"]
    encoder, (inputs, mask, _) = Encoder.recipe("haiku"), recipe.inputs(0)
    at = opened(PAGE, recipe="haiku", recipe_view="Training and evaluation", sentence="2", dropout_seed="3")
    outputs = [encoder.trace(inputs, mask, edits).output[1] for edits in ([], [Dropout(3)])]
    change = f"drawn with seed 3, changes the output of sentence 2 by **{relative_change(*outputs):.0%}**"
    caption = next(text for text in rendered(at) if change in text)
    assert "is another measurement of this effect" in caption
    at = opened(PAGE, recipe="haiku", recipe_view="Row by row", recipe_item="training-and-evaluation")
    assert any("This is one draw of dropout, measured over both sentences" in text for text in rendered(at))


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
def test_an_unknown_recipe_in_a_link_has_a_notice(framed, link, sentence):
    at = opened(PAGE, **link)
    assert any(sentence in notice for notice in warning_texts(at)), warning_texts(at)
    assert list(figures(at))


def test_the_button_sets_the_sidebar(framed):
    at = opened(PAGE, recipe="article", recipe_variant="as written", text="my own words", heads="2")
    next(button for button in at.button if button.label == "Open in the walkthrough").click()
    run(at)
    assert (chosen(at, "encoder"), chosen(at, "variant")) == ("article", "as written")
    at = opened(stage_named("map"), encoder="article", variant="as written", text="my own words", heads="2")
    assert not at.text_area
    at.selectbox(key=key_of(at, "encoder")).set_value("random")
    run(at)
    assert at.text_area[0].value == "my own words"
    assert chosen(at, "heads") == 2


def difference_notices(stage, **link):
    """The sentences of a stage on points in which the text and the code of the tutorial differ."""
    texts = rendered(opened(stage_named(stage), **link))
    return [text for text in texts if "The text and the code of this tutorial" in text]


def test_a_stage_says_where_text_and_code_disagree(framed):
    (notice,) = difference_notices("feed_forward", encoder="nnx", variant="as written")
    assert "differ here (“GELU after the second linear layer”)" in notice
    assert "as written" in notice
    assert "as intended" in difference_notices("feed_forward", encoder="nnx")[0]
    assert difference_notices("scaled_scores", encoder="nnx") == []
    assert difference_notices("feed_forward") == []


def test_a_stage_says_where_text_and_code_agree_and_differ_from_the_paper(framed):
    (notice,) = difference_notices("embedding", encoder="annotated")
    assert "agree here, but differ from the paper (“Divided, not multiplied”)" in notice
    assert "Variant on this page: as intended (as in the paper)." in notice
    assert (
        "Variant on this page: as written."
        in difference_notices("embedding", encoder="annotated", variant="as written")[0]
    )


def test_a_stage_says_that_a_recipe_of_one_variant_follows_the_code(framed):
    (notice,) = difference_notices("positions", encoder="haiku")
    assert "This recipe follows the code here, because the tutorial's encoder does not contain the table" in notice
    assert "Variant on this page" not in notice


def test_the_missing_biases_of_the_article_are_no_difference(framed):
    for variant in VARIANTS:
        assert difference_notices("qkv", encoder="article", variant=variant) == []


def test_a_figure_of_a_smaller_example_shows_the_chosen_variant():
    demo = RECIPES["nnx"].demos["block"]
    outputs = []
    for variant in VARIANTS:
        model = demo_model("nnx", "block", variant, 0)
        assert (model.settings.variant, model.config) == (variant, demo.config_of(variant))
        outputs.append(model.trace.output)
    intended, written = outputs
    assert np.abs(intended - written).max() > 0.5
    # The code's GELU is the last that the network does: no number that it adds is below the GELU's least value.
    assert model.trace.layers[0].mlp_out.min() > -0.171


def test_captions_say_what_a_figure_has_that_the_recipe_has_not(framed):
    at = opened(PAGE, recipe="nnx", recipe_figure="Attention", recipe_view="Its figures")
    assert any("Attention over 5 tokens of width 4" in text for text in captions(at))
    at = opened(PAGE, recipe="article", recipe_figure="Sinusoids", recipe_view="Its figures")
    assert any("The sentences have 20 words here" in text for text in captions(at))


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


@pytest.mark.parametrize("name", ITEMS)
def test_a_link_opens_a_row_of_the_table(framed, name):
    last = len(ITEMS[name])
    at = opened(PAGE, recipe=name, recipe_view="Row by row", recipe_item=ITEMS[name][-1].name)
    assert not at.warning
    assert any(text.startswith(f"**{last}. ") for text in rendered(at))
    next(button for button in at.button if button.label == "Previous row").click()
    assert chosen(run(at), "recipe_item") == ITEMS[name][-2].name
    assert any(text.startswith(f"**{last - 1}. ") for text in rendered(at))


def _every_row(name):
    from dashboard.lessons.recipes.items import findings_of, render_item
    from encoder_core.tutorials import ITEMS

    for number, (item, finding) in enumerate(zip(ITEMS[name], findings_of(name, 0), strict=True)):
        render_item(item, finding, key=f"figure_{number}")


@pytest.mark.parametrize("name", ITEMS)
def test_every_row_of_a_tutorial_is_rendered(name):
    """All rows in one run, because a run of the page for each of them would take a minute."""
    at = run(AppTest.from_function(_every_row, default_timeout=120, args=(name,)))
    assert sum(1 for _ in figures(at)) >= len(ITEMS[name])
    texts = " ".join(rendered(at))
    assert all(item.meaning in texts for item in ITEMS[name])


def test_an_unknown_row_is_reported(framed):
    at = opened(PAGE, recipe="nnx", recipe_view="Row by row", recipe_item="no-such-row")
    (warning,) = warning_texts(at)
    assert "no-such-row" in warning
    assert any(text.startswith("**1. ") for text in rendered(at))


def test_a_row_opens_the_experiment_on_its_claim(framed):
    at = opened(PAGE, recipe="nnx", recipe_view="Row by row", recipe_item="scaling-factor")
    at.button(key="recipe_items_experiment").click()
    assert link_of(run(at))["experiment"] == ["score-scaling"]


@pytest.fixture
def sixth(monkeypatch):
    """A new recipe with a note for each tensor, and nothing else than its entry in RECIPES."""
    haiku = RECIPES["haiku"]
    intended = replace(haiku.config(), output_head=True)
    written = replace(intended, norm_eps=0.1)
    notes = tuple(Note(f"about {name}", "a", "b", None, "text", intended, written, name) for name in NOTE_TENSORS)
    variants = dict(zip(VARIANTS, (intended, written), strict=True))
    recipe = replace(haiku, name="sixth", title="A sixth tutorial", variants=variants, notes=notes)
    monkeypatch.setitem(RECIPES._items, "sixth", recipe)
    monkeypatch.setitem(OPTIONS, "encoder", (*OPTIONS["encoder"], "sixth"))
    return recipe


def test_a_new_recipe_has_figures_and_notes_and_needs_no_question(framed, sixth):
    at = opened(PAGE, recipe="sixth")
    assert not at.exception
    assert set(options(at, "View")) == {"Its figures", "Text and code", TRAINING, "All six compared"}
    for title in options(at, "Figure"):
        assert list(figures(with_option(at, "Figure", title)))
    assert not any("**Predict**" in text for text in rendered(at))
    at = with_option(at, "View", "Text and code")
    assert not at.exception
    assert [figure["title"] for figure in figures(at)].count("as written") == len(NOTE_TENSORS)
    assert "| **sixth** |" in "".join(rendered(with_option(at, "View", "All six compared")))


def test_a_note_about_any_tensor_is_announced_on_a_stage_that_shows_it(framed, sixth):
    settings = Settings.from_state({"encoder": "sixth"})
    announced = {stage.name: " ".join(tutorial_differences(settings, stage.name)) for stage in STAGES}
    for note in sixth.notes:
        assert any(f"“{note.title}”" in text for text in announced.values())
    assert "“about z”" in announced["weighted_values"]


def test_a_note_names_a_tensor_that_can_be_shown(unchecked):
    with pytest.raises(ValueError, match="tensor='scores' is invalid: allowed are None, 'token_embedding'"):
        Note("a", "b", "c", tensor="scores")
