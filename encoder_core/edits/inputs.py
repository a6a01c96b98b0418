"""Edits of what enters the first block: tokens, rows of the embedding table, the embedded input, who is seen."""

from dataclasses import dataclass

from encoder_core.config import EncoderConfig
from encoder_core.edits.checks import require_cell_value, require_index


@dataclass(frozen=True)
class SetTokenEmbedding:
    """Set one cell of the embedding table: E[id, dimension] = value. Every token with this id gets it."""

    id: int
    dimension: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where the table has no such cell, or the value is no number from -1e6 to 1e6."""
        require_index(self, "id", config.vocab_size)
        require_index(self, "dimension", config.d_model)
        require_cell_value(self)


@dataclass(frozen=True)
class ReplaceToken:
    """Put the token `id` in the place of the one at this position of a sentence; ids must be known, see `trace`.

    Padding stays padding: what is hidden as such remains hidden.
    """

    batch: int
    position: int
    id: int

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such sentence, position or id."""
        require_index(self, "batch", batch)
        require_index(self, "position", seq)
        require_index(self, "id", config.vocab_size)


@dataclass(frozen=True)
class SetEmbedded:
    """Set one cell of `embedded`, what enters the first block: after scale, positions, embedding norm and dropout."""

    batch: int
    position: int
    dimension: int
    value: float

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such cell, or the value is no number from -1e6 to 1e6."""
        require_index(self, "batch", batch)
        require_index(self, "position", seq)
        require_index(self, "dimension", config.d_model)
        require_cell_value(self)


@dataclass(frozen=True)
class HideToken:
    """Mask one token as key, in all heads and layers: no query attends to it, itself included.

    Its own row stays in the residual stream, and its query still asks.
    """

    batch: int
    position: int

    def check(self, config: EncoderConfig, batch: int, seq: int) -> None:
        """Raises ValueError where there is no such sentence or position."""
        require_index(self, "batch", batch)
        require_index(self, "position", seq)
