"""Any cell of any trace, derived: the same number as the trace shows, and operands that are what their cells hold."""

import math
from collections import Counter
from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from encoder_core import (
    Edit,
    HeadFactor,
    HideToken,
    ResidualFactor,
    Run,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
)
from encoder_core.explain import Cell, Derivation, derive, tensor_shapes
from encoder_core.explain.cell import AXES
from encoder_core.explain.rules import BY_CONTRIBUTION
from tests.core.derive.measures_by_hand import ABSOLUTE, MEASURES, measure_at
from tests.core.derive.models import (
    EMBEDDING_NORM,
    FIXED_MODELS,
    PLACES,
    Model,
    any_cell,
    edited_cells,
    models,
    recipe_model,
)
from tests.core.strategies import seeds

CELLS = 500
TOLERANCE = 1e-5  # of the largest magnitude of the tensor
PROPERTIES = ("head_contributions", "probabilities", *MEASURES)  # computed from other tensors of the trace
NORMED = ("embedded", "attn_in", "mlp_in", "resid_post", "output")


def tolerance(model: Model, derivation: Derivation) -> float:
    """The tolerance of a derivation; two cases in float32 have a larger error than 1e-5.

    A norm over a few numbers that are nearly equal magnifies their rounding (as in test_parity.py). The numbers of a
    tensor of a few cells can all be small because the terms of their sums cancel: the error is then relative to terms.
    """
    has_norm = any(step.name in ("normalised", BY_CONTRIBUTION) for step in derivation.steps)
    if has_norm and model.config.d_model < 8:
        return 1e-2
    if math.prod(tensor_shapes(model.trace)[derivation.cell.tensor].shape) < 16:
        terms = [abs(term.value) for term in derivation.terms if np.isfinite(term.value)]
        return TOLERANCE * max([derivation.scale, *terms]) / derivation.scale
    return TOLERANCE


def cannot_be_derived(model: Model, cell: Cell) -> bool:
    """True for inputs, and for an output that is not computed from the layers of the trace."""
    if cell.tensor == "token_embedding":
        return model.trace.ids is None
    if cell.tensor == "ids":
        return cell not in edited_cells(model)
    is_separate = model.config.attention_read_out == "input" and model.config.num_layers > 1
    return cell.tensor == "output" and is_separate


def value_at(model: Model, cell: Cell) -> float:
    """The number of a cell, without the code under test; approximate for a measure, which is none of the trace."""
    if cell.tensor in MEASURES:
        value = measure_at(model.run, cell)
        return pytest.approx(value, rel=1e-5, abs=ABSOLUTE)
    if cell.tensor.startswith("parameters."):
        return float(model.parameters[cell.tensor.removeprefix("parameters.")][cell.index])
    holder = model.trace if cell.layer is None else model.trace.layers[cell.layer]
    return float(getattr(holder, cell.tensor)[cell.index])


# Steps that the test must cover: a tensor and the start of the name of one of its steps.
REQUIRED_STEPS = [
    ("position_encoding", "sine of"),
    ("position_encoding", "cosine of"),
    ("position_encoding", "entry of the position table"),
    ("position_encoding", "no positions"),
    ("token_embedding", "one-hot"),
    ("embedding_sum", "embedding plus position"),
    ("embedded", "embedding plus position"),
    ("attn_in", "residual stream, without a norm"),
    *((tensor, "scale and shift") for tensor in NORMED),
    ("resid_post", "residual plus sublayer"),
    ("output", "output of the last layer"),
    *((tensor, words) for tensor in "qkv" for words in ("row times column, plus bias", "row times column")),
    ("scores", "divided by"),
    ("scores", "not divided"),
    ("scores", "masked"),
    ("pattern", "divided by the temperature"),
    ("pattern", "every key of the row is masked"),
    ("z", "times the factor"),
    *((tensor, "set by hand") for tensor in ("ids", "embedded", "scores")),
    ("scores", "masked: an edit hides the key"),
    ("scores", "not divided by √d_head because of an edit"),
    ("resid_mid", "residual times its factor"),
    ("resid_post", "residual times its factor"),
    *(("mlp_act", activation) for activation in ("ReLU", "GELU", "GELU (tanh)", "no activation")),
    ("mlp_out", "GELU"),
    *((place, f"dropout: {factor}") for place in PLACES for factor in ("× 0", "× 1/")),
]


def test_the_derivations_of_all_tensors_agree_with_the_trace():
    derived, underivable, worst, names, kinds = Counter(), Counter(), Counter(), set(), Counter()

    @given(models, seeds, st.just(1))
    def compare(drawn, seed, cells):
        model, rng = drawn(), np.random.default_rng(seed)
        kinds.update({type(edit) for edit in model.edits})
        drawn_cells = [any_cell(model, tensor, rng) for tensor in cells * list(tensor_shapes(model.trace))]
        for cell in drawn_cells + edited_cells(model):
            tensor = cell.tensor
            derivation = model.derive(cell)
            assert derivation.trace_value == value_at(model, cell)
            if cannot_be_derived(model, cell):
                assert derivation.result is None
                assert derivation.note
                underivable[tensor] += 1
                continue
            for method in derivation.methods:
                other = model.derive(cell, method)
                assert other.difference <= tolerance(model, other), (str(cell), method, other.difference)
                worst[tensor] = max(worst[tensor], other.difference)
                names.update((tensor, step.name) for step in other.steps)
            derived[tensor] += 1

    for fixed_model in FIXED_MODELS:
        compare = example(fixed_model, 0, 10)(compare)
    compare()
    print("\n".join(f"{tensor}: {derived[tensor]} cells, {worst[tensor]:.1e}" for tensor in AXES))
    assert derived.total() >= CELLS
    assert min(derived[tensor] for tensor in AXES if tensor != "ids") >= 10
    assert min(kinds[kind] for kind in get_args(Edit)) >= 1, kinds
    for tensor, start in REQUIRED_STEPS:
        assert any(tensor == other and name.startswith(start) for other, name in names), (tensor, start)
    assert all(underivable[tensor] >= 1 for tensor in ("ids", "token_embedding", "output"))


@pytest.mark.parametrize("tensor", [name for name in AXES if name not in ("ids", *PROPERTIES)])
def test_a_changed_number_differs_from_its_derivation(tensor):
    model = recipe_model("nanolm", "as intended") if tensor != "embedding_sum" else EMBEDDING_NORM()
    cell = any_cell(model, tensor, np.random.default_rng(0))
    holder = model.trace if cell.layer is None else model.trace.layers[cell.layer]
    array = np.array(getattr(holder, tensor))
    array[cell.index] = 0.5 * np.abs(array[np.isfinite(array)]).max() * (-1 if array[cell.index] > 0 else 1)
    holder = holder._replace(**{tensor: array})
    if cell.layer is not None:
        layers = list(model.trace.layers)
        layers[cell.layer] = holder
        holder = model.trace._replace(layers=tuple(layers))
    assert model.derive(cell).difference < TOLERANCE
    assert model._replace(trace=holder).derive(cell).difference > 0.4


@pytest.mark.parametrize(
    ("edit", "cell"),
    [
        (Temperature(0.5), "pattern.0.0.0.4.4"),
        (HeadFactor(0, 0, 0.5), "z.0.0.0.4.1"),
        (SetTokenEmbedding(0, 3, 2.0), "parameters.token_embedding.0.3"),
        (SetWeight("W_Q", 1, 1, 2, 3, 9.0), "q.1.0.1.4.3"),
        (SetWeight("W_K", 1, 1, 2, 3, 9.0), "k.1.0.1.4.3"),
        (SetWeight("W_V", 1, 1, 2, 3, 9.0), "v.1.0.1.4.3"),
        (SetWeight("W_O", 1, 1, 3, 2, 9.0), "head_contributions.1.0.1.4.2"),
        (SetEmbedded(0, 4, 3, 3.0), "embedded.0.4.3"),
        (Unscaled(), "scores.0.0.0.4.3"),
        (SetScore(0, 1, 0, 4, 3, 5.0), "scores.1.0.0.4.3"),
        (ResidualFactor(0, "attention", 0.5), "resid_mid.0.0.4.3"),
        (ResidualFactor(0, "mlp", 0.5), "resid_post.0.0.4.3"),
    ],
)
def test_a_derivation_without_the_edit_differs(edit, cell):
    model = recipe_model("nanolm", "as written", (edit,))
    assert model.derive(cell).difference < TOLERANCE
    without = derive(Run(model.trace, model.config, model.parameters), cell)
    if cell.startswith("parameters."):
        assert without.trace_value != model.derive(cell).trace_value == 2
    else:
        assert without.difference > 0.001


def test_an_edit_that_does_not_fit_the_model_is_refused():
    model = recipe_model("nanolm", "as written")
    with pytest.raises(ValueError, match="layer=6 is invalid: allowed are 0 to 5"):
        model._replace(edits=(HeadFactor(6, 0),)).derive("z.0.0.0.4.1")


def test_an_edit_that_does_not_fit_the_input_is_refused():
    model = recipe_model("nanolm", "as written")
    seq = model.trace.real.shape[1]
    with pytest.raises(ValueError, match=f"position={seq} is invalid: allowed are 0 to {seq - 1}"):
        model._replace(edits=(HideToken(0, seq),)).derive("z.0.0.0.4.1")
