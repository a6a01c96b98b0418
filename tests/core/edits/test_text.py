"""Edits as texts in an address."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import (
    Dropout,
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
from encoder_core.edits import from_text, to_text

EXAMPLES = {
    "head.2.0=0": HeadFactor(2, 0, 0.0),
    "temperature=0.5": Temperature(0.5),
    "score.0.3.1.4.7=2.5": SetScore(0, 3, 1, 4, 7, 2.5),
    "token.0.3=12": ReplaceToken(0, 3, 12),
    "hide.1.3": HideToken(1, 3),
    "token_embedding.12.5=-1e-6": SetTokenEmbedding(12, 5, -1e-6),
    "embedded.0.1.2=100": SetEmbedded(0, 1, 2, 100.0),
    "wq.1.0.3.5=-0.25": SetWeight("W_Q", 1, 0, 3, 5, -0.25),
    "wk.1.0.3.5=-0.25": SetWeight("W_K", 1, 0, 3, 5, -0.25),
    "wv.1.0.3.5=-0.25": SetWeight("W_V", 1, 0, 3, 5, -0.25),
    "wo.1.0.3.5=-0.25": SetWeight("W_O", 1, 0, 3, 5, -0.25),
    "residual.2.mlp=0": ResidualFactor(2, "mlp"),
    "residual.2.attention=0.5": ResidualFactor(2, "attention", 0.5),
    "unscaled": Unscaled(),
    "dropout.7=0.1": Dropout(7, 0.1),
    "dropout.7": Dropout(7),
}
places = st.integers(0, 10**6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.floats(allow_nan=False, allow_infinity=False, width=32)
edits = st.one_of(
    st.builds(SetTokenEmbedding, places, places, numbers),
    st.builds(SetWeight, st.sampled_from(["W_Q", "W_K", "W_V", "W_O"]), places, places, places, places, numbers),
    st.builds(ReplaceToken, places, places, places),
    st.builds(HideToken, places, places),
    st.builds(SetEmbedded, places, places, places, numbers),
    st.just(Unscaled()),
    st.builds(SetScore, places, places, places, places, places, numbers),
    st.builds(Temperature, numbers),
    st.builds(HeadFactor, places, places, numbers),
    st.builds(ResidualFactor, places, st.sampled_from(["attention", "mlp"]), numbers),
    st.builds(Dropout, places, st.none() | st.floats(0, 1, exclude_max=True)),
)


@pytest.mark.parametrize(("text", "edit"), EXAMPLES.items())
def test_examples(text, edit):
    assert to_text(edit) == text
    assert from_text(text) == edit


@given(edits)
def test_there_and_back(edit):
    text = to_text(edit)
    assert from_text(text) == edit
    assert hash(from_text(text)) == hash(edit)
    assert re.fullmatch("[a-z0-9_.=-]+", text), "an address would escape it"


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_every_float32_comes_back_bit_by_bit(value):
    back = from_text(to_text(Temperature(value))).value
    assert np.float32(back).tobytes() == np.float32(value).tobytes()


def test_a_whole_number_given_as_one(unchecked):
    assert to_text(HeadFactor(0, 1, 2)) == "head.0.1=2"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ["'' is not one of token_embedding, wq", "dropout"]),
        ("heads.0.0=0", ["'heads' is not one of", "head"]),
        ("head.0=0", ["1 of 2 places", "head.<layer>.<head>=<factor>"]),
        ("head.0.0.0=0", ["3 of 2 places"]),
        ("head.0.0", ["a number after '=' is missing", "head.<layer>.<head>=<factor>"]),
        ("head.0.0=", ["factor ''", "not a finite number"]),
        ("head.0.-1=0", ["head '-1'", "whole number of at least 0"]),
        ("head.a.0=0", ["layer 'a'", "whole number"]),
        ("head.\u0663.0=0", ["layer", "whole number"]),
        ("head.0." + "9" * 19 + "=0", ["head", "whole number"]),
        ("token.0.1=1.5", ["id '1.5'", "whole number"]),
        ("temperature=nan", ["value 'nan'", "finite number"]),
        ("temperature=inf", ["value 'inf'", "finite number"]),
        ("temperature=1e999", ["value '1e999'", "finite number"]),
        ("temperature=1_0", ["value '1_0'", "finite number"]),
        ("temperature= 1", ["value ' 1'", "finite number"]),
        ("temperature=1=2", ["value '1=2'", "finite number"]),
        ("unscaled=1", ["there is no number to set", "write unscaled."]),
        ("hide.0.1=0", ["there is no number to set", "hide.<batch>.<position>"]),
        ("residual.0.mlps=0", ["sublayer 'mlps'", "'attention', 'mlp'"]),
        ("dropout.0=", ["rate ''", "finite number"]),
    ],
)
def test_bad_texts(text, told):
    with pytest.raises(ValueError, match=re.escape(f"edit {text!r}: ")) as error:
        from_text(text)
    assert all(part in str(error.value) for part in told), error.value


def test_what_is_no_edit(unchecked):
    with pytest.raises(ValueError, match="'head' is no edit"):
        to_text("head")
