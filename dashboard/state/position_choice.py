"""The positions of an encoder as one choice of the sidebar."""

from dataclasses import replace
from typing import Any, Literal

from encoder_core import EncoderConfig

# The layout and the frequencies of sinusoids are part of the choice.
PositionChoice = Literal["sinusoidal", "concatenated", "per_dimension", "learned", "none"]

_POSITIONS: dict[PositionChoice, dict[str, Any]] = {
    "sinusoidal": {"positions": "sinusoidal"},
    "concatenated": {"positions": "sinusoidal", "position_layout": "concatenated"},
    "per_dimension": {"positions": "sinusoidal", "position_frequencies": "dimensions"},
    "learned": {"positions": "learned"},
    "none": {"positions": "none"},
}


def position_fields(choice: PositionChoice) -> dict[str, Any]:
    """The fields of `EncoderConfig` that differ from their defaults with these positions."""
    return _POSITIONS[choice]


def with_positions(config: EncoderConfig, choice: PositionChoice) -> EncoderConfig:
    """The configuration with these positions."""
    usual = {"position_layout": "interleaved", "position_frequencies": "pairs"}
    return replace(config, **usual | _POSITIONS[choice])


def positions_of(config: EncoderConfig) -> PositionChoice:
    """The positions of a configuration, as one choice."""
    return next(choice for choice in _POSITIONS if with_positions(config, choice) == config)
