"""What-if edits: small, frozen changes to a forward pass. They are traced values, so none of them compiles anything."""

import math
from dataclasses import dataclass

from encoder_core.config import EncoderConfig


@dataclass(frozen=True)
class Temperature:
    """Divide the scores of every head by `value` before softmax: below 1 sharper, above 1 flatter."""

    value: float

    def check(self, config: EncoderConfig) -> None:
        """Raises ValueError where the value is not a finite number above 0."""
        if not (math.isfinite(self.value) and self.value > 0):
            raise ValueError(f"Temperature(value={self.value!r}) must be a finite number above 0.")


@dataclass(frozen=True)
class HeadFactor:
    """Multiply the output of one head by `factor`: 0 switches it off, 1 leaves it. Layer and head count from 0."""

    layer: int
    head: int
    factor: float = 0.0

    def check(self, config: EncoderConfig) -> None:
        """Raises ValueError where the model has no such head, or the factor is not finite."""
        for name, size in (("layer", config.num_layers), ("head", config.num_heads)):
            index = getattr(self, name)
            if not 0 <= index < size:
                raise ValueError(f"{self!r}: {name}={index} is not one of 0 to {size - 1}.")
        if not math.isfinite(self.factor):
            raise ValueError(f"{self!r}: factor must be a finite number.")


Edit = Temperature | HeadFactor
