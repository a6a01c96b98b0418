"""Two linear layers without an activation between them are one affine map, as in `nnx` as written."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.parameters import Parameters
from encoder_core.support.read_only import compared_by_identity


@compared_by_identity
class AffineMap(NamedTuple):
    """x -> x kernel + bias, in float64."""

    kernel: Float[np.ndarray, "d_model d_model"]
    bias: Float[np.ndarray, "d_model"]

    def __call__(self, x: Float[np.ndarray, "*row d_model"]) -> Float[np.ndarray, "*row d_model"]:
        return x.astype(float) @ self.kernel + self.bias


def collapsed_feed_forward(parameters: Parameters, layer: int) -> AffineMap:
    """Both linear layers of a block as one map: W = W_up W_down and b = b_up W_down + b_down.

    (x W_up + b_up) W_down + b_down = x (W_up W_down) + (b_up W_down + b_down). W is (d_model, d_model), and its rank is
    at most the smaller of d_model and d_ff. A layer without a bias adds none.
    """
    up, down = f"layers.{layer}.mlp.up", f"layers.{layer}.mlp.down"
    w_up, w_down = (parameters[f"{name}.kernel"].astype(float) for name in (up, down))
    b_up = np.asarray(parameters.get(f"{up}.bias", np.zeros(w_up.shape[1])), float)
    b_down = np.asarray(parameters.get(f"{down}.bias", np.zeros(w_down.shape[1])), float)
    return AffineMap(w_up @ w_down, b_up @ w_down + b_down)
