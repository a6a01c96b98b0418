"""The parameters of an encoder: their names and shapes, drawn from a seed, or checked when given."""

import zlib
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig

Parameters = dict[str, Float[np.ndarray, "..."]]

# A tensor is drawn at least this large (rows, columns) and then cut: widening a slider keeps the numbers already on
# screen, and moving it back and forth finds what was drawn before. Row counts above the first grow by powers of two.
_DRAWN = {"mlp.up.kernel": (128, 1024), "mlp.up.bias": (1, 1024), "mlp.down.kernel": (512, 256), "bias": (1, 256)}
_DRAWN_OTHERWISE = (128, 256)
BIAS_STD = 0.02  # the libraries of the recipes start biases at 0
_BIAS_WITHOUT_QKV = ("attention.out", "mlp.up", "mlp.down")


def parameter_shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter of an encoder with this `config`, in the order of the forward pass."""
    d, qkv, ff = config.d_model, config.qkv_width, config.d_ff
    linear = {
        "attention.query": (d, qkv),
        "attention.key": (d, qkv),
        "attention.value": (d, qkv),
        "attention.out": (qkv, d),
        "mlp.up": (d, ff),
        "mlp.down": (ff, d),
    }
    shapes: dict[str, tuple[int, ...]] = {"token_embedding": (config.vocab_size, d)}
    if config.positions == "learned":
        shapes["position_embedding"] = (config.max_len, d)
    if config.embedding_norm:
        shapes |= {"embedding_norm.scale": (d,), "embedding_norm.bias": (d,)}
    for layer in range(config.num_layers):
        for name, kernel in linear.items():
            shapes[f"layers.{layer}.{name}.kernel"] = kernel
            if config.use_bias and (config.qkv_bias or name in _BIAS_WITHOUT_QKV):
                shapes[f"layers.{layer}.{name}.bias"] = kernel[1:]
        for name in ("norm1", "norm2"):
            shapes |= {f"layers.{layer}.{name}.scale": (d,), f"layers.{layer}.{name}.bias": (d,)}
    if config.final_norm:
        shapes |= {"final_norm.scale": (d,), "final_norm.bias": (d,)}
    if config.output_head:
        shapes["output_head.kernel"] = (d, config.vocab_size)
        if config.use_bias:
            shapes["output_head.bias"] = (config.vocab_size,)
    return shapes


def draw_parameters(config: EncoderConfig, seed: int) -> Parameters:
    """Fresh parameters from a seed.

    Kernels are normal with variance 1 / fan-in (LeCun), so activations keep their size at any width; embedding
    tables are standard normal; biases are normal with standard deviation 0.02 (small, yet visible); norms start
    as scale 1 and shift 0. Every tensor has a random stream of its own, and a smaller model is cut out of a
    larger one: changing one size leaves all other numbers as they were (up to the fan-in factor).
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed={seed!r} must be a whole number of at least 0.")
    return {name: _draw(name, shape, seed) for name, shape in parameter_shapes(config).items()}


def check_parameters(config: EncoderConfig, given: Mapping[str, Float[np.ndarray, "..."]]) -> Parameters:
    """The given parameters as float32 arrays of exactly the shapes that `config` asks for.

    Raises ValueError naming what is missing, unknown, misshapen or not finite.
    """
    shapes = parameter_shapes(config)
    for problem, names in (("missing", shapes.keys() - given.keys()), ("unknown", given.keys() - shapes.keys())):
        if names:
            shown = ", ".join(sorted(names)[:5]) + (", ..." if len(names) > 5 else "")
            raise ValueError(f"{len(names)} {problem} parameter(s): {shown}.")
    checked = {}
    for name, shape in shapes.items():
        array = np.array(given[name], np.float32)  # a copy: nobody can change it from outside
        if array.shape != shape:
            raise ValueError(f"parameter {name!r} has shape {array.shape}, but the config asks for {shape}.")
        if not np.isfinite(array).all():
            raise ValueError(f"parameter {name!r} holds values that are not finite.")
        checked[name] = array
    return checked


def _draw(name: str, shape: tuple[int, ...], seed: int) -> Float[np.ndarray, "..."]:
    if name.endswith("scale"):
        return np.ones(shape, np.float32)
    if "norm" in name:
        return np.zeros(shape, np.float32)
    rows, width = (1, *shape)[-2:]
    normal = _standard_normal(seed, name, rows, width).reshape(shape)
    if name.endswith("embedding"):
        return normal
    if name.endswith("bias"):
        return normal * np.float32(BIAS_STD)
    return normal / np.float32(np.sqrt(shape[0]))


def _standard_normal(seed: int, name: str, rows: int, width: int) -> Float[np.ndarray, "rows width"]:
    least_rows, least_width = next((size for end, size in _DRAWN.items() if name.endswith(end)), _DRAWN_OTHERWISE)
    drawn_rows = max(least_rows, 1 << (rows - 1).bit_length())
    return _drawn_block(seed, name, drawn_rows, max(least_width, width))[:rows, :width]


@lru_cache(maxsize=256)
def _drawn_block(seed: int, name: str, rows: int, width: int) -> Float[np.ndarray, "rows width"]:
    stream = np.random.default_rng((seed, zlib.crc32(name.encode())))
    block = stream.standard_normal((rows, width), np.float32)
    block.setflags(write=False)
    return block
