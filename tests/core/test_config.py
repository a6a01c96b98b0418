"""Valid and invalid configurations, and the error messages for invalid ones."""

import dataclasses
import math

import numpy as np
import pytest

from encoder_core import EncoderConfig
from encoder_core.config import field_names

SIZE_MESSAGE = "allowed are whole numbers from 1 to "
NOT_SIZES = [0, -3, 2.0, 1.5, "8", None, True, math.nan, 1_000_001, 10**30]
SIZES = ["vocab_size", "max_len", "d_model", "num_heads", "d_ff", "num_layers"]
CHOICES = {
    "norm": ["'post'", "'pre'"],
    "activation": ["'relu'", "'gelu'", "'gelu_tanh'"],
    "positions": ["'sinusoidal'", "'learned'", "'none'"],
    "position_layout": ["'interleaved'", "'concatenated'"],
    "embedding_scale": ["'none'", "'sqrt_d'", "'inv_sqrt_d'"],
    "activation_after": ["'first_linear'", "'second_linear'"],
    "position_frequencies": ["'pairs'", "'dimensions'"],
    "attention_read_out": ["'stack'", "'input'"],
}
FLAGS = ["final_norm", "use_bias", "qkv_bias", "scale_scores", "output_head", "embedding_norm"]
WRONG = [
    *((name, value, [SIZE_MESSAGE]) for name in SIZES for value in NOT_SIZES),
    *(("qkv_dim", value, [SIZE_MESSAGE]) for value in NOT_SIZES if value is not None),
    *((name, value, allowed) for name, allowed in CHOICES.items() for value in ("Post", "", None, 1, ["post"])),
    *((name, value, ["True, False"]) for name in FLAGS for value in (1, 0, "yes", None, np.ones(2), np.array([True]))),
    *(
        ("norm_eps", value, ["numbers from 1e-12 to below 1"])
        for value in (0, 1e-13, 1, -1e-5, math.nan, math.inf, "1", None)
    ),
    *(
        ("dropout_at", value, ["'embedded'", "'pattern'", "'attn_out'", "'mlp_act'", "'mlp_out'"])
        for value in (
            ("output",),
            ["output"],
            ["attn_out", "attn_out"],
            {"attn_out"},
            "attn_out",
            ("attn_out", "attn_out"),
            ([],),
            (np.ones(2),),
            None,
        )
    ),
    *(("dropout", value, ["numbers from 0 to below 1"]) for value in (-0.1, 1, 1.0, math.nan, "0", None, True)),
]


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG)
def test_the_error_names_the_field_its_value_and_the_allowed_values(name, value, allowed, unchecked):
    with pytest.raises(ValueError, match=name) as error:
        EncoderConfig(**{name: value})
    message = str(error.value)
    assert f"{name}={value!r}" in message
    assert all(part in message for part in allowed)


def test_every_field_is_tested():
    assert {name for name, _, _ in WRONG} == set(field_names())


def test_num_heads_must_divide_the_width():
    with pytest.raises(ValueError, match=r"num_heads=5 is invalid: allowed are divisors of d_model=64"):
        EncoderConfig(d_model=64, num_heads=5)
    with pytest.raises(ValueError, match=r"num_heads=4 is invalid: allowed are divisors of qkv_dim=30"):
        EncoderConfig(d_model=64, num_heads=4, qkv_dim=30)
    assert EncoderConfig(d_model=63, num_heads=4, qkv_dim=32).d_head == 8


def test_widths():
    config = EncoderConfig(d_model=256, num_heads=8)
    assert (config.qkv_width, config.d_head) == (256, 32)
    narrow = EncoderConfig(d_model=256, num_heads=8, qkv_dim=32)
    assert (narrow.qkv_width, narrow.d_head) == (32, 4)


def test_the_limits_are_allowed():
    config = EncoderConfig(
        vocab_size=1, max_len=1, d_model=1, num_heads=1, qkv_dim=1, d_ff=1, num_layers=1, norm_eps=1e-12, dropout=0.0
    )
    assert config.d_head == 1


def test_frozen_and_hashable():
    config = EncoderConfig()
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.d_model = 3
    same, other = EncoderConfig(), EncoderConfig(d_ff=3)
    assert {config: "value"}[same] == "value"
    assert config != other
    with pytest.raises(ValueError, match="num_heads"):
        dataclasses.replace(config, num_heads=7)


def test_numbers_of_numpy_are_numbers(unchecked):
    config = EncoderConfig(d_model=np.int64(32), num_heads=np.uint8(4), qkv_dim=np.int32(16), norm_eps=np.float32(0.25))
    assert config == EncoderConfig(d_model=32, num_heads=4, qkv_dim=16, norm_eps=0.25)
    assert type(config.d_model) is type(config.qkv_dim) is int
    assert type(config.norm_eps) is float


def test_a_list_of_dropout_places_is_a_tuple(unchecked):
    config = EncoderConfig(dropout_at=["attn_out", np.str_("mlp_out")])
    assert config == EncoderConfig(dropout_at=("attn_out", "mlp_out"))
    assert list(map(type, config.dropout_at)) == [str, str]
    assert hash(EncoderConfig(dropout_at=[])) == hash(EncoderConfig(dropout_at=()))


def test_flags_and_texts_of_numpy_are_those_of_python(unchecked):
    config = EncoderConfig(norm=np.str_("pre"), final_norm=np.True_, use_bias=np.False_, activation=np.str_("gelu"))
    assert config == EncoderConfig(norm="pre", final_norm=True, use_bias=False, activation="gelu")
    assert [type(config.norm), type(config.final_norm), type(config.use_bias)] == [str, bool, bool]
    with pytest.raises(ValueError, match=r"norm=np.str_\('post '\) is invalid: allowed are 'post', 'pre'"):
        EncoderConfig(norm=np.str_("post "))
    with pytest.raises(ValueError, match=r"final_norm=np.int64\(1\) is invalid: allowed are True, False"):
        EncoderConfig(final_norm=np.int64(1))
