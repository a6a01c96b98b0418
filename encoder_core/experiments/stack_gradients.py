"""What the experiments on depth share: the gradient and the length of the residual stream at every layer."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig, Norm
from encoder_core.edits import Edit, ResidualFactor
from encoder_core.encoder import Encoder
from encoder_core.engine.gradients import layer_gradients
from encoder_core.support.read_only import compared_by_identity

DEPTHS = (2, 4, 6, 8, 12)
NUM_ENCODERS = 10  # random encoders with the seeds 0 to 9, for the spread
_TOKENS, _D_MODEL = 12, 32


@compared_by_identity
class StackNorms(NamedTuple):
    """Lengths of all rows of a sentence taken as one vector.

    gradient  at the input of each layer: of the loss with respect to the residual stream, (layer,)
    stream    after each layer: of the residual stream, (layer,)
    """

    gradient: Float[np.ndarray, "layer"]
    stream: Float[np.ndarray, "layer"]


@lru_cache(maxsize=256)  # all of them: two norms, five depths, with residuals and without
def stack_norms(norm: Norm, depth: int, residuals: bool, seed: int) -> StackNorms:
    """The lengths in a random encoder of so many layers, on random ids.

    The loss is the sum of the outputs times random numbers, so its gradient at the output is random. Without
    `residuals`, each sublayer's output replaces the stream. The gradients are those of `jax.grad` (`layer_gradients`).
    """
    config = EncoderConfig(vocab_size=16, max_len=16, d_model=_D_MODEL, num_heads=4, d_ff=4 * _D_MODEL,
                           num_layers=depth, norm=norm, final_norm=norm == "pre")  # fmt: skip
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, config.vocab_size, (1, _TOKENS)).astype(np.int32)
    edits: list[Edit] = []
    if not residuals:
        edits = [ResidualFactor(layer, "attention") for layer in range(depth)]
        edits += [ResidualFactor(layer, "mlp") for layer in range(depth)]
    run = Encoder.random(config, seed).run(ids, None, edits)
    gradients = layer_gradients(run, rng.standard_normal(run.trace.output.shape))
    return StackNorms(
        np.array([np.linalg.norm(layer.resid_pre) for layer in gradients]),
        np.array([np.linalg.norm(layer.resid_post) for layer in run.trace.layers]),
    )


def all_stack_norms(depth: int, *stacks: tuple[Norm, bool]) -> list[list[StackNorms]]:
    """For each of the stacks (norm, residuals) the lengths in each of the random encoders."""
    # One seed after the other: stacks of one seed have the same parameters, which are drawn once.
    by_seed = [
        [stack_norms(norm, depth, residuals, seed) for norm, residuals in stacks] for seed in range(NUM_ENCODERS)
    ]
    return [list(networks) for networks in zip(*by_seed, strict=True)]


def geometric_mean(values: Float[np.ndarray, "network *layer"]) -> Float[np.ndarray, "*layer"]:
    """The mean for factors: a network with a gradient ten times as large does not outweigh all others."""
    return np.asarray(np.exp(np.log(values).mean(0)))
