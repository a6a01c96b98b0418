"""The linear layer of large models: the numbers of `nnx.Linear`, and the order in which XLA multiplies."""

import re

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from encoder_core.blocks.linear import OutputRowsLinear


def _layer(kernel: np.ndarray, bias: np.ndarray) -> OutputRowsLinear:
    layer = OutputRowsLinear(*kernel.shape, rngs=nnx.Rngs(0))
    layer.kernel[...], layer.bias[...] = kernel.T, bias
    return layer


def test_by_hand():
    layer = _layer(np.array([[1, 2, 3], [4, 5, 6]], np.float32), np.array([10, 20, 30], np.float32))
    # 1·1 + 2·4 + 10, 1·2 + 2·5 + 20, 1·3 + 2·6 + 30; the second row is all zero, so the biases are left
    np.testing.assert_array_equal(layer(jnp.array([[1.0, 2.0], [0.0, 0.0]])), [[19, 32, 45], [10, 20, 30]])


def test_the_numbers_of_nnx_linear():
    theirs, x = nnx.Linear(17, 40, rngs=nnx.Rngs(3)), jax.random.normal(jax.random.key(1), (5, 17))
    theirs.bias[...] = jnp.arange(40.0)
    ours = _layer(np.asarray(theirs.kernel[...]), np.asarray(theirs.bias[...]))
    np.testing.assert_allclose(ours(x), theirs(x), rtol=1e-5, atol=1e-5)


def test_a_new_layer_has_the_variance_of_nnx_linear():
    kernels = [layer(400, 300, rngs=nnx.Rngs(0)).kernel[...] for layer in (OutputRowsLinear, nnx.Linear)]
    assert kernels[0].shape == (300, 400)
    np.testing.assert_allclose(*(kernel.std() for kernel in kernels), rtol=0.02)


def test_xla_takes_the_kernel_first():
    """It would copy the second factor."""
    graphdef, state = nnx.split(OutputRowsLinear(17, 40, rngs=nnx.Rngs(0)))
    program = jax.jit(lambda state, x: nnx.merge(graphdef, state)(x)).lower(state, jnp.zeros((5, 17))).compile()
    assert re.findall(r"f32\[(\d+),(\d+)\]\S* dot\(", program.as_text()) == [("40", "5")]
