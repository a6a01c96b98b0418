"""Any cell of any trace, derived: the same number as the trace shows, and operands that are what their cells hold."""

from collections import Counter

import numpy as np
from hypothesis import given

from encoder_core.derive import Cell, tensors_of
from encoder_core.derive.cell import AXES
from tests.core.derive.models import Model, any_cell, models
from tests.core.strategies import seeds

CELLS = 500
TOLERANCE = 1e-5  # of the largest magnitude of the tensor


def cannot_be_derived(model: Model, cell: Cell) -> bool:
    """Inputs, and the output where the layers shown are not those that gave it."""
    if cell.tensor == "token_embedding":
        return model.trace.ids is None
    apart = model.config.attention_read_out == "input" and model.config.num_layers > 1
    return cell.tensor == "ids" or (cell.tensor == "output" and apart)


def value_at(model: Model, cell: Cell) -> float:
    """The number of a cell, found without the code under test."""
    if cell.tensor.startswith("parameters."):
        return float(model.parameters[cell.tensor.removeprefix("parameters.")][cell.index])
    holder = model.trace if cell.layer is None else model.trace.layers[cell.layer]
    return float(getattr(holder, cell.tensor)[cell.index])


def test_every_kind_of_cell_is_derived_as_the_trace_shows_it():
    derived, given_ones, worst = Counter(), Counter(), Counter()

    @given(models, seeds)
    def compare(model, seed):
        rng = np.random.default_rng(seed)
        for tensor in tensors_of(model.trace):
            cell = any_cell(model, tensor, rng)
            found = model.derive(cell)
            assert found.shown == value_at(model, cell)
            if cannot_be_derived(model, cell):
                assert found.result is None
                assert found.note
                given_ones[tensor] += 1
                continue
            for way in found.ways:
                difference = model.derive(cell, way).difference
                assert difference <= TOLERANCE, (str(cell), way, difference)
                worst[tensor] = max(worst[tensor], difference)
            derived[tensor] += 1

    compare()
    print("\n".join(f"{tensor}: {derived[tensor]} cells, {worst[tensor]:.1e}" for tensor in AXES))
    assert derived.total() >= CELLS
    assert min(derived[tensor] for tensor in AXES if tensor != "ids") >= 10
    assert all(given_ones[tensor] >= 1 for tensor in ("ids", "token_embedding", "output"))
