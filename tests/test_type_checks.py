"""The annotations of `encoder_core` are checked while the tests run."""

import random

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import TypeCheckError

from encoder_core import EncoderConfig
from encoder_core.blocks import layer_norm
from encoder_core.support.wording import numbered

ROWS, SCALE, SHIFT = (np.zeros(shape, np.float32) for shape in ((2, 3), (3,), (4,)))


@pytest.mark.parametrize("_test", range(2))
def test_a_wrong_shape_is_found_at_the_first_call_of_each_test(_test):
    with pytest.raises(TypeCheckError):
        layer_norm(ROWS, SCALE, SHIFT, 1e-5)


def test_a_wrong_shape_is_found_after_many_calls():
    for _ in range(100):
        layer_norm(ROWS, SCALE, SCALE, 1e-5)
    errors = 0
    for _ in range(100):
        try:
            layer_norm(ROWS, SCALE, SHIFT, 1e-5)
        except TypeCheckError:
            errors += 1
        except ValueError:  # of NumPy
            pass
    assert errors == 2


@pytest.mark.parametrize("call", [lambda: numbered(3, 2), lambda: EncoderConfig(d_model="64")])
def test_a_wrong_type_is_found_where_no_array_is_annotated(call):
    """In a function, and in the fields of a dataclass."""
    with pytest.raises(BeartypeCallHintViolation):
        call()


def test_nothing_is_checked_where_a_test_asks_for_the_app_as_users_have_it(unchecked):
    with pytest.raises(ValueError, match="broadcast"):
        layer_norm(ROWS, SCALE, SHIFT, 1e-5)


def test_the_checks_draw_no_numbers_that_strategies_of_hypothesis_might_draw():
    """Hypothesis warns where the module `random` is used inside a strategy."""
    state = random.getstate()
    EncoderConfig()
    assert random.getstate() == state
