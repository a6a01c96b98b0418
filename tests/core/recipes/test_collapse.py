"""Two linear layers without an activation between them are one affine map."""

import numpy as np
import pytest

from encoder_core import RECIPES, Encoder
from encoder_core.analysis import numerical_rank
from encoder_core.explain.sublayers import activate
from encoder_core.recipes.collapse import collapsed_feed_forward

# W_up is 2 x 3 and W_down 3 x 2: both outputs read h1 + 2 h2 and h2 + h3 of the three hidden numbers.
UP = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]], np.float32)
DOWN = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]], np.float32)
BIASES = {
    "layers.1.mlp.up.bias": np.array([1.0, -1.0, 2.0], np.float32),
    "layers.1.mlp.down.bias": np.array([10.0, 20.0], np.float32),
}
KERNELS = {"layers.1.mlp.up.kernel": UP, "layers.1.mlp.down.kernel": DOWN}


def test_the_product_of_two_small_layers():
    """W = [[1, 2], [2, 2]]; b = [1 - 2, -1 + 2] + [10, 20]."""
    affine = collapsed_feed_forward(KERNELS | BIASES, 1)
    np.testing.assert_array_equal(affine.kernel, [[1, 2], [2, 2]])
    np.testing.assert_array_equal(affine.bias, [9, 21])
    assert affine.kernel.dtype == affine.bias.dtype == np.float64


def test_the_map_of_one_row():
    """[3, -1] -> [3 - 2 + 9, 6 - 2 + 21]; the two layers give the same by way of [4, -2, 7]."""
    x = np.array([[3.0, -1.0]], np.float32)
    np.testing.assert_array_equal(x @ UP + BIASES["layers.1.mlp.up.bias"], [[4, -2, 7]])
    np.testing.assert_array_equal(collapsed_feed_forward(KERNELS | BIASES, 1)(x), [[10, 25]])


def test_layers_without_biases_are_a_linear_map():
    affine = collapsed_feed_forward(KERNELS, 1)
    np.testing.assert_array_equal(affine.bias, [0, 0])
    np.testing.assert_array_equal(affine(np.zeros((3, 2))), np.zeros((3, 2)))


def test_a_narrow_hidden_layer_bounds_the_rank():
    """Through d_ff = 2 a map of width 5 has rank 2."""
    rng = np.random.default_rng(0)
    narrow = {"layers.0.mlp.up.kernel": rng.normal(size=(5, 2)), "layers.0.mlp.down.kernel": rng.normal(size=(2, 5))}
    assert numerical_rank(collapsed_feed_forward(narrow, 0).kernel) == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_network_of_nnx_as_written_is_one_affine_map_and_a_gelu(seed):
    recipe = RECIPES["nnx"]
    batch = recipe.inputs(seed)
    encoder = Encoder.recipe("nnx", "as written", seed)
    for index, layer in enumerate(encoder.trace(batch.inputs, batch.mask).layers):
        one_map = collapsed_feed_forward(encoder.parameters(), index)
        np.testing.assert_allclose(layer.mlp_out, activate(one_map(layer.mlp_in), "gelu_tanh"), atol=1e-5)
        assert numerical_rank(one_map.kernel) == 64
        assert layer.mlp_out.min() > -0.171


@pytest.mark.parametrize(("variant", "is_one_map"), [("as intended", False), ("as written", True)])
def test_only_without_the_activation_between_them_are_the_layers_one_map(variant, is_one_map):
    batch, encoder = RECIPES["nnx"].inputs(), Encoder.recipe("nnx", variant)
    layer, parameters = encoder.trace(batch.inputs, batch.mask).layers[0], encoder.parameters()
    two_layers = layer.mlp_act @ parameters["layers.0.mlp.down.kernel"] + parameters["layers.0.mlp.down.bias"]
    apart = np.abs(two_layers - collapsed_feed_forward(parameters, 0)(layer.mlp_in)).max()
    assert apart < 1e-5 if is_one_map else apart > 0.5
