"""The cells of operands: following them from any cell ends at ids, parameters or constants."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from encoder_core.explain import Cell, Derivation, parse_cell, tensor_shapes
from tests.core.derive.models import Model, any_cell, models, recipe_model
from tests.core.derive.test_against_trace import value_at
from tests.core.strategies import seeds


def check_steps(model: Model, derivation: Derivation) -> list[Cell]:
    """Check that operands have the values of their cells, and sums those of their steps. Returns the cells."""
    cells = []
    for step in derivation.steps:
        running = 0.0
        for term in step.terms:
            running += term.value
            assert term.running_sum == running
            for operand in term.operands:
                if operand.cell is not None:
                    assert operand.value == value_at(model, operand.cell), (str(derivation.cell), operand)
                    cells.append(operand.cell)
        if step.terms:
            assert running == pytest.approx(step.value, rel=1e-12, abs=1e-12 * derivation.scale), (
                str(derivation.cell),
                step.name,
            )
    return cells


def test_operands_lead_to_ids_and_parameters():
    ends, lengths = Counter(), []

    @settings(max_examples=max(30, settings().max_examples))  # fewer end at too few parameters
    @given(models, seeds)
    def follow(drawn, seed):
        model, rng = drawn(), np.random.default_rng(seed)
        tensors = [name for name in tensor_shapes(model.trace) if name not in ("ids", "position_encoding")]
        cell, length = any_cell(model, tensors[rng.integers(len(tensors))], rng), 0
        while cells := check_steps(model, derivation := model.derive(cell)):
            assert parse_cell(str(cell), model.trace, model.parameters) == cell
            cell, length = cells[rng.integers(len(cells))], length + 1
            assert length < 100
        assert (
            cell.tensor in ("ids", "position_encoding", "token_embedding", "output")
            or cell.parameter in model.parameters
        )
        if cell.tensor == "output":
            assert derivation.note
        ends["parameters" if cell.parameter else cell.tensor] += 1
        lengths.append(length)

    follow()
    assert ends["parameters"] >= 10
    assert ends["position_encoding"] + ends["token_embedding"] + ends["ids"] >= 1
    assert max(lengths) >= 5


@pytest.mark.parametrize("variant", ["as intended", "as written"])
@pytest.mark.parametrize("name", ["annotated", "article", "haiku", "nanolm", "nnx"])
def test_from_the_output_to_the_table_along_the_residual_stream(name, variant):
    """The first operand with a cell is always that of the residual stream."""
    model = recipe_model(name, variant)
    last = len(model.trace.layers) - 1
    cell, visited = Cell("resid_post", (0, 1, 2), layer=last), []
    while cells := check_steps(model, model.derive(cell)):
        visited.append(cell.tensor)
        cell = cells[0]
    is_separate = model.config.attention_read_out == "input"
    assert visited.count("resid_post") == (1 if is_separate else last + 1)
    assert visited[-3:] == ["embedded", "scaled_embedding", "token_embedding"]
    assert cell.tensor == "ids"


def test_from_a_weight_to_its_score_its_query_and_the_row_of_the_query():
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
