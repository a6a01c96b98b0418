"""Arrays of parameters and inputs that are no real finite numbers of the right shape, and those of other libraries."""

import warnings
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis import softmax

pytestmark = pytest.mark.usefixtures("unchecked")

CONFIG = EncoderConfig(vocab_size=20, max_len=6, d_model=8, num_heads=2)
ENCODER = Encoder.random(CONFIG, 1)
FINAL_NORM = replace(CONFIG, final_norm=True)
NAME = "final_norm.scale"
NORM = {NAME: np.full(8, 2.0, np.float32), "final_norm.bias": np.zeros(8, np.float32)}
REFUSED = [
    (None, "the type object is invalid: allowed are real numbers"),
    ("abc", "the type .* is invalid: allowed are real numbers"),
    (np.full(8, "1"), "the type <U1 is invalid: allowed are real numbers"),
    (np.full(8, 1 + 2j), "the type complex128 is invalid: allowed are real numbers"),
    (np.full(8, None), "the type object is invalid: allowed are real numbers"),
    (np.zeros(8, "M8[s]"), r"the type datetime64\[s\] is invalid"),
    ([[1.0], [1.0, 2.0]], r"rows of different lengths are invalid: allowed are numbers of shape \(8,\)"),
    (np.zeros(0), r"shape=\(0,\) is invalid: allowed is \(8,\)"),
    (np.zeros(7), r"shape=\(7,\) is invalid: allowed is \(8,\)"),
    (np.full(8, np.nan), "not finite"),
    (np.full(8, 1e39), "not finite"),
    (torch.zeros(8, requires_grad=True), "cannot be read as an array: .*detach"),
    (torch.zeros(8, dtype=torch.bfloat16, requires_grad=True), "cannot be read as an array: .*detach"),
    (torch.zeros(8, device="meta"), r"cannot be read as an array: .*Tensor.cpu\(\)"),
    (torch.zeros(8).to_sparse(), r"cannot be read as an array: .*Tensor.to_dense\(\)"),
]


@pytest.mark.parametrize(("numbers", "message"), REFUSED)
def test_arrays_that_are_no_parameters(numbers, message):
    parameters = ENCODER.parameters() | NORM | {NAME: numbers}
    with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match=f"parameter '{NAME}'.*{message}"):
        Encoder.from_parameters(FINAL_NORM, parameters)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_parameters_that_are_not_copied_are_finite(number):
    numbers = np.ones(8, np.float32)
    numbers[3] = number
    with pytest.raises(ValueError, match=f"parameter '{NAME}' contains values that are not finite"):
        Encoder(FINAL_NORM, ENCODER.parameters() | NORM | {NAME: numbers})


@pytest.mark.parametrize(
    "numbers", [jnp.full(8, 1.5, jnp.bfloat16), torch.full((8,), 1.5, dtype=torch.bfloat16), [1.5] * 8, np.full(8, 1.5)]
)
def test_numbers_of_other_types_are_read(numbers):
    encoder = Encoder.from_parameters(FINAL_NORM, ENCODER.parameters() | NORM | {NAME: numbers})
    array = encoder.parameters()[NAME]
    assert array.dtype == np.float32
    assert array.tolist() == [1.5] * 8
    assert softmax(numbers).tolist() == [1 / 8] * 8


@pytest.mark.parametrize(
    "library", [lambda rows: jnp.asarray(rows, jnp.bfloat16), lambda rows: torch.tensor(rows, dtype=torch.bfloat16)]
)
def test_embeddings_as_bfloat16(library):
    rows = np.arange(24, dtype=np.float32).reshape(1, 3, 8) / 8
    embedded = ENCODER.trace(library(rows)).embedded
    np.testing.assert_array_equal(embedded, ENCODER.trace(rows).embedded)


@pytest.mark.parametrize("tensor", [torch.zeros(1, 3, 8, device="meta"), torch.zeros(1, 3, 8).to_sparse()])
def test_tensors_that_are_no_arrays(tensor):
    for call in (ENCODER.trace, softmax):
        with pytest.raises(ValueError, match="cannot be read as an array: can't convert"):
            call(tensor)
