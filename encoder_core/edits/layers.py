"""Edits of what happens inside the blocks: weights, scores, softmax, heads, residuals, dropout."""

from dataclasses import dataclass
from typing import Literal, get_args

from encoder_core.config import EncoderConfig
from encoder_core.edits.checks import (
    FACTORS,
    TEMPERATURES,
    require_cell_value,
    require_choice,
    require_index,
    require_number,
)

Matrix = Literal["W_Q", "W_K", "W_V", "W_O"]
Sublayer = Literal["attention", "mlp"]


@dataclass(frozen=True)
class SetWeight:
    """Set one cell of a head's own slice of a projection.

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
        """Raises ValueError where the model has no such cell, or the value is no number from -1e6 to 1e6."""
        require_choice(self, "matrix", get_args(Matrix))
        require_index(self, "layer", config.num_layers)
        require_index(self, "head", config.num_heads)
        rows, columns = config.d_model, config.d_head
        if self.matrix == "W_O":
            rows, columns = columns, rows
        require_index(self, "row", rows)
        require_index(self, "column", columns)
        require_cell_value(self)


@dataclass(frozen=True)
class SetScore:
    """Set one score, before temperature and softmax, whatever the dot product is.

    A masked score may be set, too: then the query sees the key there, in this layer and head only. `mask` of the trace
    stays as it is.
    """

    batch: int
    layer: int
    head: int
    query: int
    key: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such score, or the value is no number from -1e6 to 1e6."""
        sizes = {"batch": batch, "layer": config.num_layers, "head": config.num_heads, "query": seq, "key": seq}
        for name, size in sizes.items():
            require_index(self, name, size)
        require_cell_value(self)


@dataclass(frozen=True)
class Temperature:
    """Divide the scores of every head by `value` before softmax: below 1 sharper, above 1 flatter. Several multiply."""

    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the value is not a number from 0.001 to 1000."""
        require_number(self, "value", *TEMPERATURES)


@dataclass(frozen=True)
class Unscaled:
    """Leave out the division of q . k by sqrt(d_head), in all layers: the same as `scale_scores=False`."""

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Fits every model; changes nothing where the scores are not scaled."""


@dataclass(frozen=True)
class HeadFactor:
    """Multiply the output of one head by `factor`: 0 switches it off, 1 leaves it. Layer and head count from 0.

    Several at one head multiply.
    """

    layer: int
    head: int
    factor: float = 0.0

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the model has no such head, or the factor is not a number from -1000 to 1000."""
        require_index(self, "layer", config.num_layers)
        require_index(self, "head", config.num_heads)
        require_number(self, "factor", *FACTORS)


@dataclass(frozen=True)
class ResidualFactor:
    """Multiply what flows past a sublayer by `factor` before the sum: factor x + sublayer(x).

    0 drops the residual connection: the sublayer's output takes the place of the sum. 1 leaves it. Several at one sum
    multiply. The `sublayer` is "attention" or "mlp".
    """

    layer: int
    sublayer: Sublayer
    factor: float = 0.0

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the model has no such sum, or the factor is not a number from -1000 to 1000."""
        require_index(self, "layer", config.num_layers)
        require_choice(self, "sublayer", get_args(Sublayer))
        require_number(self, "factor", *FACTORS)


@dataclass(frozen=True)
class Dropout:
    """Training mode: numbers are dropped where `config.dropout_at` says, the same ones for the same seed.

    rate  what is dropped on average, 0 <= rate < 1; None means `config.dropout`. A higher rate drops what a lower one
          drops, and more.
    """

    seed: int
    rate: float | None = None

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the seed is no whole number from 0, or the rate no number from 0 to below 1."""
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"{self!r}: seed={self.seed!r} must be a whole number of at least 0.")
        if self.rate is not None:
            is_number = isinstance(self.rate, int | float) and not isinstance(self.rate, bool)
            if not (is_number and 0 <= self.rate < 1):
                raise ValueError(f"{self!r}: rate={self.rate!r} must be a number of at least 0 and below 1.")
