"""Dropout: which numbers are dropped in training, drawn from a seed; in evaluation nothing is."""

import zlib
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Dropout


class LayerKept(NamedTuple):
    """What one block keeps: True where a number stays, False where it is dropped. None where dropout is not applied."""

    pattern: Bool[np.ndarray, "batch head seq seq"] | None
    attn_out: Bool[np.ndarray, "batch seq d_model"] | None
    mlp_act: Bool[np.ndarray, "batch seq d_ff"] | None
    mlp_out: Bool[np.ndarray, "batch seq d_model"] | None


class Kept(NamedTuple):
    """What a forward pass in training mode keeps, and the rate at which numbers were dropped."""

    rate: float
    embedded: Bool[np.ndarray, "batch seq d_model"] | None
    layers: tuple[LayerKept, ...]

    @property
    def scale(self) -> float:
        """What is kept grows by 1 / (1 - rate), so that the mean over many draws is the number itself."""
        return 1 / (1 - self.rate)


def draw_kept(config: EncoderConfig, dropout: Dropout | None, batch: int, seq: int) -> Kept | None:
    """The numbers that the edit `Dropout` keeps; None without one: evaluation mode.

    A number stays where u >= rate, with u uniform from 0 to 1 and a random stream of its own for each place and layer
    (Srivastava et al. 2014, section 4).
    """
    if dropout is None:
        return None
    seed, rate = dropout.seed, config.dropout if dropout.rate is None else dropout.rate

    def draw(place: DropoutPlace, layer: int, *shape: int) -> Bool[np.ndarray, "..."] | None:
        if place not in config.dropout_at:
            return None
        stream = np.random.default_rng((seed, layer, zlib.crc32(place.encode())))
        kept = stream.random(shape, np.float32) >= rate
        kept.setflags(write=False)
        return kept

    layers = tuple(
        LayerKept(
            pattern=draw("pattern", layer, batch, config.num_heads, seq, seq),
            attn_out=draw("attn_out", layer, batch, seq, config.d_model),
            mlp_act=draw("mlp_act", layer, batch, seq, config.d_ff),
            mlp_out=draw("mlp_out", layer, batch, seq, config.d_model),
        )
        for layer in range(config.num_layers)
    )
    return Kept(float(rate), draw("embedded", 0, batch, seq, config.d_model), layers)


def drop(
    numbers: Float[np.ndarray, "..."], kept: Bool[np.ndarray, "..."] | None, scale: float
) -> Float[np.ndarray, "..."]:
    """The numbers that are kept, times `scale`, and zeros for the others; all as they are where `kept` is None."""
    return numbers if kept is None else np.where(kept, numbers * np.float32(scale), np.float32(0))
