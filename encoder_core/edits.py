"""What-if edits: small, frozen changes to a forward pass. They are traced values, so none of them compiles anything."""

from dataclasses import dataclass

from encoder_core.config import EncoderConfig


@dataclass(frozen=True)
class Temperature:
    """Divide the scores of every head by `value` before softmax: below 1 sharper, above 1 flatter. Several multiply."""

    value: float

    def check(self, config: EncoderConfig) -> None:
        """Raises ValueError where the value is not a number from 0.001 to 1000."""
        _require_number(self, "value", self.value, 1e-3, 1e3)


@dataclass(frozen=True)
class HeadFactor:
    """Multiply the output of one head by `factor`: 0 switches it off, 1 leaves it. Layer and head count from 0."""

    layer: int
    head: int
    factor: float = 0.0

    def check(self, config: EncoderConfig) -> None:
        """Raises ValueError where the model has no such head, or the factor is not a number from -1000 to 1000."""
        for name, size in (("layer", config.num_layers), ("head", config.num_heads)):
            index = getattr(self, name)
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < size:
                raise ValueError(f"{self!r}: {name}={index!r} is not one of 0 to {size - 1}.")
        _require_number(self, "factor", self.factor, -1e3, 1e3)


@dataclass(frozen=True)
class Dropout:
    """Training mode: numbers are dropped where `config.dropout_at` says, the same ones for the same seed.

    rate  what is dropped on average, 0 <= rate < 1; None means `config.dropout`. A higher rate drops what a lower one
          drops, and more.
    """

    seed: int
    rate: float | None = None

    def check(self, config: EncoderConfig) -> None:
        """Raises ValueError where the seed is no whole number from 0, or the rate no number from 0 to below 1."""
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ValueError(f"{self!r}: seed={self.seed!r} must be a whole number of at least 0.")
        if self.rate is not None:
            is_number = isinstance(self.rate, int | float) and not isinstance(self.rate, bool)
            if not (is_number and 0 <= self.rate < 1):
                raise ValueError(f"{self!r}: rate={self.rate!r} must be a number of at least 0 and below 1.")


Edit = Temperature | HeadFactor | Dropout


def _require_number(edit: Edit, name: str, value: float, low: float, high: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and low <= value <= high):
        raise ValueError(f"{edit!r}: {name}={value!r} must be a number from {low:g} to {high:g}.")
