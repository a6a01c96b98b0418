"""Operands lead on: from any cell, from operand to operand, down to ids, parameters and constants."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from encoder_core.explain import Cell, Derivation, parse_cell, tensors_of
from tests.core.derive.models import Model, any_cell, models, recipe_model
from tests.core.derive.test_against_trace import value_at
from tests.core.strategies import seeds


def check_steps(model: Model, found: Derivation) -> list[Cell]:
    """Every operand is what its cell holds, every sum runs up to its step; returns the cells one can go on to."""
    cells = []
    for step in found.steps:
        running = 0.0
        for term in step.terms:
            running += term.adds
            assert term.running == running
            for operand in term.operands:
                if operand.cell is not None:
                    assert operand.value == value_at(model, operand.cell), (str(found.cell), operand)
                    cells.append(operand.cell)
        if step.terms:
            assert running == pytest.approx(step.value, rel=1e-12, abs=1e-12 * found.scale), (
                str(found.cell),
                step.name,
            )
    return cells


def test_operands_lead_down_to_ids_and_parameters():
    ends, lengths = Counter(), []

    @given(models, seeds)
    def follow(drawn, seed):
        model, rng = drawn(), np.random.default_rng(seed)
        tensors = [name for name in tensors_of(model.trace) if name not in ("ids", "position_encoding")]
        cell, length = any_cell(model, tensors[rng.integers(len(tensors))], rng), 0
        while cells := check_steps(model, found := model.derive(cell)):
            assert parse_cell(str(cell), model.trace, model.parameters) == cell
            cell, length = cells[rng.integers(len(cells))], length + 1
            assert length < 100
        assert (
            cell.tensor in ("ids", "position_encoding", "token_embedding", "output")
            or cell.parameter in model.parameters
        )
        if cell.tensor == "output":
            assert found.note
        ends["parameters" if cell.parameter else cell.tensor] += 1
        lengths.append(length)

    follow()
    assert ends["parameters"] >= 10
    assert ends["position_encoding"] + ends["token_embedding"] + ends["ids"] >= 1
    assert max(lengths) >= 5


@pytest.mark.parametrize("variant", ["as intended", "as written"])
@pytest.mark.parametrize("name", ["annotated", "article", "haiku", "nanolm", "nnx"])
def test_from_the_output_to_the_table_by_the_way_of_the_stream(name, variant):
    """The first operand of each step that has a cell: the stream, whatever is added to it."""
    model = recipe_model(name, variant)
    last = len(model.trace.layers) - 1
    cell, visited = Cell("resid_post", (0, 1, 2), layer=last), []
    while cells := check_steps(model, model.derive(cell)):
        visited.append(cell.tensor)
        cell = cells[0]
    apart = model.config.attention_read_out == "input"
    assert visited.count("resid_post") == (1 if apart else last + 1)
    assert visited[-3:] == ["embedded", "scaled_embedding", "token_embedding"]
    assert cell.tensor == "ids"


def test_a_weight_leads_to_its_score_its_query_and_the_row_that_it_reads():
    model = recipe_model("haiku", "as intended")
    weight = model.derive("pattern.2.0.1.4.3")
    keys = [term.operands[0].cell for step in weight.steps if step.name == "row sum of exp" for term in step.terms]
    assert keys == [Cell("scores", (0, 1, 4, key), layer=2) for key in range(12)]
    dots = model.derive(model.derive("scores.2.0.1.4.3").terms[0].operands[0].cell)
    assert [[operand.cell for operand in term.operands] for term in dots.terms] == [
        [Cell("q", (0, 1, 4, d), layer=2), Cell("k", (0, 1, 3, d), layer=2)] for d in range(8)
    ]
    query = model.derive(dots.terms[5].operands[0].cell)
    kernel = "parameters.layers.2.attention.query"
    assert [[operand.cell for operand in term.operands] for term in query.terms] == [
        *([Cell("attn_in", (0, 4, i), layer=2), Cell(f"{kernel}.kernel", (i, 1 * 8 + 5))] for i in range(64)),
        [Cell(f"{kernel}.bias", (1 * 8 + 5,))],
    ]
    bias = query.terms[-1].operands[0]
    assert bias.name == "b_Q[13]"
    assert model.derive(bias.cell).note
