"""Counts of one: a noun after the number 1 is singular, and a range of one number has no dots."""

import re

import pytest

from dashboard.page_list import STAGES, START, stage_named
from tests.pages.app import cards, figures, opened, rendered

SMALLEST = {"text": "word", "d_model": "4", "heads": "4", "d_ff": "8", "layers": "1"}
MODELS = {
    "one of each": SMALLEST | {"heads": "1"},
    "heads of one dimension": SMALLEST,
    "the only token hidden": SMALLEST | {"edits": "hide.0.0"},
    "one visible key": SMALLEST | {"text": "two words", "mask": "causal", "token": "1"},
}
VIEWS = (
    "Hidden states",
    "All heads",
    "Head average",
    "One word",
    "Rollout",
    "Geometry",
    "In and out",
    "Ablation",
    "Similarity",
)
NOUNS = (
    "cells|columns|dimensions|features|heads|heatmaps|keys|layers|lines|multiplications|neurons|numbers|others|"
    "pairs|pieces|positions|products|queries|rows|scores|sentences|steps|tokens|values|weights|words"
)
PLURAL_AFTER_1 = re.compile(
    rf"(?<![\w.,])1\** (?:(?!has|uses)[a-z]+ )?(?:{NOUNS})\b"
)  # "1 tokens", "**1** visible values"


def texts(at):
    yield from rendered(at)
    yield from (text for card in cards(at) for text in (card["title"], card["shape"]))
    yield from (figure["alt"] for figure in figures(at))


def test_the_pattern_finds_plurals_after_one():
    wrong = ["1 tokens", "of the 1 visible values", "**1** rows", "2 of **1** numbers", "all 1 heads"]
    right = [
        "1 token",
        "11 tokens",
        "0.1 values",
        "layer 1, heads",
        "head 1 has columns",
        "1,001 rows",
        "W1 values",
        "1 head and 2 rows",
    ]
    assert all(PLURAL_AFTER_1.search(text) for text in wrong)
    assert not any(PLURAL_AFTER_1.search(text) for text in right)


@pytest.mark.parametrize("stage", [START, *STAGES], ids=lambda stage: stage.name)
@pytest.mark.parametrize("link", MODELS.values(), ids=MODELS)
def test_no_page_says_1_of_a_plural(framed, stage, link):
    for text in texts(opened(stage, **link)):
        assert not PLURAL_AFTER_1.search(text), text


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_of_the_stack_says_1_of_a_plural(framed, view):
    at = opened(stage_named("full_stack"), view=view, **MODELS["one of each"])
    for text in texts(at):
        assert not PLURAL_AFTER_1.search(text), text
    assert not any(r"\dots" in latex.value for latex in at.latex)
    assert view == "Geometry" or "brace{" in at.latex[-1].value, "symbols have shapes"


def test_a_range_of_one_head_or_layer_has_no_dots(framed):
    at = opened(stage_named("multi_head"), **MODELS["one of each"])
    assert any(r"\underbrace{[z_{1}]}" in latex.value for latex in at.latex)
    at = opened(stage_named("multi_head"))
    assert any(r"\underbrace{[z_{1}\; \dots\; z_{4}]}" in latex.value for latex in at.latex)


def test_the_only_visible_value_is_no_range(framed):
    at = opened(stage_named("weighted_values"), **MODELS["one of each"])
    caption = next(text for text in rendered(at) if "weighted average" in text)
    assert "is the only visible value" in caption
    caption = next(text for text in rendered(opened(stage_named("weighted_values"))) if "weighted average" in text)
    assert "of the 18 visible values" in caption


@pytest.mark.parametrize(("text", "has_order"), [("Hello", False), ("Hello you", False), ("Hello my friend", True)])
def test_only_several_other_words_have_an_order(framed, text, has_order):
    (answer,) = [shown for shown in rendered(opened(stage_named("embedding"), text=text)) if "table is random" in shown]
    assert ("The order of the words is chance" in answer) == has_order
