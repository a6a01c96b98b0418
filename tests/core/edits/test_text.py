"""Edits as texts in a URL."""

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
from encoder_core.edits import format_edit, parse_edit

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
indices = st.integers(0, 10**6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.floats(allow_nan=False, allow_infinity=False, width=32)
edits = st.one_of(
    st.builds(SetTokenEmbedding, indices, indices, numbers),
    st.builds(SetWeight, st.sampled_from(["W_Q", "W_K", "W_V", "W_O"]), indices, indices, indices, indices, numbers),
    st.builds(ReplaceToken, indices, indices, indices),
    st.builds(HideToken, indices, indices),
    st.builds(SetEmbedded, indices, indices, indices, numbers),
    st.just(Unscaled()),
    st.builds(SetScore, indices, indices, indices, indices, indices, numbers),
    st.builds(Temperature, numbers),
    st.builds(HeadFactor, indices, indices, numbers),
    st.builds(ResidualFactor, indices, st.sampled_from(["attention", "mlp"]), numbers),
    st.builds(Dropout, indices, st.none() | st.floats(0, 1, exclude_max=True)),
)


@pytest.mark.parametrize(("text", "edit"), EXAMPLES.items())
def test_examples(text, edit):
    assert format_edit(edit) == text
    assert parse_edit(text) == edit


@given(edits)
def test_parse_edit_inverts_format_edit(edit):
    text = format_edit(edit)
    assert parse_edit(text) == edit
    assert hash(parse_edit(text)) == hash(edit)
    assert re.fullmatch("[a-z0-9_.=-]+", text), "a URL would escape it"


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_every_float32_is_restored_exactly(value):
    restored = parse_edit(format_edit(Temperature(value))).value
    assert np.float32(restored).tobytes() == np.float32(value).tobytes()


def test_an_integer_factor(unchecked):
    assert format_edit(HeadFactor(0, 1, 2)) == "head.0.1=2"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["name='' is unknown: allowed are token_embedding, wq", "dropout"]),
        ("heads.0.0=0", ["name='heads' is unknown", "head"]),
        ("head.0=0", ["indices is 1 instead of 2", "head.<layer>.<head>=<factor>"]),
        ("head.0.0.0=0", ["indices is 3 instead of 2"]),
        ("head.0.0", ["the number after '=' is missing", "head.<layer>.<head>=<factor>"]),
        ("head.0.0=", ["factor='' is invalid", "allowed are finite numbers"]),
        ("head.0.-1=0", ["head='-1' is invalid", "whole numbers from 0"]),
        ("head.a.0=0", ["layer='a'", "whole number"]),
        ("head.\u0663.0=0", ["layer", "whole number"]),
        ("head.0." + "9" * 19 + "=0", ["head", "whole number"]),
        ("token.0.1=1.5", ["id='1.5'", "whole number"]),
        ("temperature=nan", ["value='nan'", "finite number"]),
        ("temperature=inf", ["value='inf'", "finite number"]),
        ("temperature=1e999", ["value='1e999'", "finite number"]),
        ("temperature=1_0", ["value='1_0'", "finite number"]),
        ("temperature= 1", ["value=' 1'", "finite number"]),
        ("temperature=1=2", ["value='1=2'", "finite number"]),
        ("unscaled=1", ["this edit has no value", "write unscaled."]),
        ("hide.0.1=0", ["this edit has no value", "hide.<batch>.<position>"]),
        ("residual.0.mlps=0", ["sublayer='mlps'", "'attention', 'mlp'"]),
        ("dropout.0=", ["rate=''", "finite number"]),
    ],
)
def test_bad_texts(text, parts):
    with pytest.raises(ValueError, match=re.escape(f"edit {text!r}: ")) as error:
        parse_edit(text)
    assert all(part in str(error.value) for part in parts), error.value


def test_other_objects_have_no_text(unchecked):
    with pytest.raises(ValueError, match="edit='head' is invalid"):
        format_edit("head")
