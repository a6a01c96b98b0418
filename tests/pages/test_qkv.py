"""Queries, keys, values: the shapes in the heading and in the formula are those of the matrices on screen."""

import re

import pytest

from dashboard.lessons.attention.qkv import _source
from dashboard.page_list import stage_named
from encoder_core import EncoderConfig
from tests.pages.app import derivations, figures, key_of, opened, rendered, run


@pytest.mark.parametrize(("all_heads", "width"), [("false", 16), ("true", 64)])
def test_shapes_of_one_head_and_of_all_heads(framed, all_heads, width):
    """64 dimensions and 4 heads of 16."""
    at = opened(stage_named("qkv"), all_heads=all_heads)
    _check_shapes(at, width)
    at.toggle(key=key_of(at, "all_heads")).set_value(all_heads == "false")
    _check_shapes(run(at), 80 - width)


def _check_shapes(at, width):
    badges = next(text for text in rendered(at) if "W_Q, W_K, W_V" in text)
    assert f"W_Q, W_K, W_V\u200264 × {width}]" in badges
    for letter in "QKV":
        assert f"-badge[{letter}\u200220 × {width}]" in badges
    (formula,) = [latex.value for latex in at.get("latex") if "overbrace{x}" in latex.value]
    assert formula.count(rf"_{{20\times{width}}}") == formula.count(rf"^{{64\times{width}}}") == 3
    assert all(len(panel["columns"]["names"]) == width for panel in list(figures(at))[1:7])


@pytest.mark.parametrize(("heads", "place"), [("4", "dimension 3 of the head (column 35)"), ("1", "dimension 3")])
def test_a_dimension_of_a_head_is_related_to_the_column_of_the_figure(framed, heads, place):
    """Head 3 of heads of 16 has the columns from 32 on."""
    head = min(3, int(heads))
    at = opened(stage_named("qkv"), heads=heads, head=str(head), cell=f"q.0.0.{head - 1}.1.3")
    (derivation,) = derivations(at)
    assert derivation["description"].endswith(f", {place}")
    assert [panel["columns"]["title"] for panel in list(figures(at))[:7]] == ["dimension", *["column"] * 6]
    assert "column column" not in " ".join(panel["alt"] for panel in figures(at))


def test_question_names_its_head(framed):
    """With all heads side by side, "this head" could be any of them."""
    at = opened(stage_named("qkv"), all_heads="true", head="3")
    assert any("Suppose that head 3 used the same parameters" in text for text in rendered(at))


@pytest.mark.parametrize(
    ("link", "formulas"),
    [
        ({}, ["x W_Q + b_Q", "x W_K + b_K"]),
        ({"encoder": "article"}, ["x W_Q", "x W_K"]),
        ({"text": "word"}, ["x W_V + b_V"]),
    ],
)
def test_what_the_question_names_is_above_it(framed, link, formulas):
    """In the mode "Predict first", the figure with the matrices comes after the answer."""
    at = opened(stage_named("qkv"), predict="first", **link)
    (question,) = [text for text in rendered(at) if text.startswith("**Predict**")]
    for formula in formulas:
        assert re.search(rf"{re.escape(formula)}[,. ](?!\+)", question)
    badges = next(text for text in rendered(at) if "-badge[" in text)
    assert {f"W_{letter}" for letter in re.findall(r"W_(.)", question)} <= set(re.findall(r"W_.", badges))


@pytest.mark.parametrize(
    ("layer", "read_out", "source"),
    [(0, "stack", "the embedded tokens"), (2, "stack", "the output of layer 2"), (2, "input", "the embedded tokens")],
)
def test_the_input_of_a_layer_is_named(layer, read_out, source):
    assert _source(EncoderConfig(vocab_size=9, attention_read_out=read_out), layer) == source
