"""The views of the full stack on predictions: of a recipe, of a post-norm encoder, and without an output head."""

import re

import numpy as np
import pytest

from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.state.choices import OUTPUT_ID
from dashboard.state.settings import Settings
from encoder_core import RECIPES, Encoder, EncoderConfig, HeadFactor
from encoder_core.analysis import logit_attribution, logit_lens, softmax
from encoder_core.recipes import Recipe
from encoder_core.support.number_format import format_number
from tests.core.reference import random_parameters
from tests.pages.app import chosen, derivations, figures, key_of, link_of, opened, rendered, run, warning_texts

STAGE = stage_named("full_stack")
VIEWS = ("Predicted tokens", "Logit lens", "Logit attribution")
SMALL = EncoderConfig(vocab_size=100, d_model=16, num_heads=2, d_ff=32, num_layers=2, use_bias=False, output_head=True)
NAMES = ("__bold__", "<b>", "$x$", "x" * 60, *map(str, range(4, 100)))


@pytest.fixture
def small(monkeypatch):
    """Instead of nanolm: a small post-norm encoder without biases, whose vocabulary has signs of markdown and HTML."""
    encoder = Encoder.from_parameters(SMALL, random_parameters(SMALL, np.random.default_rng(0)))
    monkeypatch.setattr(Encoder, "recipe", lambda *_: encoder)
    monkeypatch.setattr(Recipe, "vocabulary", NAMES)
    return encoder


def viewed(view, seed=0, **link):
    """The page with a view. The seed distinguishes the models, which the app caches."""
    return opened(STAGE, encoder="nanolm", view=view, seed=str(seed), **link)


def caption(at):
    return next(text.value for text in at.main.caption if "vocabulary" in text.value or "probability" in text.value
                or "contributions" in text.value)  # fmt: skip


def texts(at):
    return [text for row in next(figures(at))["data"][0]["text"] for text in row]


def test_predicted_tokens_of_nanolm(framed):
    at = viewed("Predicted tokens", token="3")
    inputs, mask, _ = RECIPES["nanolm"].inputs()
    logits = Encoder.recipe("nanolm").trace(inputs, mask).logits[0]
    best = int(logits[2].argmax())
    share = softmax(logits[2])[best]
    assert texts(at)[10] == f"id {best}: {round(100 * share)}%"
    (derivation,) = derivations(at)
    assert derivation["trace_value"] == pytest.approx(float(share), rel=1e-5)
    assert derivation["steps"][3]["value"] == pytest.approx(np.exp(logits[2] - logits[2].max()).sum(), rel=1e-5)
    assert "not trained: which tokens it predicts is chance" in caption(at)
    at.selectbox(key=key_of(at, "output_id")).set_value(7)
    run(at)
    assert link_of(at)["output_id"] == ["7"]
    assert f"rank {(logits[2] > logits[2, 7]).sum() + 1}." in caption(at)
    assert right_answers(at) == [f"{format_number(np.exp(float(logits[2, best]) - float(logits[2, 7])), 3)} times"]


@pytest.mark.parametrize("view", ["Predicted tokens", "Logit lens"])
def test_a_probability_below_1_is_not_said_to_be_1(framed, view):
    """The small encoder of letters is nearly certain: 0.99998 has three digits that are those of 1."""
    model = model_for(Settings.from_state({"encoder": "reverse"}))
    probabilities = softmax(model.trace.logits[0]).max(axis=-1)
    sure = int(probabilities.argmax())
    assert 0.9995 < probabilities[sure] < 1
    at = opened(STAGE, encoder="reverse", view=view, token=str(sure + 1))
    assert any(cell.endswith(": &gt;99%") for cell in texts(at))  # as HTML
    assert not any(cell.endswith("100%") for cell in texts(at))
    text = caption(at)
    assert "about 1" in text
    assert not re.search(r"probability(?: of| of “.*?” is)? [01]\b(?!\.)|and [01] after", text)


def test_the_lens_of_a_post_norm_encoder(framed, small):
    at = viewed("Logit lens", seed=91, token="2", output_id="9")
    inputs, mask, _ = RECIPES["nanolm"].inputs(91)
    lens = softmax(logit_lens(small.run(inputs, mask))[:, 1])
    assert "With post-norm, the output of a layer is already normed; the input of the first layer is not" in caption(at)
    at.button_group(key=key_of(at, "numbers")).set_value("“9”")
    table = run(at).dataframe[0].value
    np.testing.assert_allclose(table.iloc[:, 1], lens[:, 9], atol=1e-6)
    assert list(table.index) == ["in", "1", "2"]


def test_the_attribution_of_a_post_norm_encoder(framed, small):
    at = viewed("Logit attribution", seed=92, token="2", layer="2", head="2", output_id="9")
    inputs, mask, _ = RECIPES["nanolm"].inputs(92)
    attribution = logit_attribution(small.run(inputs, mask), 1, 9)
    (derivation,) = derivations(at)
    assert derivation["result"] == pytest.approx(attribution.logit, abs=1e-5)
    assert "passes through all later norms" in caption(at)
    heat, sums, *_ = figures(at)
    assert heat["columns"]["names"] == ["head 1", "head 2", "FFN", "shifts"]
    assert sums["rows"]["names"] == ["embedding", "position", "heads 1", "FFN 1", "heads 2", "FFN 2", "bias, shifts"]
    assert f"head 2 of layer 2 contributes {attribution.heads[1, 1]:.3f}"[:-1].replace("-", "−") in rendered_question(
        at
    )

    without = small.trace(inputs, mask, [HeadFactor(1, 1)]).logits[0, 1, 9]
    fall = (attribution.logit - without) * np.sign(attribution.heads[1, 1])
    compared = "more" if fall > abs(attribution.heads[1, 1]) else "less"
    (answer,) = right_answers(at)
    assert f"by {compared}" in answer


def test_what_is_0_is_not_among_the_largest_contributions(framed):
    """Without the residual connection of the last feed-forward network, nothing before it reaches the logit."""
    at = opened(STAGE, encoder="nanolm", view="Logit attribution", edits="residual.5.mlp=0")
    largest = re.search(r"Largest: (.*?)\. ", caption(at) + " ")[1]
    assert "layer 6, FFN: " in largest
    assert "0.00" not in largest.replace("−", "")


def right_answers(at):
    """The options of the question that are right."""
    right = []
    for option in at.radio[0].options:
        at.radio[0].set_value(option)
        right += [option] * len(run(at).success)
    return right


def rendered_question(at):
    return next(text for text in rendered(at) if text.startswith("**Predict**"))


@pytest.mark.parametrize("view", VIEWS)
def test_names_of_output_tokens_are_shown_literally_and_one_answer_is_right(framed, small, view):
    for token_id in range(4):
        at = viewed(view, seed=93, output_id=str(token_id))
        for text in rendered(at):
            assert "__bold__" not in text
            assert "x" * 20 not in text
            assert "$x$" not in text
        for figure in figures(at):
            traces = [{name: part for name, part in trace.items() if name != "hovertext"} for trace in figure["data"]]
            assert "<b>" not in str((traces, figure["layout"]))
    assert len(right_answers(at)) == 1
    assert not warning_texts(at)


@pytest.mark.parametrize("view", VIEWS)
def test_an_encoder_without_an_output_head_says_so(framed, view):
    at = opened(STAGE, view=view)
    assert warning_texts(at) == [
        f"The link has view = “{view}”. This encoder has no output head, so it makes no predictions. All heads is used."
    ]
    assert "Prediction" not in at.button_group(key="view_group").options
    assert chosen(at, "view") is None


def test_an_output_token_that_does_not_exist_is_reported(framed, small):
    at = viewed("Logit lens", seed=93, output_id="100")
    assert warning_texts(at) == ["The link has output_id = “100”; allowed are 0 to 99."]
    assert at.session_state["session"].get(OUTPUT_ID) is None


def test_a_head_whose_effect_has_the_other_sign(framed):
    """As written, the first head contributes to a logit that rises without it: later parts outweigh it."""
    at = opened(STAGE, encoder="nanolm", variant="as written", view="Logit attribution", token="1", output_id="7")
    model = model_for(Settings.from_state({"encoder": "nanolm", "variant": "as written"}))
    contribution = logit_attribution(model.run, 0, 7).heads[0, 0]
    before, after = model.trace.logits[0, 0, 7], model.trace_with(HeadFactor(0, 0)).logits[0, 0, 7]
    assert contribution > 0
    assert after - before > 2 * contribution
    (answer,) = right_answers(at)
    assert answer == "it falls by less, or even rises"
    at.radio[0].set_value(next(option for option in at.radio[0].options if "more" in option))
    assert any("here, because of them, it rises." in text for text in rendered(run(at)))
