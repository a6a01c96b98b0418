"""The transitions between the stages: true in every state, and each why opens its demonstration."""

import re

import numpy as np
import pytest

from dashboard.glossary import explain_terms, without_marks
from dashboard.lessons.transitions import ending
from dashboard.lessons.transitions.page import TRANSITIONS
from dashboard.lessons.transitions.transition import Demonstration
from dashboard.models.model import model_for
from dashboard.models.variants import with_edits
from dashboard.page_list import PAGES, STAGES, page_named, stage_named
from dashboard.state.settings import Settings
from encoder_core import HideToken, SetScore
from encoder_core.inputs.mask_link import parse_mask
from tests.pages.app import chosen, link_of, opened, rendered, run

MODELS = {
    "default": {},
    "smallest": {"text": "word", "d_model": 4, "heads": 4, "d_ff": 8, "layers": 1},
    "one head, pre-norm, no positions": {"heads": 1, "norm": "pre", "positions": "none", "scaled": False},
    "padded, causal": {"text": "it\nthe cat saw it", "mask": "both"},
    "reverse": {"encoder": "reverse"},
    "words": {"encoder": "words"},
    "nnx as written": {"encoder": "nnx", "variant": "as written"},
    "nanolm": {"encoder": "nanolm"},
}


@pytest.fixture(params=MODELS.values(), ids=MODELS)
def model(request):
    return model_for(Settings.from_state(request.param))


def text(name, **settings):
    """All texts of a stage as a reader sees them."""
    transition = TRANSITIONS[name](model_for(Settings.from_state(settings)))
    return without_marks(" ".join([transition.opening, transition.closing, *(why.answer for why in transition.whys)]))


def test_one_token_is_not_called_each():
    assert "needs 1 token with an integer id." in text("map", text="Hello")
    assert "needs 2 tokens, each with an integer id." in text("map", text="Hello you")
    assert "needs 2 sentences of 1 token, each with an integer id." in text("map", text="Hello\nYou")


def demonstrations(model):
    for transition in (TRANSITIONS[stage.name](model) for stage in STAGES):
        yield from (why.demonstration for why in transition.whys)
    yield from (section.demonstration for section in ending.endings(model))


def test_every_stage_has_a_transition(model):
    assert list(TRANSITIONS) == [stage.name for stage in STAGES]
    for name in TRANSITIONS:
        transition = TRANSITIONS[name](model)
        texts = [transition.opening, transition.closing, *(why.answer for why in transition.whys)]
        assert bool(transition.closing) == (name != STAGES[-1].name)  # the last stage has the ending
        assert bool(transition.whys) == bool(transition.why_label) == (name not in ("map", "full_stack"))
        for part in texts:
            explain_terms(part)  # raises an error for a term that is not in the glossary
            assert not re.search(r"\b1 (number|token|score|weight|head|row|layer|product|sentence)s\b", part), part
            assert "None" not in part
            assert part == part.strip()


def test_every_demonstration_is_a_view_of_the_app(model):
    for demonstration in demonstrations(model):
        assert isinstance(demonstration, Demonstration)
        assert page_named(demonstration.page) in PAGES
        for parameter, value in demonstration.changes:
            assert value is None or parameter.parse(parameter.format(value)) == value


def test_texts_state_the_sizes_of_the_model():
    sizes = {"text": "one two three\nfour", "d_model": 24, "heads": 3, "d_ff": 40, "layers": 2}
    assert "2 sentences of up to 3 tokens" in text("map", **sizes)
    assert "row of 24 numbers in the embedding table E of 6 rows" in text("embedding", **sizes)
    assert "three vectors of 8 numbers" in text("qkv", **sizes)
    assert "divided by √8. The mask hides padding from every query." in text("scaled_scores", **sizes)
    assert "all 3 heads, 3 × 8 = 24 numbers" in text("weighted_values", **sizes)
    assert "from 24 numbers to 40 (**expand**), through ReLU" in text("feed_forward", **sizes)
    assert "applies 2 layers in sequence" in text("full_stack", **sizes)
    narrow = text("feed_forward", **sizes | {"d_ff": 8})
    assert "to 8 (**narrow**), through" in narrow
    assert "back to 24 (**widen**)" in narrow


def test_texts_follow_the_choices_of_the_model():
    assert "this model adds no position encoding" in text("positions", positions="none")
    assert "adds no" not in text("positions")
    assert "This model is an example" in text("positions", positions="none")
    ordered = text("positions", positions="none", mask="causal")
    assert "its mask can make the order matter" in ordered
    assert "an example" not in ordered, "its outputs depend on the order"
    unscaled = text("scaled_scores", scaled=False, mask="none")
    assert "their dot product. No key is masked." in unscaled
    assert "In this model the scores are not divided" in unscaled
    for settings, label in (({}, "Why √16?"), ({"scaled": False}, "Why divide scores?")):
        transition = TRANSITIONS["scaled_scores"](model_for(Settings.from_state(settings)))
        assert transition.why_label == label
        assert ("do other encoders" in transition.whys[0].question) == (label != "Why √16?")
    assert "norm(x + sublayer(x))" in text("add_and_norm")
    assert "x + sublayer(norm(x))" in text("add_and_norm", norm="pre")
    assert "norm1 normalises first" in text("positions", norm="pre")
    assert "a single head" in text("multi_head", heads=1)
    assert "4 heads in each layer" in text("multi_head")
    written = text("feed_forward", encoder="nnx", variant="as written")
    assert "There is no activation between the two linear layers." in written
    assert "as in the tutorial's code" in written
    assert "this encoder has one" in text("full_stack", layers=1)


def test_the_end_reads_the_pronoun_in_the_current_model():
    pronoun, _, decoder = ending.endings(model_for(Settings.from_state({})))
    model = model_for(Settings.from_state({}))
    words = model.batch.tokens[0]
    it, cat = words.index("it"), words.index("cat")
    weights = [layer.pattern[0, head, it, cat] for layer in model.trace.layers for head in range(4)]
    assert f"**{max(weights):.2f}**" in pronoun.text
    assert f"The mean over all heads is {sum(weights) / 16:.2f}" in pronoun.text
    assert "untrained" in pronoun.text
    assert "may attend to both sides" in decoder.text
    other = ending.endings(model_for(Settings.from_state({"text": "no such words"})))[0]
    assert other.demonstration.page == "start"
    trained, other, twice = (
        ending.endings(model_for(Settings.from_state({"encoder": "words"} | text)))[0].text
        for text in ({}, {"text": "the cat sleeps . it is"}, {"text": "the cat sees the cat . it is"})
    )
    assert "our reading of one head" in trained
    assert "A weight does not say what “it” refers to" in other
    assert other.startswith("“it” gives “cat” most")
    assert twice.startswith("“it” gives token 2 “cat” most")


@pytest.mark.parametrize(
    ("settings", "label", "new"),
    [
        ({}, "on", "both"),
        ({"mask": "none"}, "on", "causal"),
        ({"mask": "causal"}, "off", "none"),
        ({"mask": "both"}, "off", "padding"),
        ({"encoder": "nanolm"}, "off", "none"),
        ({"encoder": "nanolm", "recipe_mask": "none"}, "on", "causal"),
    ],
)
def test_the_end_switches_the_causal_mask(settings, label, new):
    model = model_for(Settings.from_state(settings))
    section = ending.endings(model)[-1]
    assert section.demonstration.label == f"Switch the causal mask {label}"
    ((parameter, value),) = section.demonstration.changes
    assert (parameter.name, value) == ("recipe_mask" if "encoder" in settings else "mask", new)
    assert ("**0%** of all attention weight goes to later tokens" in section.text) == (label == "off")


@pytest.mark.parametrize(
    ("settings", "edits", "label", "text"),
    [
        ({"text": "Hi", "mask": "causal"}, (), "off", "as a decoder has. Here, no token has a later one."),
        ({"text": "Hi", "mask": "both"}, (), "off", "as a decoder has. Here, no token has a later one."),
        ({"text": "Hi"}, (), "on", "may attend to both sides, but here no token has a later one."),
        ({"text": "Hi you"}, (HideToken(0, 0), HideToken(0, 1)), "on",
         "both sides, but here all attention weights are 0."),
        ({"text": "Hi you", "mask": "causal"}, (HideToken(0, 0), HideToken(0, 1)), "off",
         "as a decoder has. Here, all attention weights are 0."),
        ({"text": "Hi you"}, (HideToken(0, 1),), "on", "both sides, but here **0%** of all attention weight goes to"),
        ({"text": "Hi you", "mask": "causal"}, (SetScore(0, 0, 0, 0, 1, 50.0),), "off",
         "as a decoder has. Here, **3%** of all attention weight goes to later tokens, because you set scores"),
        ({"text": "Hi you"}, (), "on", "both sides: for this text, **"),
    ],
)  # fmt: skip
def test_the_end_knows_the_mask_of_few_tokens_and_of_edits(settings, edits, label, text):
    """4 layers of 4 heads have 32 rows of 2 weights. The edited score takes all of the weight of one row: 3%."""
    model = with_edits(model_for(Settings.from_state(settings)), edits)
    section = ending.endings(model)[-1]
    assert text in section.text
    assert section.demonstration.label == f"Switch the causal mask {label}"


@pytest.mark.parametrize("mask", ["padding", "none"])
def test_the_end_leaves_out_padding(mask):
    settings = {"text": "the cat saw it and ran\nthe dog", "d_model": 8, "heads": 2, "layers": 2, "mask": mask}
    model = model_for(Settings.from_state(settings))
    weights = np.stack([layer.pattern for layer in model.trace.layers]).swapaxes(2, 3)[:, model.batch.real]
    later = np.triu(np.ones((6, 6)), 1)[[*range(6), 0, 1]][:, None]
    later[6:, :, 2:] = 0  # padding
    share = (weights * later).sum() / weights.sum()
    left_out = "padding counts neither as a query nor as a later token"
    text = f"**{share:.0%}** of all attention weight goes to later tokens ({left_out})"
    assert text in ending.endings(model)[-1].text


def click(at, key):
    at.button(key=key).click()
    return run(at)


def test_whys_open_their_demonstrations(framed):
    at = opened(stage_named("softmax"))
    click(at, "why softmax 0")
    assert link_of(at) == {"temperature": ["0.5"]}
    click(at, "why softmax 1")
    assert at.title[0].value == page_named("experiments").title
    assert chosen(at, "experiment") == "softmax-maximum"


def test_the_last_page_switches_the_mask_and_shows_the_pronoun(framed):
    at = click(opened(stage_named("full_stack")), "ending 2")
    assert chosen(at, "mask") == "both"
    assert any("**0%** of all attention weight" in part for part in rendered(at))
    click(at, "ending 0")
    assert (chosen(at, "view"), chosen(at, "token"), chosen(at, "key_token")) == ("One word", 16, 3)


def page_text(name, **link):
    """Everything on the page, without the links of terms."""
    at = opened(page_named(name), **link)
    shown = "\n".join([*rendered(at), *(formula.value for formula in at.latex)])
    return re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", shown)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"mask": "none"}, "No key is masked."),
        ({"mask": "both"}, "The mask hides some keys from some queries."),
        ({"mask": "custom", "custom_mask": "nothing.2"}, "The mask hides every key from every query."),
        ({"text": "a\nb c"}, "The mask hides padding from every query."),
        (
            {"encoder": "haiku", "edits": "dropout.0"},
            "In each sentence, the mask hides the same random keys from every query; this app names them \\[PAD].",
        ),
    ],
)
def test_what_the_mask_hides_is_said(settings, sentence):
    assert sentence in page_text("scaled_scores", **settings)


def test_a_noun_that_the_pronoun_cannot_attend_to_is_not_said_to_get_a_weight():
    for text, page in (("it saw the cat", "start"), ("the cat saw it", "full_stack")):
        model = model_for(Settings.from_state({"text": text, "mask": "causal", "d_model": 8, "layers": 1}))
        assert ending.endings(model)[0].demonstration.page == page


def test_a_mask_that_hides_earlier_keys_as_well_has_no_switch_of_a_causal_mask():
    mask = parse_mask("nothing.2")
    model = model_for(Settings.from_state({"mask": "custom", "custom_mask": mask, "d_model": 8, "layers": 1}))
    assert ending.endings(model)[-1].demonstration.label == "Switch the causal mask on"


def test_a_mask_that_hides_every_key_is_not_called_causal(framed):
    assert "a token may attend to both sides" in page_text("full_stack", mask="custom", custom_mask="nothing.2")
    assert "This model has a causal mask" in page_text("full_stack", mask="causal")


def test_the_end_says_where_its_numbers_are_from(framed):
    assert "so both numbers are chance" in page_text("full_stack")
    assert "Both numbers are those after your edits." in page_text("full_stack", edits="score.0.0.0.15.2=50")


def test_equal_words_have_their_numbers_in_the_question_about_both_directions():
    first, second = "token 1 “dog”", "token 2 “dog”"
    pairs = f"of query {first} and key {second} compare with that of query {second} and key {first}?"
    assert pairs in page_text("qkv", text="dog dog")


@pytest.mark.parametrize(
    ("scale", "formula"),
    [("none", r"} &= \overbrace{E}"), ("sqrt_d", r"} &= \sqrt{d_"), ("inv_sqrt_d", r"} &= \tfrac{1}{")],
)
def test_the_formula_of_the_map_has_the_factor_of_the_embedding(scale, formula):
    assert formula in page_text("map", scale=scale)
