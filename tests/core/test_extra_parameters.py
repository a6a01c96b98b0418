"""The extra parameters of `Encoder.with_config`: checked and copied as those of `Encoder.from_parameters`."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Encoder
from tests.core.test_wrong_arrays import CONFIG, ENCODER, FINAL_NORM, NAME, NORM, REFUSED

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize(("numbers", "message"), REFUSED)
def test_arrays_that_are_no_parameters(numbers, message):
    with pytest.raises(ValueError, match=f"parameter '{NAME}'.*{message}"):
        ENCODER.with_config(FINAL_NORM, NORM | {NAME: numbers})


def test_unknown_extra_parameters_are_refused():
    for name in ("final_norm.scal", "layers.2.norm1.scale", 3):
        with pytest.raises(ValueError, match=rf"1 unknown parameter\(s\): {name}"):
            ENCODER.with_config(FINAL_NORM, NORM | {name: np.zeros(8, np.float32)})


def test_extra_parameters_that_the_configuration_does_not_need_are_not_used():
    assert NAME not in ENCODER.with_config(replace(CONFIG, norm="pre"), NORM).parameters()
    other = ENCODER.with_config(FINAL_NORM, NORM)
    again = other.with_config(FINAL_NORM, {NAME: np.zeros(8, np.float32)})
    np.testing.assert_array_equal(again.parameters()[NAME], NORM[NAME])


def test_an_encoder_does_not_share_extra_parameters_with_the_caller():
    base = np.full(16, 2.0, np.float32)
    extra = NORM | {NAME: base[:8]}
    encoder = ENCODER.with_config(FINAL_NORM, extra)
    before = encoder.trace("a b").output
    assert extra[NAME].flags.writeable
    base[:] = 7
    np.testing.assert_array_equal(encoder.trace("a b").output, before)
    np.testing.assert_array_equal(encoder.parameters()[NAME], NORM[NAME])


LEARNED = replace(CONFIG, positions="learned")
LONGER = replace(LEARNED, max_len=CONFIG.max_len + 3)


@pytest.mark.parametrize("config", [LONGER, replace(LEARNED, max_len=2), replace(LEARNED, num_layers=5)])
def test_the_parameters_of_a_random_encoder_are_drawn_for_the_new_configuration(config):
    encoder = Encoder.random(LEARNED, seed=3)
    other = encoder.with_config(CONFIG).with_config(config)
    expected = Encoder.random(config, seed=3)
    for name, array in expected.parameters().items():
        np.testing.assert_array_equal(other.parameters()[name], array)
    ids = np.zeros((1, config.max_len), np.int32)
    np.testing.assert_array_equal(other.trace(ids).output, expected.trace(ids).output)
    name = "layers.0.mlp.up.kernel"
    assert other.parameters()[name] is encoder.parameters()[name]


def test_an_encoder_with_another_position_table():
    table = np.full((LONGER.max_len, LONGER.d_model), 0.5, np.float32)
    given = Encoder.from_parameters(LEARNED, Encoder.random(LEARNED).parameters())
    message = rf"'position_embedding' of shape {table.shape}, and this encoder has one of shape \({LEARNED.max_len}, "
    with pytest.raises(ValueError, match=message.replace(f"{table.shape}", rf"\({table.shape[0]}, {table.shape[1]}\)")):
        given.with_config(LONGER)
    for encoder in (given, Encoder.random(LEARNED)):
        longer = encoder.with_config(LONGER, {"position_embedding": table})
        np.testing.assert_array_equal(longer.parameters()["position_embedding"], table)
        np.testing.assert_array_equal(longer.trace(np.zeros((1, LONGER.max_len), int)).position_encoding, table)
