"""The parameters of an encoder: names and shapes, random initialisation from a seed, validation."""

import threading
import zlib
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np
from cachetools import LRUCache, cached
from jaxtyping import Float

from encoder_core.config import EncoderConfig, require_config
from encoder_core.read_only import make_read_only
from encoder_core.validation import require_array, require_integer, require_type

Parameters = Mapping[str, Float[np.ndarray, "..."]]
ParameterDict = dict[str, Float[np.ndarray, "..."]]

# A tensor is drawn at least at this size (rows, columns) and then cropped: a model with larger sizes keeps the numbers
# of a smaller one, and both use the same cached draw. Larger numbers of rows are rounded up to powers of two.
_MIN_DRAW_SIZES = {
    "mlp.up.kernel": (128, 1024),
    "mlp.up.bias": (1, 1024),
    "mlp.down.kernel": (512, 256),
    "bias": (1, 256),
}
_DEFAULT_MIN_DRAW_SIZE = (128, 256)
BIAS_STD = 0.02  # the libraries of the recipes initialise biases with 0
_MAX_CACHED_BYTES = 32_000_000  # of draws: 20 blocks of up to 128 features, each of which takes 4 ms to draw
# Trained parameters are smaller: the largest of all-MiniLM-L6-v2 is 8. Up to this size no number of a forward pass is
# near 3.4e38: with 1,024 features, a norm returns at most 33 * 100, a sublayer writes at most 1024^2.5 * 100^3 = 3e13
# to the stream, and after 24 layers a norm adds up squares below 1e34.
_LARGE = 100.0
_BIASES_WITHOUT_QKV = ("attention.out", "mlp.up", "mlp.down")


def parameter_shapes(config: EncoderConfig) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter of an encoder with this configuration, in the order of the forward pass.

    Raises ValueError for what is no configuration.
    """
    require_config(config)
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
            if config.use_bias and (config.qkv_bias or name in _BIASES_WITHOUT_QKV):
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


class DrawnParameters(Mapping[str, Float[np.ndarray, "..."]]):
    """`draw_parameters` of this `seed`, with each parameter drawn when it is first asked for, as a read-only array.

    Drawing all of twelve wide layers takes five times as long as running them, and a page looks at one or two.
    """

    def __init__(self, config: EncoderConfig, seed: int) -> None:
        self.seed = require_integer("seed", seed, 0)
        self._config = config
        self._shapes = parameter_shapes(config)
        self._drawn: dict[tuple[str, tuple[int, ...]], Float[np.ndarray, ...]] = {}  # by name and shape

    def __getitem__(self, name: str) -> Float[np.ndarray, "..."]:
        key = name, self._shapes[name]
        if key not in self._drawn:
            array = _draw(*key, self.seed)
            array.setflags(write=False)
            self._drawn.setdefault(key, array)  # another thread may have drawn it as well
        return self._drawn[key]

    def with_config(self, config: EncoderConfig) -> "DrawnParameters":
        """The draw of the same seed for another configuration. Arrays of the same name and shape are shared."""
        others = type(self)(config, self.seed)
        others._drawn = self._drawn
        return others

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)

    def __contains__(self, name: object) -> bool:
        return name in self._shapes

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._config, self.seed)

    def __or__(self, others: Parameters) -> ParameterDict:
        """All parameters, with others added or in their place, as of dictionaries."""
        return {**self, **others}


def draw_parameters(config: EncoderConfig, seed: int) -> ParameterDict:
    """Random parameters, the same ones for the same seed, as read-only arrays.

    Kernels are normal with variance 1 / fan-in (LeCun), so that the size of activations does not depend on the width;
    embedding tables are standard normal; biases are normal with standard deviation 0.02 (small, but visible); norms
    have scale 1 and shift 0. Each tensor has its own random stream, and the tensors of a smaller model are corners of
    those of a larger one: a change of one size does not change the other numbers (up to the fan-in factor), as long as
    d_model and qkv_dim are at most 256, d_ff at most 1,024 and, with an output head, the vocabulary at most 256.

    Raises ValueError unless the seed is a whole number of at least 0.
    """
    seed = require_integer("seed", seed, 0)
    parameters = {name: _draw(name, shape, seed) for name, shape in parameter_shapes(config).items()}
    make_read_only(parameters.values())
    return parameters


def draw_for_all_sizes(d_model: int, qkv_dim: int, d_ff: int, num_layers: int, seed: int) -> ParameterDict:
    """What `draw_parameters` cuts the parameters of the stack from, up to these sizes: kernels without `kernel_factor`,
    so that they serve all smaller sizes."""
    largest = EncoderConfig(vocab_size=1, d_model=d_model, num_heads=1, qkv_dim=qkv_dim, d_ff=d_ff,
                            num_layers=num_layers, final_norm=True)  # fmt: skip
    shapes = {name: shape for name, shape in parameter_shapes(largest).items() if "embedding" not in name}
    return {name: _draw(name, shape, seed, scale=False) for name, shape in shapes.items()}


def kernel_factor(fan_in: int) -> float:
    """The standard deviation of a kernel, 1 / sqrt(fan-in), as a float32 number."""
    return float(np.float32(1 / np.sqrt(fan_in)))


def check_parameters(config: EncoderConfig, parameters: Parameters) -> ParameterDict:
    """Copies of the parameters as float32 arrays, in the order of `parameter_shapes`.

    Raises ValueError that names a parameter which is missing or unknown, has the wrong shape or is not finite.
    """
    shapes = require_names(config, parameters)
    return {name: _checked_copy(name, parameters[name], shape) for name, shape in shapes.items()}


def check_extra_parameters(config: EncoderConfig, parameters: Parameters) -> ParameterDict:
    """Copies of these parameters as float32 arrays, also of those that only other options of the configuration need.

    Raises ValueError that names a parameter which no option needs, or which has the wrong shape or is not finite.
    """
    all_options = replace(config, positions="learned", embedding_norm=True, use_bias=True, qkv_bias=True,
                          final_norm=True, output_head=True)  # fmt: skip
    shapes = parameter_shapes(all_options)
    _require_none("unknown", parameters.keys() - shapes.keys())
    return {name: _checked_copy(name, numbers, shapes[name]) for name, numbers in parameters.items()}


def select_parameters(config: EncoderConfig, parameters: Parameters, extra: Parameters) -> Parameters:
    """The parameters of this configuration: those of another one and, where these are missing or have another shape,
    extra ones. What is still missing is drawn where the others are drawn.

    Raises ValueError that names a parameter which is missing.
    """
    drawn = parameters.with_config(config) if isinstance(parameters, DrawnParameters) else None
    selected: ParameterDict = {}
    for name, shape in parameter_shapes(config).items():
        present = parameters.get(name)
        if present is not None and present.shape == shape:
            selected[name] = present
        elif name in extra:
            selected[name] = extra[name]
        elif drawn is None:
            other = "" if present is None else f", and this encoder has one of shape {present.shape}"
            raise ValueError(
                f"the configuration needs a parameter {name!r} of shape {shape}{other}: give it as an extra one."
            )
        else:
            selected[name] = drawn[name]
    if drawn is not None and all(array is drawn[name] for name, array in selected.items()):
        return drawn
    return selected


def require_names(config: EncoderConfig, parameters: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters. Raises ValueError where the names are not those of the configuration."""
    shapes = parameter_shapes(config)
    require_type("parameters", parameters, Mapping, "dictionaries like that of `encoder.parameters()`")
    _require_none("missing", shapes.keys() - parameters.keys())
    _require_none("unknown", parameters.keys() - shapes.keys())
    return shapes


def require_arrays(config: EncoderConfig, parameters: Parameters) -> None:
    """Raises ValueError as `check_parameters` does, also for what is no float32 array. It copies nothing, and does not
    look at the numbers."""
    for name, shape in require_names(config, parameters).items():
        array = parameters[name]
        if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != shape:
            raise ValueError(
                f"parameter {name!r} is no float32 array of shape {shape}: `Encoder.from_parameters` makes one from "
                "other numbers."
            )


def have_large_numbers(parameters: Parameters) -> bool:
    """Whether a parameter is so large that a forward pass might overflow float32, see `_LARGE`."""
    if isinstance(parameters, DrawnParameters):
        return False
    return any(array.max() > _LARGE or array.min() < -_LARGE for array in parameters.values())


def _require_none(problem: str, names: Set[str]) -> None:
    """Raises ValueError that lists the names of parameters with a problem, unless there is none."""
    if names:
        examples = ", ".join(sorted(map(str, names))[:5]) + (", ..." if len(names) > 5 else "")
        raise ValueError(f"{len(names)} {problem} parameter(s): {examples}.")


def _checked_copy(name: str, numbers: object, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
    """The numbers as a float32 array: a copy, because the caller may change the original."""
    numbers = require_array(f"parameter {name!r}", numbers, f"numbers of shape {shape}")
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"parameter {name!r}: the type {numbers.dtype} is invalid: allowed are real numbers.")
    with np.errstate(over="ignore"):  # an infinite number gets the message below
        array = np.array(numbers, np.float32)
    if array.shape != shape:
        raise ValueError(f"parameter {name!r}: shape={array.shape} is invalid: allowed is {shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"parameter {name!r} contains values that are not finite in float32.")
    return array


def _draw(name: str, shape: tuple[int, ...], seed: int, *, scale: bool = True) -> Float[np.ndarray, "..."]:
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
    return normal * np.float32(kernel_factor(shape[0])) if scale else normal


def _standard_normal(seed: int, name: str, rows: int, width: int) -> Float[np.ndarray, "rows width"]:
    least_rows, least_width = next(
        (size for end, size in _MIN_DRAW_SIZES.items() if name.endswith(end)), _DEFAULT_MIN_DRAW_SIZE
    )
    drawn_rows = max(least_rows, 1 << (rows - 1).bit_length())
    return _drawn_block(seed, name, drawn_rows, max(least_width, width))[:rows, :width]


@cached(LRUCache(_MAX_CACHED_BYTES, getsizeof=lambda block: block.nbytes), lock=threading.Lock())
def _drawn_block(seed: int, name: str, rows: int, width: int) -> Float[np.ndarray, "rows width"]:
    stream = np.random.default_rng((seed, zlib.crc32(name.encode())))
    block = stream.standard_normal((rows, width), np.float32)
    block.setflags(write=False)
    return block
