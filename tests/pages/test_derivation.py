"""The inspected cell: its derivation, the trail, the link and the number fields."""

import csv
import io

import numpy as np
import pytest

from dashboard.components.derivation import as_csv
from dashboard.inspect.inspected_matrix import inspected_matrix
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.setting_parameters import DEFAULT_TEXT, DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.explain import derive, parse_cell
from tests.pages.app import derivations, key_of, link_of, opened, run, warning_texts

SENTENCES = DEFAULT_TEXT.splitlines()


@pytest.fixture(scope="module")
def encoder():
    tokenizer = WordTokenizer.from_texts(SENTENCES)
    config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
    return Encoder.random(config, 0, tokenizer=tokenizer)


def test_a_link_opens_a_cell_with_its_trail(framed, encoder):
    at = opened(stage_named("softmax"), cell="pattern.1.0.2.4.7~scores.1.0.2.4.7~dot_products.1.0.2.4.7")
    (derivation,) = derivations(at)
    assert [crumb["cell"] for crumb in derivation["trail"]] == [
        "pattern.1.0.2.4.7", "scores.1.0.2.4.7", "dot_products.1.0.2.4.7",
    ]  # fmt: skip
    layer = encoder.trace(SENTENCES, "padding").layers[1]
    assert derivation["trace_value"] == pytest.approx(layer.dot_products[0, 2, 4, 7])
    (step,) = derivation["steps"]
    assert step["folded"][0] == 8  # 8 of 16 terms are shown
    q, k = layer.q[0, 2, 4], layer.k[0, 2, 7]
    largest = np.argsort(-np.abs(q * k))[0]
    assert [operand["value"] for operand in step["terms"][0]["operands"]] == pytest.approx([q[largest], k[largest]])
    assert sum(term["adds"] for term in step["terms"]) + step["folded"][1] == pytest.approx(step["value"])


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("pattern.9.0.0.0.0", "layer=9 is invalid"),
        ("colour.1.2", "tensor='colour' is unknown"),
        ("q.0.0.0.99.0", "=99 is invalid: allowed are 0 to"),
        ("<script>", "tensor='<script>' is unknown"),
        ("q.0.0.0.1.2~nothing", "tensor='nothing' is unknown"),
        ("q." + "9" * 500, "length=502 is invalid"),
    ],
)
def test_an_invalid_cell_in_a_link_is_reported(framed, cell, why):
    at = opened(stage_named("scaled_scores"), cell=cell)
    assert any(why in warning and "default cell is used" in warning for warning in warning_texts(at))
    assert derivations(at)[0]["trail"] == [{"cell": "dot_products.0.0.0.15.2", "label": "dot_products [0, 0, 15, 2]"}]


def test_a_cell_draws_the_parameters_of_its_layer_alone(framed):
    """Drawing those of twelve wide layers takes five times as long as the forward pass, at each move of a slider."""
    opened(stage_named("qkv"), cell="q.1.0.0.3.2", layer="2", layers="11")
    drawn = model_for(Settings.from_state(DEFAULTS | {"layers": 11})).run.parameters._drawn
    assert {name.split(".")[1] for name, _ in drawn if name.startswith("layers.")} == {"1"}


def test_row_and_column_are_set_by_number_fields(framed):
    at = opened(stage_named("scaled_scores"))
    at.number_input(key=key_of(at, "cell_2")).set_value(3)
    run(at)
    at.number_input(key=key_of(at, "cell_3")).set_value(5)
    run(at)
    assert derivations(at)[0]["trail"][0]["cell"] == "dot_products.0.0.0.2.4"


def test_a_move_of_the_focus_inspects_the_default_cell(framed):
    at = opened(stage_named("scaled_scores"), cell="q.0.0.0.1.2")
    at.selectbox(key=key_of(at, "token")).set_value(6)
    run(at)
    assert derivations(at)[0]["trail"][0]["cell"] == "dot_products.0.0.0.5.2"


def test_another_token_in_a_sentence_keeps_the_cell_and_another_text_does_not(framed):
    trail = "scores.0.0.0.1.2~dot_products.0.0.0.1.2"
    at = opened(stage_named("scaled_scores"), token="3", cell=trail)
    before = derivations(at)[0]["trace_value"]
    at.selectbox(key="what_if_token").set_value(7)
    run(at)
    next(button for button in at.button if str(button.key).startswith("what_if_ReplaceToken")).click()
    run(at)
    assert [crumb["cell"] for crumb in derivations(at)[0]["trail"]] == trail.split("~")
    assert derivations(at)[0]["trace_value"] != before
    at.text_area(key="text").set_value("one two three four five six seven eight")
    run(at)
    assert len(derivations(at)[0]["trail"]) == 1
    assert not link_of(at).get("cell")


def test_a_cell_that_a_smaller_model_does_not_have_is_replaced_by_the_default_cell(framed):
    at = opened(stage_named("scaled_scores"), cell="q.0.0.0.1.15")
    assert derivations(at)[0]["trail"][0]["cell"] == "q.0.0.0.1.15"
    at.select_slider(key="heads").set_value(16)
    run(at)
    assert derivations(at)[0]["trail"][0]["cell"] == "dot_products.0.0.0.15.2"
    assert not at.warning


def test_all_terms_are_downloaded(encoder):
    run = encoder.run(SENTENCES, "padding")
    trace, derivation = run.trace, derive(run, "mlp_pre.0.0.3.7")
    rows = list(csv.reader(io.StringIO(as_csv(derivation.terms))))
    assert len(rows) == 1 + 64 + 1  # the header, the products, the bias
    assert float(rows[-1][-1]) == pytest.approx(trace.layers[0].mlp_pre[0, 3, 7], abs=1e-5)
    assert rows[1][2] == "mlp_in.0.0.3.0"
    assert rows[1][5] == "parameters.layers.0.mlp.up.kernel.0.7"


@pytest.mark.parametrize(
    ("cell", "rows", "columns"),
    [
        ("position_products.1.2", ["1", "2", "3"], ["1", "2", "3"]),
        ("pattern_entropy.0.0.1.2", ["1", "2", "3", "4"], ["the", "black", "cat"]),
        ("rollout.0.0.1.2", ["the", "black", "cat"], ["the", "black", "cat"]),
        ("embedded.0.1.2", ["the", "black", "cat"], ["0", "1", "2", "3", "4", "5", "6", "7"]),
    ],
)
def test_the_names_around_a_cell_count_as_on_screen(framed, cell, rows, columns):
    model = model_for(Settings.from_state(DEFAULTS | {"text": "the black cat", "d_model": 8, "heads": 4}))
    at = Focus(0, 0, 0, 0, 0, model.batch.tokens[0])
    trail = (parse_cell(cell, model.trace, model.run.parameters),)
    inspection = Inspection(trail, derive(model.run, trail[0]), at, (), model.run)
    (names,) = inspected_matrix(inspection, [model]).names
    assert (names.rows, names.columns) == (rows, columns)
