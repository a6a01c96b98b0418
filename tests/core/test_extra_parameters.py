"""The extra parameters of `Encoder.with_config`: checked and copied as those of `Encoder.from_parameters`."""

from dataclasses import replace

import numpy as np
import pytest

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
