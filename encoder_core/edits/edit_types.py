"""All types of edits, in the order in which they take effect, and the limits of their values."""

from dataclasses import dataclass
from typing import Literal, get_args

from encoder_core.config import EncoderConfig
from encoder_core.support.validation import python_value, require_choice, require_index, require_integer, require_number

LARGEST_VALUE = 1e6  # of a number that is set: the square of the product of two such numbers is finite in float32
TEMPERATURE_RANGE = (1e-3, 1e3)  # of one temperature, and of the product of several
FACTOR_RANGE = (-1e3, 1e3)  # of one factor on a head or a residual, and of the product of several

Matrix = Literal["W_Q", "W_K", "W_V", "W_O"]
Sublayer = Literal["attention", "mlp"]


class _PythonFields:
    """Values of NumPy in the fields become those of Python: notebooks contain the `repr` of an edit."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            object.__setattr__(self, name, python_value(value))


@dataclass(frozen=True)
class SetTokenEmbedding(_PythonFields):
    """Set one cell of the embedding table: E[id, dimension] = value. It changes every token with this id."""

    id: int
    dimension: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the table has no such cell, or the value is not a number from -1e6 to 1e6."""
        _require_indices(self, id=config.vocab_size, dimension=config.d_model)
        _require_value(self.value)


@dataclass(frozen=True)
class SetWeight(_PythonFields):
    """Set one cell of the part of a projection matrix that belongs to one head.

    matrix  "W_Q", "W_K" or "W_V": (d_model, d_head), `d_head` columns of the kernel; "W_O": (d_head, d_model), rows
            of the kernel of the output projection (Vaswani et al. 2017, section 3.2.2).
    """

    matrix: Matrix
    layer: int
    head: int
    row: int
    column: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the model has no such cell, or the value is not a number from -1e6 to 1e6."""
        require_choice("matrix", self.matrix, get_args(Matrix))
        rows, columns = config.d_model, config.d_head
        if self.matrix == "W_O":
            rows, columns = columns, rows
        _require_indices(self, layer=config.num_layers, head=config.num_heads, row=rows, column=columns)
        _require_value(self.value)


@dataclass(frozen=True)
class ReplaceToken(_PythonFields):
    """Replace the token at one position of a sentence by the token `id`. The input must be text or ids.

    A replaced padding token stays padding in the mask.
    """

    batch: int
    position: int
    id: int

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such sentence, position or id."""
        _require_indices(self, batch=batch, position=seq, id=config.vocab_size)


@dataclass(frozen=True)
class HideToken(_PythonFields):
    """Mask one token as key, in all heads and layers: no query attends to it, not even its own.

    The exception is a score that `SetScore` sets: that query attends to the key, whatever the order of the edits. The
    row of the token stays in the residual stream, and its query still attends to the other tokens.
    """

    batch: int
    position: int

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such sentence or position."""
        _require_indices(self, batch=batch, position=seq)


@dataclass(frozen=True)
class SetEmbedded(_PythonFields):
    """Set one cell of `embedded`, the input of the first layer, after scale, positions, embedding norm and dropout."""

    batch: int
    position: int
    dimension: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such cell, or the value is not a number from -1e6 to 1e6."""
        _require_indices(self, batch=batch, position=seq, dimension=config.d_model)
        _require_value(self.value)


@dataclass(frozen=True)
class Unscaled(_PythonFields):
    """Do not divide q . k by sqrt(d_head), in all layers: the same as `scale_scores=False`."""

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Never raises: the edit fits every model. It has no effect where the scores are not scaled."""


@dataclass(frozen=True)
class SetScore(_PythonFields):
    """Set one score, before temperature and softmax.

    A masked score can be set, too: the query then attends to the key, in this layer and head only. The `mask` of the
    trace does not change.
    """

    batch: int
    layer: int
    head: int
    query: int
    key: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such score, or the value is not a number from -1e6 to 1e6."""
        _require_indices(self, batch=batch, layer=config.num_layers, head=config.num_heads, query=seq, key=seq)
        _require_value(self.value)


@dataclass(frozen=True)
class Temperature(_PythonFields):
    """Divide the scores of every head by `value` before softmax: values below 1 make the weights sharper, values above
    1 flatter. Several temperatures multiply."""

    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the value is not a number from 0.001 to 1000."""
        require_number("value", self.value, *TEMPERATURE_RANGE)


@dataclass(frozen=True)
class HeadFactor(_PythonFields):
    """Multiply the output of one head by `factor`: 0 switches the head off, 1 has no effect.

    Layer and head count from 0. Several factors on one head multiply.
    """

    layer: int
    head: int
    factor: float = 0.0

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the model has no such head, or the factor is not a number from -1000 to 1000."""
        _require_indices(self, layer=config.num_layers, head=config.num_heads)
        require_number("factor", self.factor, *FACTOR_RANGE)


@dataclass(frozen=True)
class ResidualFactor(_PythonFields):
    """Multiply the residual of one sublayer by `factor`: the sum is factor x + sublayer(x).

    0 removes the residual connection: the sum is the output of the sublayer. 1 has no effect. Several factors on one
    residual multiply. `sublayer` is "attention" or "mlp".
    """

    layer: int
    sublayer: Sublayer
    factor: float = 0.0

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the model has no such sum, or the factor is not a number from -1000 to 1000."""
        _require_indices(self, layer=config.num_layers)
        require_choice("sublayer", self.sublayer, get_args(Sublayer))
        require_number("factor", self.factor, *FACTOR_RANGE)


@dataclass(frozen=True)
class Dropout(_PythonFields):
    """Training mode: apply dropout to the tensors in `config.dropout_at`. The same seed drops the same numbers.

    rate  share of the numbers that are dropped on average, 0 <= rate < 1; None means `config.dropout`. With the same
          seed, a higher rate drops all numbers that a lower rate drops.

    Training mode changes no number where the rate is 0, the default of `config.dropout`, or `config.dropout_at` is
    empty.
    """

    seed: int
    rate: float | None = None

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the seed is not a whole number from 0, or the rate not a number from 0 to below 1."""
        require_integer("seed", self.seed, 0)
        if self.rate is not None:
            require_number("rate", self.rate, 0, 1, below_high=True)


Edit = (
    SetTokenEmbedding
    | SetWeight
    | ReplaceToken
    | HideToken
    | SetEmbedded
    | Unscaled
    | SetScore
    | Temperature
    | HeadFactor
    | ResidualFactor
    | Dropout
)


def _require_indices(edit: object, **sizes: int) -> None:
    for name, size in sizes.items():
        require_index(name, getattr(edit, name), size)


def _require_value(value: float) -> None:
    require_number("value", value, -LARGEST_VALUE, LARGEST_VALUE)
