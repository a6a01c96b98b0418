"""What steers the compiled program, as traced values at capacity: the configuration, the edits, the dropout."""

from functools import cache

import jax
import numpy as np

from encoder_core.blocks import ACTIVATIONS, AS_IT_IS, BlockDropout, BlockEdits, Keep, Switches
from encoder_core.blocks.capacity import Capacity
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects
from encoder_core.inputs.dropout import Kept


def switches(config: EncoderConfig, effects: Effects) -> Switches:
    """What holds for all blocks."""
    activation = list(ACTIVATIONS).index(config.activation)
    return Switches(
        post_norm=config.norm == "post",
        final_norm=config.final_norm,
        norm_eps=config.norm_eps,
        activation=activation if config.activation_after == "first_linear" else AS_IT_IS,
        output_activation=activation if config.activation_after == "second_linear" else AS_IT_IS,
        score_scale=effects.score_scale(config),
        temperature=effects.temperature,
        first_layer=0,
        every_block_reads_input=False,
    )


def block_edits(capacity: Capacity, effects: Effects, sentence: int) -> BlockEdits:
    """The edits inside the blocks, for one sentence, all layers; those of the inputs: see `edits/apply.py`."""
    changed: dict[str, np.ndarray] = {}

    def array(name: str) -> np.ndarray:
        if name not in changed:
            changed[name] = np.array(getattr(_nothing_edited(capacity), name))
        return changed[name]

    for layer, cells in effects.scores.items():
        for (batch, *cell), value in cells.items():
            if batch == sentence:
                array("scores")[layer, *cell] = value
    for place, factor in effects.head_factors.items():
        array("head_gates")[place] = factor
    for (layer, sublayer), factor in effects.residual_factors.items():
        array(f"{sublayer}_residual")[layer] = factor
    return _nothing_edited(capacity)._replace(**jax.device_put(changed))


@cache
def _nothing_edited(capacity: Capacity) -> BlockEdits:
    layers, heads, seq = capacity.num_layers, capacity.num_heads, capacity.seq
    return BlockEdits(
        scores=jax.device_put(np.full((layers, heads, seq, seq), np.nan, np.float32)),
        head_gates=jax.device_put(np.ones((layers, heads), np.float32)),
        attention_residual=jax.device_put(np.ones(layers, np.float32)),
        mlp_residual=jax.device_put(np.ones(layers, np.float32)),
    )


def block_dropout(capacity: Capacity, kept: Kept | None, sentence: int) -> BlockDropout:
    """Dropout for one sentence in all layers, at capacity."""
    everything = _everything_stays(capacity)
    if kept is None:
        return everything
    places = {}
    for place, keep in everything._asdict().items():
        mask, scale = np.array(keep.mask), np.array(keep.scale)
        for layer, of_layer in enumerate(kept.layers):
            here = getattr(of_layer, place)
            if here is not None:
                mask[layer][tuple(slice(size) for size in here[sentence].shape)] = here[sentence]
                scale[layer] = kept.scale
        places[place] = Keep(jax.device_put(mask), jax.device_put(scale))
    return BlockDropout(**places)


def by_layer(capacity: Capacity, edits: BlockEdits, keep: BlockDropout) -> list[tuple[BlockEdits, BlockDropout]]:
    """What `block_edits` and `block_dropout` gave, of one layer after another. What is not edited is the same array for
    all layers: to cut it out would take as long as to compute a layer."""
    unchanged = jax.tree.leaves((_nothing_edited(capacity), _everything_stays(capacity)))
    leaves, structure = jax.tree.flatten((edits, keep))
    columns = [
        [first] * capacity.num_layers if leaf is same else list(np.asarray(leaf))
        for leaf, same, first in zip(leaves, unchanged, _first_layer(capacity), strict=True)
    ]
    return [jax.tree.unflatten(structure, row) for row in zip(*columns, strict=True)]


@cache
def _first_layer(capacity: Capacity) -> list[jax.Array]:
    unchanged = jax.tree.leaves((_nothing_edited(capacity), _everything_stays(capacity)))
    return [jax.device_put(np.asarray(leaf)[0]) for leaf in unchanged]


@cache
def _everything_stays(capacity: Capacity) -> BlockDropout:
    layers, seq = capacity.num_layers, capacity.seq

    def keep(*shape: int) -> Keep:
        return Keep(jax.device_put(np.ones((layers, *shape), bool)), jax.device_put(np.ones(layers, np.float32)))

    return BlockDropout(
        pattern=keep(capacity.num_heads, seq, seq),
        attn_out=keep(seq, capacity.d_model),
        mlp_act=keep(seq, capacity.d_ff),
        mlp_out=keep(seq, capacity.d_model),
    )
