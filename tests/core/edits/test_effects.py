"""Edits combined: products, the later of two at one place, and what is refused although each edit alone fits."""

import re

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
    fitting_edits,
)
from encoder_core.edits import Effects, effects_of

CONFIG = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, num_layers=3)  # d_head 4
BATCH, SEQ = 2, 5


def effects(*edits):
    return effects_of(edits, CONFIG, BATCH, SEQ)


def test_no_edits_have_no_effects():
    assert effects() == Effects()
    assert effects().score_scale(CONFIG) == 0.5


def test_factors_and_temperatures_multiply():
    found = effects(
        Temperature(4.0),
        HeadFactor(1, 0, -1.5),
        Temperature(0.5),
        HeadFactor(1, 0, 2.0),
        HeadFactor(2, 0, 0.0),
        ResidualFactor(0, "mlp", 0.5),
        ResidualFactor(0, "mlp", 0.5),
        ResidualFactor(0, "attention", 3.0),
    )
    assert found.temperature == 2
    assert found.head_factors == {(1, 0): -3, (2, 0): 0}
    assert found.residual_factors == {(0, "mlp"): 0.25, (0, "attention"): 3}


def test_of_two_that_set_the_same_number_the_later_one_wins():
    found = effects(
        SetScore(1, 2, 0, 3, 4, 1.0),
        SetScore(1, 2, 0, 3, 4, -2.0),
        SetEmbedded(0, 1, 2, 5.0),
        SetEmbedded(0, 1, 2, 6.0),
        ReplaceToken(0, 1, 3),
        ReplaceToken(0, 1, 7),
    )
    assert found.of_tensor("scores", 2) == {(1, 0, 3, 4): -2}
    assert found.of_tensor("scores", 1) == found.of_tensor("output") == {}
    assert found.of_tensor("embedded") == {(0, 1, 2): 6}
    assert found.of_tensor("ids") == {(0, 1): 7}


def test_a_weight_of_a_head_is_a_cell_of_the_kernel_of_all_heads():
    """With a d_head of 4, column 2 of head 1 is column 6; of W_O, row 2 of head 1 is row 6."""
    found = effects(SetWeight("W_Q", 0, 1, 7, 2, 0.5), SetWeight("W_O", 2, 1, 2, 7, -0.5), SetTokenEmbedding(3, 5, 4.0))
    assert found.parameters == {
        "layers.0.attention.query.kernel": {(7, 6): 0.5},
        "layers.2.attention.out.kernel": {(6, 7): -0.5},
        "token_embedding": {(3, 5): 4},
    }


def test_the_same_twice_is_the_same_once():
    found = effects(Unscaled(), HideToken(0, 1), Unscaled(), HideToken(0, 1))
    assert (found.unscaled, found.hidden) == (True, {(0, 1)})
    assert found.score_scale(CONFIG) == 1
    assert effects(Dropout(4, 0.2)).dropout == Dropout(4, 0.2)


REFUSED = {
    "temperature: 1000 × 1000 = 1e+06 must be a number from 0.001 to 1000": [Temperature(1e3), Temperature(1e3)],
    "temperature: 0.01 × 0.1 × 0.5 = 0.0005 must be": [Temperature(0.01), Temperature(0.1), Temperature(0.5)],
    "factor of layer=1, head=0: -500 × 3 = -1500 must be a number from -1000 to 1000": [
        HeadFactor(1, 0, -500.0),
        HeadFactor(1, 0, 3.0),
    ],
    "factor of layer=2, sublayer='mlp': 1000 × 1000 = 1e+06 must be": [
        ResidualFactor(2, "mlp", 1e3),
        ResidualFactor(2, "mlp", 1e3),
    ],
    "2 edits Dropout: a forward pass has one": [Dropout(0), Dropout(1)],
}


@pytest.mark.parametrize("told", REFUSED)
def test_edits_that_do_not_fit_together(told):
    with pytest.raises(ValueError, match=re.escape(told)):
        effects(*REFUSED[told])
    with pytest.raises(ValueError, match=re.escape(told)):
        Encoder.random(CONFIG).outputs("a b", what_ifs=[REFUSED[told]])
    kept, problems = fitting_edits(REFUSED[told], CONFIG, BATCH, SEQ)
    assert kept == tuple(REFUSED[told][:-1])
    (problem,) = problems
    assert re.fullmatch(r"The what-if “.+” is left out: .+\.", problem)
    assert told in problem


def test_a_product_at_the_limit_is_allowed():
    assert effects(Temperature(1e3), Temperature(1e3), Temperature(1e-3)).temperature == 1000
    assert effects(HeadFactor(0, 0, 1e3), HeadFactor(0, 0, -1.0)).head_factors == {(0, 0): -1000}
    assert effects(HeadFactor(0, 0, 1e3), HeadFactor(0, 1, 1e3)).head_factors == {(0, 0): 1000, (0, 1): 1000}


def test_edits_that_fit_together_are_all_kept_whatever_their_order():
    """One after another, the second temperature would not fit the first."""
    edits = (Temperature(1e3), Temperature(10.0), Temperature(0.01))
    assert fitting_edits(edits, CONFIG, BATCH, SEQ) == (edits, ())


def test_an_edit_that_fits_no_model_like_this_is_left_out_and_named():
    edits = [HideToken(0, 5), Temperature(1e3), HeadFactor(9, 0), Temperature(2.0), Unscaled()]
    kept, problems = fitting_edits(edits, CONFIG, BATCH, SEQ)
    assert kept == (Temperature(1e3), Unscaled())
    assert [problem.split(" is left out: ")[0] for problem in problems] == [
        "The what-if “hide.0.5”", "The what-if “head.9.0=0”", "The what-if “temperature=2”",
    ]  # fmt: skip
    assert "position=5 is not one of 0 to 4" in problems[0]
