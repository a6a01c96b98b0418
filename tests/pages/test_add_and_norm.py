"""Add and norm where a row is nearly constant: ε is in the calculation, and the length √d_model has its condition."""

import math
import re

import pytest

from dashboard.lessons.sublayers.add_and_norm import _dashed_note, _growth
from dashboard.page_list import stage_named
from dashboard.state.setting_parameters import SETTINGS
from encoder_core.encoder import encoder
from tests.number_table import parsed, unit_of
from tests.pages.app import opened, rendered, run

EDITS = "residual.0.attention=0~residual.0.mlp=0~residual.1.mlp=-1~head.0.0=0~dropout.3=0.9"
EDITED = {"text": "the cat saw it and ran", "layers": "2", "heads": "2", "d_model": "8", "edits": EDITS}
NUMBER = r"\(?(−?[\d.,]+(?:e−?\d+)?)\)?"


def read(start, **link):
    (text,) = [text for text in rendered(opened(stage_named("add_and_norm"), **link)) if start in text]
    return text


@pytest.mark.parametrize("link", [EDITED, EDITED | {"norm": "pre", "which_norm": "norm1", "layer": "2"}])
def test_epsilon_is_in_the_calculation_where_it_changes_the_result(framed, link):
    text = read(", dimension ", **link)
    match = re.search(rf"\({NUMBER} − {NUMBER}\) / √\({NUMBER} \+ {NUMBER}\) = {NUMBER}, then", text)
    assert match, text
    x, mean, variance, eps = map(parsed, match.groups()[:4])
    result = match.group(5)
    assert abs((x - mean) / math.sqrt(variance + eps) - parsed(result)) <= 0.500001 * unit_of(result)
    assert "ε = " in text


def test_epsilon_is_left_out_where_it_changes_nothing(framed):
    text = read(", dimension ")
    assert "√(" not in text
    assert "ε" not in text


@pytest.mark.parametrize("edits", ["", "unscaled"])
def test_a_rerun_computes_no_forward_pass(framed, monkeypatch, edits):
    at = opened(stage_named("add_and_norm"), edits=edits, text="a rerun", seed="3")
    passes = []
    compute = encoder.compute_trace
    monkeypatch.setattr(encoder, "compute_trace", lambda *arguments: passes.append(1) or compute(*arguments))
    run(at)
    assert passes == []
    at.session_state["session"].set(SETTINGS["seed"], 4)
    run(at)
    assert len(passes) >= 2  # the counter counts


@pytest.mark.parametrize(("link", "is_large"), [({}, True), (EDITED, False)])
def test_the_length_of_a_normed_row_has_a_condition_where_a_row_is_nearly_constant(framed, link, is_large):
    text = read("the mean length of a token's vector", **link)
    condition = " in a row whose variance is much larger than ε,"
    assert (condition in text) != is_large
    assert " if γ is 1 and β is 0)" in text


def test_values_to_try_are_said_to_be_those_of_this_figure_only(framed):
    sentence = "The values to try change column 2 of this figure only."
    assert sentence in " ".join(rendered(opened(stage_named("add_and_norm"), norm_dimension="2",
                                                scale_and_shift="1.norm1.2~3~0")))  # fmt: skip
    assert sentence not in " ".join(rendered(opened(stage_named("add_and_norm"), norm_dimension="2")))


def test_a_stream_that_an_edit_sets_to_0_has_no_growth():
    assert _growth(2.0, 5.0) == "after the last layer is 2.5 times that at the start"
    assert _growth(0.0, 1.234) == "is 0 at the start and 1.23 after the last layer"


@pytest.mark.parametrize(
    ("factors", "has_dashes"),
    [([(1, 1), (1, 1)], False), ([(0.5, 1), (0.5, 1)], False), ([(1, 0), (1, 0)], True), ([(1, 1), (0, 1)], True)],
)
def test_only_a_residual_that_is_removed_is_dashed(factors, has_dashes):
    assert bool(_dashed_note(factors)) == has_dashes
