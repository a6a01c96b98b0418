"""Dropout in training mode: which numbers are kept is drawn from a seed."""

import zlib
from typing import NamedTuple, get_args

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Dropout
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_choice, require_index


@compared_by_identity
class LayerDropoutDraw(NamedTuple):
    """The numbers of one layer that dropout keeps (True); None for tensors that dropout is not applied to."""

    pattern: Bool[np.ndarray, "batch head seq seq"] | None
    attn_out: Bool[np.ndarray, "batch seq d_model"] | None
    mlp_act: Bool[np.ndarray, "batch seq d_ff"] | None
    mlp_out: Bool[np.ndarray, "batch seq d_model"] | None


@compared_by_identity
class DropoutDraw(NamedTuple):
    """The numbers of a forward pass that dropout keeps (True), and the dropout rate."""

    rate: float
    embedded: Bool[np.ndarray, "batch seq d_model"] | None
    layers: tuple[LayerDropoutDraw, ...]

    @property
    def scale(self) -> float:
        """The factor on the numbers that are kept, 1 / (1 - rate): the mean over many draws is the number itself."""
        return 1 / (1 - self.rate)

    def mask(self, place: DropoutPlace, layer: int | None = None) -> Bool[np.ndarray, "..."] | None:
        """The numbers of one tensor that are kept; None where dropout is not applied to it.

        Raises ValueError for another place, and unless `layer` is one that has it: None for "embedded".
        """
        require_choice("place", place, get_args(DropoutPlace))
        if (layer is None) != (place == "embedded"):
            raise invalid_value(f"layer of {place}", layer, "None" if place == "embedded" else "layers from 0")
        if layer is not None:
            require_index("layer", layer, len(self.layers))
        return getattr(self if layer is None else self.layers[layer], place)


def draw_dropout(config: EncoderConfig, dropout: Dropout | None, batch: int, seq: int) -> DropoutDraw | None:
    """The numbers that dropout keeps in a forward pass; None in evaluation mode (`dropout` is None).

    A number is kept where u >= rate, with u uniform from 0 to 1. Each place and layer has its own random stream
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
        LayerDropoutDraw(
            pattern=draw("pattern", layer, batch, config.num_heads, seq, seq),
            attn_out=draw("attn_out", layer, batch, seq, config.d_model),
            mlp_act=draw("mlp_act", layer, batch, seq, config.d_ff),
            mlp_out=draw("mlp_out", layer, batch, seq, config.d_model),
        )
        for layer in range(config.num_layers)
    )
    return DropoutDraw(float(rate), draw("embedded", 0, batch, seq, config.d_model), layers)


def apply_dropout(
    numbers: Float[np.ndarray, "..."], kept: Bool[np.ndarray, "..."] | None, scale: float
) -> Float[np.ndarray, "..."]:
    """`numbers` times `scale` where they are kept, 0 elsewhere; unchanged where `kept` is None."""
    return numbers if kept is None else np.where(kept, numbers * np.float32(scale), np.float32(0))
