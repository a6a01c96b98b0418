"""The feed-forward network: each token by itself."""

from typing import NamedTuple

import jax
from flax import nnx
from jaxtyping import Array, Float, Int

from encoder_core.blocks.capacity import Capacity
from encoder_core.blocks.switches import BlockDropout, Switches, dropout

ACTIVATIONS = {
    "relu": jax.nn.relu,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
}
AS_IT_IS = len(ACTIVATIONS)  # the index that leaves the numbers as they are


class FeedForwardSteps(NamedTuple):
    """Every step of the feed-forward network."""

    mlp_pre: Float[Array, "seq d_ff"]
    mlp_act: Float[Array, "seq d_ff"]
    mlp_out: Float[Array, "seq d_model"]


def activate(x: Float[Array, "seq width"], activation: Int[Array, ""] | int) -> Float[Array, "seq width"]:
    """The activation with this index in ACTIVATIONS, number by number; AS_IT_IS changes nothing."""
    return jax.lax.switch(activation, [*ACTIVATIONS.values(), lambda same: same], x)


class FeedForward(nnx.Module):
    """Two linear layers with an activation between, each token by itself (Vaswani et al. 2017, section 3.3).

    With activation_after="second_linear" the activation follows the second linear layer instead.
    """

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.up = nnx.Linear(capacity.d_model, capacity.d_ff, rngs=rngs)
        self.down = nnx.Linear(capacity.d_ff, capacity.d_model, rngs=rngs)

    def __call__(self, x: Float[Array, "seq d_model"], switches: Switches, keep: BlockDropout) -> FeedForwardSteps:
        pre = self.up(x)
        act = activate(pre, switches.activation)
        act = dropout(act, keep.mlp_act)
        out = self.down(act)
        out = activate(out, switches.output_activation)
        out = dropout(out, keep.mlp_out)
        return FeedForwardSteps(pre, act, out)
