"""Derivations of edited traces, on the model of `tests/core/edits/test_hand_values.py`: one head, two tokens."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import (
    Edit,
    Encoder,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
)
from encoder_core.explain import Cell
from tests.core.derive.models import Model
from tests.core.edits.test_hand_values import CONFIG, ENCODER, IDS, PARAMETERS


def run(*edits: Edit, mask=None, encoder: Encoder = ENCODER) -> Model:
    """Rows (1, -1) and (-1, 1). The parameters are those before the edits, as a caller has them."""
    return Model(encoder.trace(IDS, mask, edits), encoder.config, encoder.parameters(), edits)


def steps(model: Model, cell: str) -> dict[str, float]:
    """The steps of a derivation, whose result must be the number in the trace."""
    derivation = model.derive(cell)
    assert derivation.difference is not None
    assert derivation.difference < 1e-6
    assert derivation.note == ""
    return {step.name: pytest.approx(step.value, abs=1e-6) for step in derivation.steps}


def test_an_edited_score_follows_the_computed_score():
    """ln 3 replaces -2 / sqrt(2). The weight is then 3 / (3 + e^sqrt(2))."""
    model = run(SetScore(0, 0, 0, 0, 1, 5.0), SetScore(0, 0, 0, 0, 1, float(np.log(3))))
    assert steps(model, "scores.0.0.0.0.1") == {"divided by √d_head": -(2**0.5), "set by hand": np.log(3)}
    assert model.derive("scores.0.0.0.0.1").formula.endswith(r"\to\; 1.098612 \text{ (set by hand)}")
    assert list(steps(model, "scores.0.0.0.0.0")) == ["divided by √d_head"]
    weight = 3 / (3 + np.exp(2**0.5))
    assert model.derive("pattern.0.0.0.0.1").result == pytest.approx(weight, rel=1e-6)
    assert model.derive("z.0.0.0.0.0").result == pytest.approx((1 - weight) - weight, rel=1e-6)


def test_an_edited_score_of_a_masked_key():
    model = run(SetScore(0, 0, 0, 0, 1, 2.0), mask="causal")
    assert list(steps(model, "scores.0.0.0.0.1")) == [
        "divided by √d_head",
        "masked: the query may not attend to the key",
        "set by hand",
    ]
    assert model.derive("scores.0.0.0.0.1").result == 2


def test_a_hidden_key_is_masked_by_an_edit():
    model = run(HideToken(0, 1))
    for query in range(2):
        assert list(steps(model, f"scores.0.0.0.{query}.1")) == [
            "divided by √d_head",
            "masked: an edit hides the key",
        ]
    assert list(steps(model, "scores.0.0.0.1.0")) == ["divided by √d_head"]


def test_the_reason_of_a_masked_score_is_that_of_its_key():
    """Query 0 may not attend to key 1, and an edit hides key 0."""
    model = run(HideToken(0, 0), mask="causal")
    for key, reason in enumerate(["an edit hides the key", "the query may not attend to the key"]):
        assert list(steps(model, f"scores.0.0.0.0.{key}")) == ["divided by √d_head", f"masked: {reason}"]


def test_unscaled():
    assert steps(run(Unscaled()), "scores.0.0.0.0.1") == {"not divided by √d_head because of an edit": -2}


def test_temperature_with_an_edited_score():
    """ln 9 at temperature 2 is ln 3: weights 1/4 and 3/4."""
    model = run(SetScore(0, 0, 0, 1, 0, 0.0), SetScore(0, 0, 0, 1, 1, float(np.log(9))), Temperature(2.0))
    assert model.derive("pattern.0.0.0.1.1").result == pytest.approx(0.75)


def test_an_edited_input_follows_the_sum():
    model = run(SetEmbedded(0, 1, 0, 7.0))
    assert steps(model, "embedded.0.1.0") == {"embedding plus position": -1, "set by hand": 7}
    assert list(steps(model, "embedded.0.1.1")) == ["embedding plus position"]
    assert model.derive("resid_pre.0.0.1.0").result == 7


def test_an_edited_input_follows_the_embedding_norm():
    """The norm of (-1, 1) is (-1, 1). With scale 3 and shift 0.5 it is (-2.5, 3.5). The sum does not change."""
    norm = {"embedding_norm.scale": np.full(2, 3, np.float32), "embedding_norm.bias": np.full(2, 0.5, np.float32)}
    normed = Encoder.from_parameters(replace(CONFIG, embedding_norm=True, norm_eps=1e-12), PARAMETERS | norm)
    model = run(SetEmbedded(0, 1, 0, 7.0), encoder=normed)
    derivation = steps(model, "embedded.0.1.0")
    assert list(derivation)[-2:] == ["scale and shift", "set by hand"]
    assert (derivation["scale and shift"], derivation["set by hand"]) == (-2.5, 7)
    assert model.derive("embedded.0.1.0").formula.endswith(
        r"x = \mathrm{embedding\_sum} \end{gathered} \;\to\; 7 \text{ (set by hand)}"
    )
    assert steps(model, "embedded.0.1.1")["scale and shift"] == 3.5
    assert steps(model, "embedding_sum.0.1.0") == {"embedding plus position": -1}
    assert model.derive("resid_pre.0.0.1.0").result == 7


def test_an_edited_cell_of_the_table():
    """The id of token 1 is 2."""
    model = run(SetTokenEmbedding(2, 0, 7.0))
    entry = model.derive("parameters.token_embedding.2.0")
    assert (entry.trace_value, entry.result, entry.note) == (7, 7, "")
    assert [step.name for step in entry.steps] == ["set by hand"]
    assert steps(model, "token_embedding.0.1.0") == {"id of the token": 2, "entry of its row": 7}
    product = model.derive("token_embedding.0.1.0", "one-hot product")
    assert (product.result, product.difference) == (7, 0)
    assert "drawn from the seed" in model.derive("parameters.token_embedding.2.1").note
    assert PARAMETERS["token_embedding"][2, 0] == -1


@pytest.mark.parametrize(("matrix", "tensor"), [("W_Q", "q"), ("W_K", "k"), ("W_V", "v")])
def test_an_edited_weight(matrix, tensor):
    """1 · -5 + -1 · 1 = -6."""
    model = run(SetWeight(matrix, 0, 0, 0, 1, -5.0))
    derivation = model.derive(f"{tensor}.0.0.0.0.1")
    assert [term.value for term in derivation.terms] == pytest.approx([-5, -1])
    kernel = model.derive(derivation.terms[0].operands[1].cell)
    assert (kernel.result, [step.name for step in kernel.steps]) == (-5, ["set by hand"])


def test_an_edited_weight_of_the_output_projection():
    model = run(SetWeight("W_O", 0, 0, 1, 0, 4.0))
    z = model.trace.layers[0].z[0, 0, 0].astype(float)
    for cell in ("head_contributions.0.0.0.0.0", "attn_out.0.0.0.0"):
        for method in model.derive(cell).methods:
            assert model.derive(cell, method).result == pytest.approx(z[0] + 4 * z[1], rel=1e-6)


def test_a_replaced_token_has_an_edited_id():
    model = run(ReplaceToken(0, 1, 0))
    assert steps(model, "ids.0.1") == {"set by hand": 0}
    assert "is an input" in model.derive("ids.0.0").note
    assert steps(model, "token_embedding.0.1.0") == {"id of the token": 0, "entry of its row": 0}


def test_the_factor_of_a_head():
    half = steps(run(HeadFactor(0, 0, 0.5)), "z.0.0.0.0.0")
    assert list(half) == ["weights times values", "times the factor 0.5 of head 1"]


@pytest.mark.parametrize(
    ("cell", "edit", "residual", "sublayer"),
    [
        ("resid_mid.0.0.0.1", ResidualFactor(0, "attention", -2.0), "resid_pre", "attn_out"),
        ("resid_post.0.0.0.1", ResidualFactor(0, "mlp", -2.0), "resid_mid", "mlp_out"),
    ],
)
def test_a_residual_times_its_factor(cell, edit, residual, sublayer):
    model = run(edit)
    layer = model.trace.layers[0]
    stream, output = (float(getattr(layer, name)[0, 0, 1]) for name in (residual, sublayer))
    assert steps(model, cell) == {
        "residual times its factor −2": -2 * stream,
        "residual plus sublayer": -2 * stream + output,
    }
    first, second = model.derive(cell).steps
    assert [operand.cell for operand in first.terms[0].operands] == [Cell(residual, (0, 0, 1), layer=0), None]
    assert [term.operands[0].name for term in second.terms] == [f"−2 × {residual}[0, 0, 1]", f"{sublayer}[0, 0, 1]"]
    assert list(steps(model, "resid_mid.0.0.0.0" if residual == "resid_mid" else "resid_post.0.0.0.0")) == [
        "residual plus sublayer"
    ]


def test_the_input_of_a_post_norm_has_the_residual_factor():
    """With factor 0 the input of the norm is the output of the sublayer: zeros, whose norm is the shift, 0."""
    post = Encoder.from_parameters(replace(CONFIG, norm="post"), PARAMETERS)
    for factor in (0.0, 3.0):
        model = run(ResidualFactor(0, "mlp", factor), encoder=post)
        residual = factor * model.trace.layers[0].mlp_in[0, 0].astype(float)
        derivation = model.derive("resid_post.0.0.0.0")
        assert derivation.steps[0].value == pytest.approx(residual[0])
        assert derivation.steps[2].value == pytest.approx(residual.mean(), abs=1e-7)  # mlp_out is 0
        x = rf"{factor:g} \cdot \mathrm{{mlp\_in}} + \mathrm{{mlp\_out}}"
        assert derivation.formula.endswith(rf"\\ x = {x} \end{{gathered}}")
        assert derivation.difference < 1e-5
