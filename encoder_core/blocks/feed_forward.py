"""The position-wise feed-forward network."""

from typing import NamedTuple

import jax
from flax import nnx
from jaxtyping import Array, Float, Int

from encoder_core.blocks.capacity import Capacity
from encoder_core.blocks.linear import Linear
from encoder_core.blocks.traced_inputs import TracedInputs, dropout

ACTIVATIONS = {
    "relu": jax.nn.relu,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
}
NO_ACTIVATION = len(ACTIVATIONS)  # the index of the identity


class FeedForwardTensors(NamedTuple):
    """The tensors of the feed-forward network."""

    mlp_pre: Float[Array, "seq d_ff"]
    mlp_act: Float[Array, "seq d_ff"]
    mlp_out: Float[Array, "seq d_model"]


def apply_activation(x: Float[Array, "seq width"], activation: Int[Array, ""] | int) -> Float[Array, "seq width"]:
    """The activation with this index in ACTIVATIONS, applied to each number; the identity for NO_ACTIVATION."""
    return jax.lax.switch(activation, [*ACTIVATIONS.values(), lambda identity: identity], x)


class FeedForward(nnx.Module):
    """Two linear layers with an activation between them, applied to each token (Vaswani et al. 2017, section 3.3).

    With activation_after="second_linear" the activation follows the second linear layer instead.
    """

    def __init__(self, capacity: Capacity, linear: Linear, *, rngs: nnx.Rngs) -> None:
        self.up = linear(capacity.d_model, capacity.d_ff, rngs=rngs)
        self.down = linear(capacity.d_ff, capacity.d_model, rngs=rngs)

    def __call__(self, x: Float[Array, "seq d_model"], traced: TracedInputs) -> FeedForwardTensors:
        pre = self.up(x)
        act = apply_activation(pre, traced.settings.activation)
        act = dropout(act, traced.dropout.mlp_act)
        out = self.down(act)
        out = apply_activation(out, traced.settings.output_activation)
        out = dropout(out, traced.dropout.mlp_out)
        return FeedForwardTensors(pre, act, out)
