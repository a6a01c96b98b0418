"""The linear layer of large models: the numbers of `nnx.Linear`, and the order in which XLA multiplies."""

import re

import jax
import numpy as np
from flax import nnx

from encoder_core.blocks.linear import OutputRowsLinear


@jax.jit
def _ours(x: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> jax.Array:
    layer = OutputRowsLinear(*kernel.shape, rngs=nnx.Rngs(0))
    layer.kernel[...], layer.bias[...] = kernel.T, bias
    return layer(x)


@jax.jit
def _theirs(x: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> jax.Array:
    layer = nnx.Linear(*kernel.shape, rngs=nnx.Rngs(0))
    layer.kernel[...], layer.bias[...] = kernel, bias
    return layer(x)


def test_by_hand():
    kernel, bias = np.array([[1, 2, 3], [4, 5, 6]], np.float32), np.array([10, 20, 30], np.float32)
    # 1·1 + 2·4 + 10, 1·2 + 2·5 + 20, 1·3 + 2·6 + 30; the second row is all zero, so the biases are left
    x = np.array([[1, 2], [0, 0]], np.float32)
    np.testing.assert_array_equal(_ours(x, kernel, bias), [[19, 32, 45], [10, 20, 30]])


def test_the_numbers_of_nnx_linear():
    rng = np.random.default_rng(1)
    x, kernel = rng.standard_normal((5, 17), np.float32), rng.standard_normal((17, 40), np.float32) / np.sqrt(17)
    bias = np.arange(40, dtype=np.float32)
    np.testing.assert_allclose(_ours(x, kernel, bias), _theirs(x, kernel, bias), rtol=1e-5, atol=1e-5)


def test_a_new_layer_has_the_variance_of_nnx_linear():
    kernels = [
        np.asarray(jax.jit(lambda layer=layer: layer(400, 300, rngs=nnx.Rngs(0)).kernel[...])())
        for layer in (OutputRowsLinear, nnx.Linear)
    ]
    assert kernels[0].shape == (300, 400)
    np.testing.assert_allclose(*(kernel.std() for kernel in kernels), rtol=0.02)


def test_xla_takes_the_kernel_first():
    """It would copy the second factor."""
    graphdef, shapes = nnx.split(nnx.eval_shape(lambda: OutputRowsLinear(17, 40, rngs=nnx.Rngs(0))))
    x = np.zeros((5, 17), np.float32)
    program = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x)).lower(shapes, x).compile()
    assert re.findall(r"f32\[(\d+),(\d+)\]\S* dot\(", program.as_text()) == [("40", "5")]
