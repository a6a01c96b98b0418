"""What the pages say where numbers are equal or 0, where nothing is visible, and in encoders of another kind."""

from types import SimpleNamespace

import numpy as np
import pytest

from dashboard.lessons.attention.multi_head import parameter_question
from dashboard.lessons.attention.scaled_scores import longer_query_question
from dashboard.lessons.attention.weighted_values import contribution_question
from dashboard.lessons.full_stack.vectors.reach_question import reach_question
from dashboard.lessons.full_stack.vectors.vector_questions import empty_layer_question
from dashboard.lessons.full_stack.view import depth_question
from dashboard.lessons.start.lines import reading
from dashboard.lessons.transitions import ending
from dashboard.lessons.transitions.page import TRANSITIONS
from dashboard.models.model import model_for
from dashboard.models.variants import with_edits
from dashboard.page_list import stage_named
from dashboard.selection.focus import Focus
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import HideToken
from encoder_core.inputs.custom_mask import CustomMask
from tests.pages.app import figures, opened, rendered

TEXT = "The cat saw it"
SMALL = {"d_model": "4", "heads": "1", "layers": "1"}
ZEROS = {"edits": "~".join(f"token_embedding.2.{dimension}=0" for dimension in range(4))}  # the row of the first word
ALL_ZERO = SMALL | ZEROS | {"bias": "false", "positions": "none"}
EQUAL = {"text": "cat cat cat", "positions": "none"}
NOTHING = CustomMask("2", "nothing")
THREE = ("a", "b", "c")


def model_of(**choices):
    return model_for(Settings.from_state(DEFAULTS | {"text": TEXT} | choices))


def focus(model, token):
    return Focus(0, 0, 0, token, 0, model.batch.tokens[0])


@pytest.mark.parametrize(
    ("name", "link", "sentence"),
    [
        ("embedding", {"text": "Hello"} | SMALL | ZEROS, "Rows unscaled: **0 times** the position encoding."),
        ("embedding", {"text": "Hello", "positions": "none"} | SMALL, "Rows unscaled: there is no position encoding."),
        ("softmax", {"mask": "custom", "custom_mask": "nothing.2", "edits": "score.0.0.0.1.2=1"},
         "4 of 4 rows have no visible key in the mask: their weights are all 0, except where you set a score."),
        ("scaled_scores", {"edits": "score.0.0.0.1.2=9"}, "the scores are paler, except those that you set. You have"),
        ("scaled_scores", {}, "one colour scale: divided by √16, the scores are paler."),
        ("scaled_scores", {"text": "Hello"} | ALL_ZERO, "All steps share one colour scale."),
        ("full_stack", {"view": "Ablation", "text": "Hello Hello\nHello"} | ALL_ZERO,
         "Without any single head, the tokens' outputs stay the same."),
        ("full_stack", {"view": "Sentences", "text": "cat\ncat\ncat"}, "All pairs of sentences have the cosine 1.00."),
        ("full_stack", {"view": "Sentences", "text": "cat\ndog\ncat\ndog"},
         "2 pairs of sentences are most similar (cosine 1.00), 4 pairs of sentences least (0."),
        ("full_stack", {"view": "Sentences", "text": "cat\ndog\nsofa"},
         "Sentences 1 and 3 are most similar (cosine 0.50), sentences 1 and 2 least (0.26)."),
        ("full_stack", {"view": "One word"} | EQUAL,
         "Token 1 “cat” gets the weight 0.33 from token 1 “cat” in every head. Excluding itself and special tokens, "
         "the largest weight of the query is 0.33 in every head."),
        ("full_stack", {"view": "One word", "text": "cat it cat", "token": "2", "key_token": "3"},
         "Token 3 “cat” gets its largest weights from “it” in layer"),
        ("full_stack", {"view": "Geometry", "text": "a bank bank\nthe bank\na bank"},
         "of the variance of the first occurrences of “bank” in 3 sentences within"),
        ("full_stack", {"view": "Geometry", "text": "a bank\nthe bank\na bank"},
         "of the variance of the 3 occurrences of “bank” within"),
    ],
)  # fmt: skip
def test_captions(framed, name, link, sentence):
    shown = " ".join(rendered(opened(stage_named(name), **{"text": TEXT} | link))).replace("\u2060", "")
    assert sentence in shown


@pytest.mark.parametrize(
    ("text", "title"),
    [("a bank bank\nthe bank", "with 1 of its other occurrences"), ("a bank\nthe bank", "with its other occurrences")],
)
def test_a_title_counts_the_occurrences_that_are_compared(framed, text, title):
    titles = [panel["title"] for panel in figures(opened(stage_named("full_stack"), view="Same word", text=text))]
    assert f"“bank” of sentence 1 {title}" in titles


@pytest.mark.parametrize("view", ["Ablation", "Same word"])
def test_outputs_that_are_all_zero_have_another_question(question_of, view):
    question = question_of("full_stack", view=view, text="Hello Hello\nHello", **ALL_ZERO)
    assert question.text == depth_question(model_of(text="Hello Hello\nHello", d_model=4, heads=1, layers=1)).text


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"encoder": "haiku"}, "adds no positions, but its mask can make the order matter."),
        ({"encoder": "haiku", "recipe_mask": "none"}, "This model is an example: it adds no positions."),
        ({"mask": "causal"}, "adds no positions, but its mask can make the order matter."),
        ({"mask": "custom", "custom_mask": CustomMask("2", "window"), "text": "a b c d e f"},
         "adds no positions, but its mask can make the order matter."),
        ({"mask": "custom", "custom_mask": NOTHING}, "adds no positions, and its mask treats all places alike."),
        ({"mask": "custom", "custom_mask": CustomMask("keys", "padding"), "text": "a b c\nd"},
         "adds no positions, and its mask treats all places alike."),
    ],
)  # fmt: skip
def test_what_a_mask_tells_of_the_order(choices, sentence):
    transition = TRANSITIONS["positions"](model_of(**{"positions": "none"} | choices))
    assert transition.whys[0].answer.endswith(sentence)
    assert "a mask that hides keys by their place (causal, random or custom)" in transition.whys[0].answer


@pytest.mark.parametrize("variant", ["intended", "as written"])
def test_layers_that_all_have_the_input_of_the_encoder(variant):
    model = model_of(encoder="nnx", variant=variant)
    is_written = variant == "as written"
    answer = TRANSITIONS["softmax"](model).whys[0].answer
    assert ("so all scores stay the same.)" in answer) == is_written
    assert ("so only in layer 1 are the scores certain to stay the same.)" in answer) != is_written
    question = empty_layer_question(model, focus(model, 0)._replace(layer=2))
    (explanation,) = [wrong.look_at for wrong in question.wrong if wrong.text == "a row of zeros"]
    assert explanation.endswith("the input of the encoder" if is_written else "the vector before it")


def test_the_lens_says_how_probable_the_token_was(question_of):
    question = question_of("full_stack", view="Logit lens", encoder="reverse", input="ab", token="1")
    assert "Before layer 2 it is 0.0016 only: that layer raises it to about 1." in question.explain(
        "more than 80% of that"
    )


@pytest.mark.parametrize(("hidden", "start"), [(-np.inf, "the visible dot products"), (0.0, "the dot products")])
def test_hidden_dot_products_need_not_be_0(hidden, start):
    at = Focus(0, 0, 0, 0, 0, THREE)
    dot_products = np.array([0.0, 0.0, 5.0 if np.isinf(hidden) else 0.0])
    question = longer_query_question(at, np.array([0.0, 0.0, hidden]), dot_products, 0.5)
    assert question.text.startswith(f"{start} of “a” are all 0.")


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_a_value_row_that_can_be_zero_is_not_an_option_beside_a_row_of_zeros(value):
    at = Focus(0, 0, 0, 0, 0, ("a",))
    question = contribution_question(at, np.array([1.0]), np.array([value]), 1.0, 0)
    assert question.right == "the value row of “a”"
    assert ("a row of zeros" in question.options) == bool(value)


def test_the_biases_of_the_queries_are_named(framed):
    for bias, product in (("true", "Q = x W_Q + b_Q"), ("false", "Q = x W_Q")):
        titles = [panel["title"] for panel in figures(opened(stage_named("multi_head"), text=TEXT, bias=bias))]
        assert f"{product}: one stripe per head" in titles
        places = [wrong.look_at for wrong in parameter_question(model_of(bias=bias == "true").config, 4).wrong]
        assert f"{product}: the stripes share one matrix" in places


@pytest.mark.parametrize(
    ("choices", "edits", "start"),
    [
        ({"text": "cat it", "mask": "causal"}, (HideToken(0, 1),),
         "“it” gives “cat” **1.00** of its weight in every head. The number is that after your edits."),
        ({"heads": 1, "layers": 1}, (),
         "“it” gives “cat” **0.03** of its weight in its only head. This encoder is untrained, so the number is "
         "chance."),
        ({"heads": 1, "layers": 2}, (), "“it” gives “cat” most in layer "),
    ],
)  # fmt: skip
def test_heads_with_the_same_weight_are_not_ranked(choices, edits, start):
    pronoun, *_ = ending.endings(with_edits(model_of(**choices), edits))
    assert pronoun.text.startswith(start)


def test_a_larger_share_is_read_as_larger(question_of):
    settings = {"positions": "learned", "scale": "sqrt_d", "heads": "1", "layer": "1", "token": "4"}
    question = question_of("full_stack", view="Rollout", text=TEXT, **settings)
    assert (question.right, question.why) == ("a larger share", "It is 50.04%.")
    assert ": 50% after 1 layer." in question.text


def test_a_mask_that_hides_more_than_a_causal_one_allows_no_other_keys(unchecked):
    for cells, part in (("1000/1100/0010/1111", "hides more keys"), ("1001/1100/0010/1111", "allows other keys")):
        visible = np.array([[cell == "1" for cell in row] for row in cells.split("/")])
        mask = CustomMask("2", "all").with_visible(visible, np.ones((1, 4), bool), 4)
        model = model_of(mask="custom", custom_mask=mask)
        question = reach_question(model, focus(model, 2))
        assert question.right == "only on its own"
        assert f"the mask of this model {part}." in question.explain("on its own and those before it")


def test_a_small_weight_is_not_0():
    weights = np.array([0.0009, 0.9982, 0.0009])
    story = SimpleNamespace(
        words=THREE, token=0, weights=weights, mean_weights=weights, key_token=2, layer=0, head=0, num_heads=2,
        encoder="words", has_known_answer=False, word="a",
    )  # fmt: skip
    assert "“c” has the largest weight: less than 0.01." in reading(story)
