"""The traced inputs of the compiled program at capacity: settings, edits and dropout masks."""

from functools import cache

import jax
import numpy as np
from jaxtyping import Shaped

from encoder_core.blocks import (
    ACTIVATIONS,
    NO_ACTIVATION,
    DropoutMask,
    LayerDropout,
    LayerEdits,
    ProgramSettings,
    TracedInputs,
)
from encoder_core.blocks.capacity import Capacity
from encoder_core.blocks.parameter_cut import ParameterCut
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.inputs.dropout import DropoutDraw


def program_settings(config: EncoderConfig, effects: Effects, cut: ParameterCut) -> ProgramSettings:
    """The settings of all layers."""
    activation = list(ACTIVATIONS).index(config.activation)
    return ProgramSettings(
        post_norm=config.norm == "post",
        final_norm=config.final_norm,
        norm_eps=config.norm_eps,
        activation=activation if config.activation_after == "first_linear" else NO_ACTIVATION,
        output_activation=activation if config.activation_after == "second_linear" else NO_ACTIVATION,
        score_scale=effects.score_scale(config),
        temperature=effects.temperature,
        first_layer=0,
        every_layer_reads_input=False,
        cut=cut,
    )


def layer_edits(capacity: Capacity, effects: Effects, sentence: int) -> LayerEdits:
    """The edits inside the layers of all layers, for one sentence. `edits/apply.py` applies the edits of the inputs."""
    edited: dict[str, np.ndarray] = {}

    def array(name: str) -> np.ndarray:
        if name not in edited:
            edited[name] = _of_all_layers(capacity, getattr(_without_edits(capacity), name))
        return edited[name]

    for layer, cells in effects.scores.items():
        for (batch, *cell), value in cells.items():
            if batch == sentence:
                array("scores")[layer, *cell] = value
    for place, factor in effects.head_factors.items():
        array("head_factors")[place] = factor
    for (layer, sublayer), factor in effects.residual_factors.items():
        array(f"{sublayer}_residual")[layer] = factor
    return _without_edits(capacity)._replace(**jax.device_put(edited))


@cache
def _without_edits(capacity: Capacity) -> LayerEdits:
    layers, heads, seq = _num_default_layers(capacity), capacity.num_heads, capacity.seq
    return LayerEdits(
        scores=jax.device_put(np.full((layers, heads, seq, seq), np.nan, np.float32)),
        head_factors=jax.device_put(np.ones((layers, heads), np.float32)),
        attention_residual=jax.device_put(np.ones(layers, np.float32)),
        mlp_residual=jax.device_put(np.ones(layers, np.float32)),
    )


def _num_default_layers(capacity: Capacity) -> int:
    """The layers of the arrays without edits or dropout: one at an exact capacity, where a program computes one layer.

    Those of all layers would take 217 MB of a model with 12 layers, 12 heads and 512 tokens.
    """
    return 1 if capacity.exact else capacity.num_layers


def _of_all_layers(capacity: Capacity, default: jax.Array) -> Shaped[np.ndarray, "layer *rest"]:
    """A copy of an array without edits or dropout that can be changed in each layer."""
    return np.array(np.broadcast_to(default, (capacity.num_layers, *default.shape[1:])))


def layer_dropout(capacity: Capacity, kept: DropoutDraw | None, sentence: int) -> LayerDropout:
    """The dropout masks of all layers, for one sentence."""
    without_dropout = _without_dropout(capacity)
    if kept is None:
        return without_dropout
    masks = {}
    for place, mask in without_dropout._asdict().items():
        padded, scale = (_of_all_layers(capacity, default) for default in mask)
        for layer, draw in enumerate(kept.layers):
            kept_here = getattr(draw, place)
            if kept_here is not None:
                padded[layer][tuple(slice(size) for size in kept_here[sentence].shape)] = kept_here[sentence]
                scale[layer] = kept.scale
        masks[place] = DropoutMask(jax.device_put(padded), jax.device_put(scale))
    return LayerDropout(**masks)


def split_by_layer(capacity: Capacity, traced: TracedInputs) -> list[TracedInputs]:
    """The inputs of each layer.

    Arrays without edits or dropout are shared by all layers, because slicing them would take as long as computing a
    layer.
    """
    defaults = jax.tree.leaves((_without_edits(capacity), _without_dropout(capacity)))
    leaves, structure = jax.tree.flatten((traced.edits, traced.dropout))
    columns = [
        [first] * capacity.num_layers if leaf is default else list(np.asarray(leaf))
        for leaf, default, first in zip(leaves, defaults, _first_layer(capacity), strict=True)
    ]
    by_layer = (jax.tree.unflatten(structure, row) for row in zip(*columns, strict=True))
    return [traced._replace(edits=edits, dropout=dropout) for edits, dropout in by_layer]


@cache
def _first_layer(capacity: Capacity) -> list[jax.Array]:
    defaults = jax.tree.leaves((_without_edits(capacity), _without_dropout(capacity)))
    return [jax.device_put(np.asarray(leaf)[0]) for leaf in defaults]


@cache
def _without_dropout(capacity: Capacity) -> LayerDropout:
    layers, seq = _num_default_layers(capacity), capacity.seq

    def keep_all(*shape: int) -> DropoutMask:
        return DropoutMask(jax.device_put(np.ones((layers, *shape), bool)), jax.device_put(np.ones(layers, np.float32)))

    return LayerDropout(
        pattern=keep_all(capacity.num_heads, seq, seq),
        attn_out=keep_all(seq, capacity.d_model),
        mlp_act=keep_all(seq, capacity.d_ff),
        mlp_out=keep_all(seq, capacity.d_model),
    )
