"""Random parameters of an encoder, drawn from a seed."""

import threading
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from cachetools import LRUCache, cached
from jaxtyping import Float

from encoder_core.config import EncoderConfig
from encoder_core.parameters.shapes import ParameterDict, Parameters, parameter_shapes
from encoder_core.support.read_only import make_read_only
from encoder_core.support.validation import require_integer

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


class DrawnParameters(Mapping[str, Float[np.ndarray, "..."]]):
    """`draw_parameters` of this `seed`, with each parameter drawn when it is first asked for, as a read-only array.

    Drawing all of twelve wide layers takes five times as long as running them, and a page looks at one or two.
    """

    def __init__(self, config: EncoderConfig, seed: int) -> None:
        self.seed = require_integer("seed", seed, 0)
        self._config = config
        self.shapes = parameter_shapes(config)
        self._drawn: dict[tuple[str, tuple[int, ...]], Float[np.ndarray, ...]] = {}  # by name and shape

    def __getitem__(self, name: str) -> Float[np.ndarray, "..."]:
        key = name, self.shapes[name]
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
        return iter(self.shapes)

    def __len__(self) -> int:
        return len(self.shapes)

    def __contains__(self, name: object) -> bool:
        return name in self.shapes

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
