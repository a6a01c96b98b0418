"""The compiled program: pads a sentence to capacity, runs the modules once, crops every step to its exact size."""

from collections.abc import Mapping, Sequence
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks import ACTIVATIONS, AS_IT_IS, BlockDropout, BlockSteps, EncoderStack, Keep, Switches
from encoder_core.capacity import Capacity, Dims, pad
from encoder_core.config import EncoderConfig
from encoder_core.dropout import Kept
from encoder_core.edits import Dropout, Edit, HeadFactor, Temperature
from encoder_core.trace import LayerTrace

Steps = tuple[Float[Array, "seq d_model"], BlockSteps]
Run = tuple[Float[np.ndarray, "_seq _d_model"], BlockSteps]  # the same as NumPy arrays, still at capacity


def stack_parameters(
    flat: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> nnx.State:
    """The parameters at capacity, those of the blocks stacked along a first axis `layer`, as the modules want them."""
    _, state = _split(capacity)
    filled = []
    for path, variable in nnx.to_flat_state(state):
        name = ".".join(map(str, path))
        if name.startswith("blocks."):
            value = np.zeros(variable.shape, np.float32)
            for layer in range(config.num_layers):
                array = flat.get(f"layers.{layer}.{name.removeprefix('blocks.')}")
                if array is not None:
                    value[layer][tuple(slice(size) for size in array.shape)] = array
        else:
            value = pad(flat.get(name, np.zeros(0, np.float32)), variable.shape)
        filled.append((path, variable.replace(jnp.asarray(value))))
    return nnx.from_flat_state(filled)


def run_batch(
    state: nnx.State,
    embedded: Float[np.ndarray, "batch seq d_model"],
    mask: Bool[np.ndarray, "batch head seq seq"],
    config: EncoderConfig,
    capacity: Capacity,
    edits: Sequence[Edit] = (),
    kept: Kept | None = None,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    """The output and all layers, one sentence after another: the batch size is no shape and compiles nothing.

    Where the config reads attention out of the input, the layers are those of a second pass.
    """
    dims = Dims(d_model=config.d_model, d_head=config.d_head, num_layers=config.num_layers)
    switches = _switches(config, capacity, edits)
    rows = (capacity.seq, capacity.d_model)
    heads = (capacity.num_heads, capacity.seq, capacity.seq)

    def run(switches: Switches) -> list[Run]:
        steps = [
            _forward(
                capacity, state, pad(x, rows), pad(seen, heads), dims, switches, _dropout_at(capacity, kept, sentence)
            )
            for sentence, (x, seen) in enumerate(zip(embedded, mask, strict=True))
        ]
        return jax.tree.map(np.asarray, steps)

    out_kernels = np.asarray(state["blocks"]["attention"]["out"]["kernel"][...])
    output, layers = _crop(run(switches), out_kernels, embedded.shape[1], config)
    if config.attention_read_out == "input":
        apart = run(switches._replace(every_block_reads_input=True))
        _, layers = _crop(apart, out_kernels, embedded.shape[1], config)
    return output, layers


@cache
def _split(capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    """The structure of the modules and the shapes of their parameters; nothing is drawn or allocated."""
    return nnx.split(nnx.eval_shape(lambda: EncoderStack(capacity, rngs=nnx.Rngs(0))))


@partial(jax.jit, static_argnums=0)
def _forward(
    capacity: Capacity,
    state: nnx.State,
    embedded: Float[Array, "seq d_model"],
    mask: Bool[Array, "head seq seq"],
    dims: Dims,
    switches: Switches,
    keep: BlockDropout,
) -> Steps:
    graphdef, _ = _split(capacity)
    encoder = nnx.merge(graphdef, state)
    return encoder(embedded, mask, dims, switches, keep)


def _switches(config: EncoderConfig, capacity: Capacity, edits: Sequence[Edit]) -> Switches:
    temperature = 1.0
    head_gates = np.ones((capacity.num_layers, capacity.num_heads), np.float32)
    for edit in edits:
        edit.check(config)
        match edit:
            case Temperature(value):
                temperature *= value
            case HeadFactor(layer, head, factor):
                head_gates[layer, head] *= factor
            case Dropout():
                pass  # drawn beforehand: see dropout.py
    Temperature(temperature).check(config)  # of all together
    activation = list(ACTIVATIONS).index(config.activation)
    return Switches(
        post_norm=config.norm == "post",
        final_norm=config.final_norm,
        norm_eps=config.norm_eps,
        activation=activation,
        activation_again=activation if config.activation_after == "every_element" else AS_IT_IS,
        score_scale=config.d_head**-0.5 if config.scale_scores else 1.0,
        temperature=temperature,
        head_gates=jnp.asarray(head_gates),
        every_block_reads_input=False,
    )


def _dropout_at(capacity: Capacity, kept: Kept | None, sentence: int) -> BlockDropout:
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


def _crop(
    runs: list[Run],
    out_kernels: Float[np.ndarray, "_layer _attention_dim _d_model"],
    seq: int,
    config: EncoderConfig,
) -> tuple[Float[np.ndarray, "batch seq d_model"], tuple[LayerTrace, ...]]:
    heads, d_head, qkv, d_model = config.num_heads, config.d_head, config.attention_dim, config.d_model

    def rows(arrays: list[np.ndarray], width: int) -> Float[np.ndarray, "batch seq width"]:
        return _frozen(np.stack([array[:seq, :width] for array in arrays]))

    def split(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq d_head"]:
        of_head = rows(arrays, qkv).reshape(len(arrays), seq, heads, d_head).swapaxes(1, 2)
        return _frozen(np.ascontiguousarray(of_head))

    def square(arrays: list[np.ndarray]) -> Float[np.ndarray, "batch head seq seq"]:
        return _frozen(np.stack([array[:heads, :seq, :seq] for array in arrays]))

    def layer_trace(layer: int) -> LayerTrace:
        steps = [jax.tree.map(lambda leaf: leaf[layer], run) for _, run in runs]
        attention = [step.attention for step in steps]
        return LayerTrace(
            resid_pre=rows([s.resid_pre for s in steps], d_model),
            attn_in=rows([s.attn_in for s in steps], d_model),
            q=split([a.q for a in attention]),
            k=split([a.k for a in attention]),
            v=split([a.v for a in attention]),
            dot_products=square([a.dot_products for a in attention]),
            scores=square([a.scores for a in attention]),
            pattern=square([a.pattern for a in attention]),
            z=split([a.concat for a in attention]),
            concat=rows([a.concat for a in attention], qkv),
            attn_out=rows([a.attn_out for a in attention], d_model),
            resid_mid=rows([s.resid_mid for s in steps], d_model),
            mlp_in=rows([s.mlp_in for s in steps], d_model),
            mlp_pre=rows([s.mlp.mlp_pre for s in steps], config.d_ff),
            mlp_act=rows([s.mlp.mlp_act for s in steps], config.d_ff),
            mlp_out=rows([s.mlp.mlp_out for s in steps], d_model),
            resid_post=rows([s.resid_post for s in steps], d_model),
            out_kernel=_frozen(out_kernels[layer, :qkv, :d_model]),
        )

    output = rows([out for out, _ in runs], d_model)
    return output, tuple(layer_trace(layer) for layer in range(config.num_layers))


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
