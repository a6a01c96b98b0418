"""The small trained encoders in the sidebar: their input, their untrained state, and the note on random encoders."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.models import model as model_module
from dashboard.models.ablation import ablation, output_without_head
from dashboard.models.geometry import plane_of, vectors_of
from dashboard.models.model import model_for
from dashboard.models.story import story_head
from dashboard.models.variants import model_with_norm, untrained_model, with_edits
from dashboard.page_list import stage_named
from dashboard.state.offered_encoders import TASK_ENCODERS
from dashboard.state.setting_parameters import DEFAULT_TEXT, DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import HeadFactor, ablate_heads
from encoder_core.training.shipped import initial_encoder
from tests.pages.app import chosen, derivations, figures, key_of, opened, rendered, run, warning_texts


def settings(**values: object) -> Settings:
    """Settings with some values that are not the defaults."""
    return Settings.from_state(DEFAULTS | values)


def test_every_stage_shows_a_trained_encoder(framed, stage):
    at = opened(stage, encoder="reverse", layer="2")
    assert not at.warning
    assert not [text for text in rendered(at) if "recomputed" in text and not text.startswith(":green-badge")]
    derivation = derivations(at)[0]
    assert derivation["difference"] <= 1e-5 * max(1, abs(derivation["trace_value"]))
    assert list(figures(at))
    assert "Untrained: who attends to whom is chance." not in rendered(at)


@pytest.mark.parametrize("encoder", TASK_ENCODERS)
def test_the_sidebar_explains_the_input(framed, encoder):
    at = opened(stage_named("map"), encoder=encoder)
    assert not at.warning
    task = settings(encoder=encoder).task
    assert f"**{task.title}**, trained. {task.goal}" in rendered(at)
    example = task.examples[1]
    at.button(f"example_{encoder}_1").click()
    run(at)
    assert chosen(at, "text" if task.reads_sentences else "input") == example
    assert not at.warning


def test_an_input_that_the_task_cannot_read_is_kept_and_explained(framed):
    at = opened(stage_named("softmax"), encoder="reverse", input="hel1o")
    assert warning_texts(at) == [
        "A line of the input is ignored: the input has “1”. Allowed are up to 10 letters from a to z, such as "
        "“encoder”; spaces do not count.",
        "The example “encoder” is used instead.",
    ]
    assert chosen(at, "input") == "hel1o"
    at.text_area(key_of(at, "input")).input("hello")
    run(at)
    assert not at.warning
    assert model_for(settings(encoder="reverse", input="hello")).batch.tokens == (tuple("hello"),)


def test_a_long_input_is_cut(framed):
    at = opened(stage_named("softmax"), encoder="bracket", input="()" * 7)
    assert warning_texts(at)[0].startswith("An input was cut at 12 tokens; 2 more are ignored.")


def test_words_read_the_default_text(framed):
    model = model_for(settings(encoder="words"))
    assert not any("[UNK]" in row for row in model.batch.tokens)
    words = [line.lower().replace(",", " ,").split() for line in DEFAULT_TEXT.splitlines()]
    assert [[*row] for row in model.batch.tokens] == [[*words[0], "[PAD]", "[PAD]"], words[1]]


def test_the_untrained_state_has_the_same_input_and_edits():
    trained = with_edits(model_for(settings(encoder="reverse", input="abc")), (HeadFactor(1, 0, 0.0),))
    untrained = untrained_model(trained)
    assert untrained.batch.tokens == (("a", "b", "c"),)
    assert untrained.edits == trained.edits
    expected = initial_encoder("reverse").trace("abc", "padding", trained.edits)
    np.testing.assert_array_equal(untrained.trace.output, expected.output)
    assert untrained_model(model_for(settings())) is None


def test_what_is_measured_of_a_model_is_that_of_its_own_encoder(framed):
    """The initial state and another norm have the settings of the trained encoder."""
    model = model_for(settings(encoder="reverse", input="abc"))
    places = tuple((0, token) for token in range(3))
    for other in (model, untrained_model(model), model_with_norm(model.settings, "pre", ()), model):
        expected = ablate_heads(other.encoder, other.batch, other.mask)
        np.testing.assert_array_equal(ablation(other, 0).heads, expected)
        without = other.trace_with(HeadFactor(0, 1, 0.0)).output[0]
        np.testing.assert_allclose(output_without_head(other, 0, 0, 1), without, atol=1e-6)
        centre = vectors_of(other, places).reshape(-1, other.config.d_model).mean(axis=0)
        np.testing.assert_allclose(plane_of(other, places).origin, centre, atol=1e-5)


def test_a_run_that_is_removed_while_a_page_reads_it_gives_the_random_encoder(monkeypatch):
    """Its checkpoint was there when the settings were read."""
    monkeypatch.setattr(model_module, "with_existing_checkpoint", lambda settings: settings)
    gone = settings(encoder="checkpoint", run="gone", checkpoint=20)
    assert model_for(gone) is model_for(replace(gone, encoder="random"))


def test_the_untrained_state_next_to_the_trained_one(framed):
    at = opened(stage_named("softmax"), encoder="reverse", layer="2", key_token="7", untrained="true")
    titles = [figure["title"] for figure in figures(at)]
    before, after = titles.index("weights, untrained"), titles.index("weights, trained")
    shown = list(figures(at))
    scales = [shown[index]["data"][0]["zmax"] for index in (before, after)]
    assert scales == [1.0, 1.0]
    numbers = [text for text in rendered(at) if text.startswith("The outlined cell is")]
    values = [
        format(float(encoder.trace.layers[1].pattern[0, 0, 0, 6]), ".3g")
        for encoder in (untrained_model(model_for(settings(encoder="reverse"))), model_for(settings(encoder="reverse")))
    ]
    assert numbers == [f"The outlined cell is **{values[0]}** before training and **{values[1]}** after it."]


def test_a_random_encoder_says_so_and_leads_to_a_trained_one(framed, stage):
    at = opened(stage, text="The cat saw the dog.", token="2", edits="score.0.0.0.1.0=5")
    assert "Untrained: who attends to whom is chance." in rendered(at)
    at.button("open_trained").click()
    run(at)
    assert chosen(at, "encoder") in ("minilm", "words")
    assert chosen(at, "text") == "The cat saw the dog."
    assert chosen(at, "edits") == (), "its tokens have other numbers"
    assert "Untrained: who attends to whom is chance." not in rendered(at)


def test_with_the_default_text_the_trained_encoder_opens_at_the_head_of_the_start_page(framed):
    at = opened(stage_named("softmax"), layer="2", head="3")
    at.button("open_trained").click()
    run(at)
    head = story_head(chosen(at, "encoder"))
    assert (chosen(at, "layer"), chosen(at, "head")) == (head.layer + 1, head.head + 1)


@pytest.mark.parametrize(("encoder", "kind"), [("random", "a"), ("words", "another")])
def test_the_table_of_a_trained_encoder_is_not_the_only_trained_one(framed, encoder, kind):
    texts = rendered(opened(stage_named("embedding"), encoder=encoder))
    assert any(f"to see the same figure for {kind} trained table" in text for text in texts)
