"""Combined edits: products, two edits of one cell, and edits that are invalid only in combination."""

import re

import numpy as np
import pytest

from encoder_core import (
    Dropout,
    Encoder,
    EncoderConfig,
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
    compatible_edits,
)
from encoder_core.edits import Effects, combine_edits, format_edit, parse_edit

CONFIG = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, num_layers=3)  # d_head 4
BATCH, SEQ = 2, 5


def effects(*edits):
    return combine_edits(edits, CONFIG, BATCH, SEQ)


def test_no_edits_have_no_effects():
    assert effects() == Effects()
    assert effects().score_scale(CONFIG) == 0.5


@pytest.mark.parametrize(
    "edits", [(), (HeadFactor(0, 0), SetScore(0, 0, 0, 0, 0, 1.0), SetWeight("W_Q", 0, 0, 0, 0, 1.0))]
)
def test_effects_are_read_only(edits):
    run = Encoder.random(CONFIG).run(np.array([[1, 2, 3]]), None, edits)
    names = ("head_factors", "residual_factors", "ids", "embedded", "scores", "parameters")
    mappings = [getattr(run.effects, name) for name in names]
    for mapping in (*mappings, *run.effects.scores.values(), *run.effects.parameters.values()):
        with pytest.raises(TypeError):
            mapping[0, 0] = 0.0
    assert not Effects().head_factors


def test_effects_do_not_share_their_mappings_with_the_caller():
    factors, scores = {(0, 0): 2.0}, {0: {(0, 0, 0, 0): 1.0}}
    combined = Effects(head_factors=factors, scores=scores)
    factors[0, 0] = scores[0][0, 0, 0, 0] = 9.0
    assert combined == Effects(head_factors={(0, 0): 2.0}, scores={0: {(0, 0, 0, 0): 1.0}})


def test_factors_and_temperatures_multiply():
    combined = effects(
        Temperature(4.0),
        HeadFactor(1, 0, -1.5),
        Temperature(0.5),
        HeadFactor(1, 0, 2.0),
        HeadFactor(2, 0, 0.0),
        ResidualFactor(0, "mlp", 0.5),
        ResidualFactor(0, "mlp", 0.5),
        ResidualFactor(0, "attention", 3.0),
    )
    assert combined.temperature == 2
    assert combined.head_factors == {(1, 0): -3, (2, 0): 0}
    assert combined.residual_factors == {(0, "mlp"): 0.25, (0, "attention"): 3}


def test_the_later_of_two_edits_of_a_cell_applies():
    combined = effects(
        SetScore(1, 2, 0, 3, 4, 1.0),
        SetScore(1, 2, 0, 3, 4, -2.0),
        SetEmbedded(0, 1, 2, 5.0),
        SetEmbedded(0, 1, 2, 6.0),
        ReplaceToken(0, 1, 3),
        ReplaceToken(0, 1, 7),
    )
    assert combined.cell_values("scores", 2) == {(1, 0, 3, 4): -2}
    assert combined.cell_values("scores", 1) == combined.cell_values("output") == {}
    assert combined.cell_values("embedded") == {(0, 1, 2): 6}
    assert combined.cell_values("ids") == {(0, 1): 7}


def test_a_weight_of_a_head_is_a_cell_of_the_kernel_of_all_heads():
    """With a d_head of 4, column 2 of head 1 is column 6; of W_O, row 2 of head 1 is row 6."""
    combined = effects(
        SetWeight("W_Q", 0, 1, 7, 2, 0.5), SetWeight("W_O", 2, 1, 2, 7, -0.5), SetTokenEmbedding(3, 5, 4.0)
    )
    assert combined.parameters == {
        "layers.0.attention.query.kernel": {(7, 6): 0.5},
        "layers.2.attention.out.kernel": {(6, 7): -0.5},
        "token_embedding": {(3, 5): 4},
    }


def test_an_edit_twice_is_the_same_as_once():
    combined = effects(Unscaled(), HideToken(0, 1), Unscaled(), HideToken(0, 1))
    assert (combined.unscaled, combined.hidden) == (True, {(0, 1)})
    assert combined.score_scale(CONFIG) == 1
    assert effects(Dropout(4, 0.2)).dropout == Dropout(4, 0.2)


INVALID = {
    "temperature: 1000 × 1000 = 1e+06 is invalid: allowed are numbers from 0.001 to 1000": [
        Temperature(1e3),
        Temperature(1e3),
    ],
    "temperature: 0.01 × 0.1 × 0.5 = 0.0005 is invalid": [Temperature(0.01), Temperature(0.1), Temperature(0.5)],
    "factor of layer=1, head=0: -500 × 3 = -1500 is invalid: allowed are numbers from -1000 to 1000": [
        HeadFactor(1, 0, -500.0),
        HeadFactor(1, 0, 3.0),
    ],
    "factor of layer=2, sublayer='mlp': 1000 × 1000 = 1e+06 is invalid": [
        ResidualFactor(2, "mlp", 1e3),
        ResidualFactor(2, "mlp", 1e3),
    ],
    "2 Dropout edits are invalid: allowed is one": [Dropout(0), Dropout(1)],
}


@pytest.mark.parametrize("message", INVALID)
def test_edits_that_are_invalid_in_combination(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        effects(*INVALID[message])
    with pytest.raises(ValueError, match=re.escape(message)):
        Encoder.random(CONFIG).outputs_with_edits("a b", edit_lists=[INVALID[message]])
    accepted, problems = compatible_edits(INVALID[message], CONFIG, BATCH, SEQ)
    assert accepted == tuple(INVALID[message][:-1])
    (problem,) = problems
    assert re.fullmatch(r"The edit “.+” is ignored: .+\.", problem)
    assert message in problem


def test_a_product_at_the_limit_is_allowed():
    assert effects(Temperature(1e3), Temperature(1e3), Temperature(1e-3)).temperature == 1000
    assert effects(HeadFactor(0, 0, 1e3), HeadFactor(0, 0, -1.0)).head_factors == {(0, 0): -1000}
    assert effects(HeadFactor(0, 0, 1e3), HeadFactor(0, 1, 1e3)).head_factors == {(0, 0): 1000, (0, 1): 1000}


def test_edits_whose_product_is_valid_are_all_accepted():
    """The product of the first two temperatures alone is invalid."""
    edits = (Temperature(1e3), Temperature(10.0), Temperature(0.01))
    assert compatible_edits(edits, CONFIG, BATCH, SEQ) == (edits, ())


def test_an_edit_that_does_not_fit_the_model_is_ignored():
    edits = [HideToken(0, 5), Temperature(1e3), HeadFactor(9, 0), Temperature(2.0), Unscaled()]
    accepted, problems = compatible_edits(edits, CONFIG, BATCH, SEQ)
    assert accepted == (Temperature(1e3), Unscaled())
    assert [problem.split(" is ignored: ")[0] for problem in problems] == [
        "The edit “hide.0.5”", "The edit “head.9.0=0”", "The edit “temperature=2”",
    ]  # fmt: skip
    assert "position=5 is invalid: allowed are 0 to 4" in problems[0]


def test_edits_can_be_read_once():
    """An iterator is empty when it was read."""
    encoder, texts = Encoder.random(CONFIG), ["head.0.0=0", "temperature=2"]
    expected = encoder.run("it rains", edits=[parse_edit(text) for text in texts])
    assert encoder.run("it rains", edits=map(parse_edit, texts)).edits == expected.edits
    accepted, _ = encoder.run_with_compatible_edits("it rains", edits=map(parse_edit, texts))
    np.testing.assert_array_equal(accepted.trace.output, expected.trace.output)
    outputs = encoder.outputs_with_edits("it rains", edits=map(parse_edit, texts), edit_lists=[iter([Unscaled()])])
    np.testing.assert_allclose(outputs[0], expected.trace.output[0], atol=1e-6)
    assert abs(outputs[1] - outputs[0]).max() > 1e-3


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (HeadFactor(0, 0), "edits=HeadFactor(layer=0, head=0, factor=0.0) is invalid: allowed are lists of edits"),
        ("head.0.0=0", "edits='head.0.0=0' is invalid: allowed are lists of edits"),
        (["head.0.0=0"], "edit='head.0.0=0' is invalid: allowed are the types of `encoder_core.edits`"),
        (None, "edits=None is invalid"),
    ],
)
def test_what_is_no_edit(edits, message, unchecked):
    with pytest.raises(ValueError, match=re.escape(message)):
        Encoder.random(CONFIG).run("it rains", edits=edits)


def test_numbers_of_a_trace_are_values_of_edits(unchecked):
    encoder = Encoder.random(CONFIG)
    score = encoder.trace("it rains").layers[0].scores[0, 0, 0, 1]
    edits = [SetScore(0, 0, 0, 1, 1, score), HeadFactor(0, 1, np.float32(0.5)), HeadFactor(0, 1, np.int64(2))]
    assert isinstance(score, np.float32)
    run = encoder.run("it rains", edits=edits)
    assert run.trace.layers[0].scores[0, 0, 1, 1] == score
    assert run.effects.head_factors == {(0, 1): 1.0}
    assert parse_edit(format_edit(edits[0])) == edits[0]
