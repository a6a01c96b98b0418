"""Gradients of deep encoders with the norms after (post-norm) or before the sublayers (pre-norm), at initialization."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig, Norm
from encoder_core.encoder import Encoder
from encoder_core.engine.gradients import layer_gradients
from encoder_core.parameters import parameter_shapes
from encoder_core.trace import Run

DRAWS = 3  # draws of parameters per measurement
DEPTHS = (3, 12)  # the tutorial's number of blocks, and many
SEQ, WIDTH = 8, 32


class DepthGradients(NamedTuple):
    """Measures of DRAWS encoders of one depth and one placement of norms.

    residual  |gradient| with respect to the input of each block
    kernels   |gradient| of all kernels of each block
    lengths   mean length of the rows of the residual stream after each block
    """

    residual: Float[np.ndarray, "draw block"]
    kernels: Float[np.ndarray, "draw block"]
    lengths: Float[np.ndarray, "draw block"]

    @property
    def spread(self) -> float:
        """The largest divided by the smallest gradient at the first block, over the draws."""
        return float(self.residual[:, 0].max() / self.residual[:, 0].min())

    @property
    def roughness(self) -> float:
        """The mean of |second difference| of log(gradient) from block to block: 0 if each block has the same factor."""
        return float(np.abs(np.diff(np.log(self.residual), 2)).mean())


def deep_config(norm: Norm, blocks: int) -> EncoderConfig:
    """A narrow encoder of this depth; with pre-norm a final norm follows, so that both outputs have the same size."""
    return EncoderConfig(vocab_size=SEQ, max_len=64, d_model=WIDTH, num_heads=4, d_ff=64, num_layers=blocks, norm=norm,
                         final_norm=norm == "pre", norm_eps=1e-6, activation="gelu_tanh", positions="none")  # fmt: skip


def deep_encoder(norm: Norm, blocks: int, rng: np.random.Generator, *, sublayers: float = 1.0) -> Encoder:
    """An encoder with drawn kernels of variance 1 / fan-in, scales 1 and biases 0, as libraries initialize them.

    sublayers  factor on W_O and W_down of every block: 0 switches the sublayers off
    """
    config = deep_config(norm, blocks)
    parameters = {}
    for name, shape in parameter_shapes(config).items():
        if len(shape) == 1:
            parameters[name] = np.full(shape, float(name.endswith("scale")), np.float32)
            continue
        size = 1.0 if name == "token_embedding" else shape[0] ** -0.5
        size *= sublayers if name.endswith(("attention.out.kernel", "mlp.down.kernel")) else 1.0
        parameters[name] = np.float32(size) * rng.standard_normal(shape, np.float32)
    return Encoder.from_parameters(config, parameters)


@lru_cache(maxsize=4)
def depth_gradients(seed: int) -> dict[tuple[Norm, int], DepthGradients]:
    """(placement, depth) -> measures. The loss is output · r with normal random numbers r.

    The encoder of few blocks has the first blocks of the deep one, so that one forward pass serves both.
    """
    measures: dict[tuple[Norm, int], list[tuple[list[float], ...]]] = {}
    norms: tuple[Norm, Norm] = ("post", "pre")
    for draw in range(DRAWS):
        direction = np.random.default_rng([seed, draw]).standard_normal((1, SEQ, WIDTH))
        for norm in norms:
            encoder = deep_encoder(norm, max(DEPTHS), np.random.default_rng([draw, seed]))
            deep = encoder.run(np.arange(SEQ)[None])
            for blocks in DEPTHS:
                trace = deep.trace._replace(layers=deep.trace.layers[:blocks])
                run = Run(trace, replace(deep.config, num_layers=blocks), deep.parameters)
                gradients = layer_gradients(run, direction)
                lengths = [np.linalg.norm(layer.resid_post, axis=-1).mean() for layer in trace.layers]
                measures.setdefault((norm, blocks), []).append((
                    [float(np.linalg.norm(block.resid_pre)) for block in gradients],
                    [block.kernel_norm for block in gradients],
                    [float(length) for length in lengths],
                ))  # fmt: skip
    return {key: DepthGradients(*map(np.array, zip(*draws, strict=True))) for key, draws in measures.items()}


def scaled_run(norm: Norm, seed: int, factor: float) -> Run:
    """Twelve blocks whose W_O and W_down are multiplied by the factor."""
    encoder = deep_encoder(norm, 12, np.random.default_rng(seed), sublayers=factor)
    if norm == "pre":  # without the final norm, so that the output is the residual stream
        encoder = encoder.with_config(replace(encoder.config, final_norm=False))
    return encoder.run(np.arange(SEQ)[None])
