"""A run of an encoder as one value: the trace with everything that it was computed from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.dropout import drop
from encoder_core.edits import Edit, Sublayer, edited_parameters
from encoder_core.edits.effects import NO_EFFECTS, Effects
from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace


@dataclass(frozen=True, eq=False)
class Run:
    """A trace, and what it was made with; `Encoder.run` returns one.

    trace       every step of the forward pass
    config      sizes and choices of the encoder
    parameters  those of the encoder, before the edits
    effects     the edits of the forward pass, combined and validated (see `effects_of`)
    """

    trace: EncoderTrace
    config: EncoderConfig
    parameters: Parameters
    effects: Effects = NO_EFFECTS

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the forward pass, in order."""
        return self.effects.edits

    @cached_property
    def edited_parameters(self) -> Parameters:
        """The parameters that the trace was computed with; arrays that no edit changes are those of the encoder."""
        return edited_parameters(self.parameters, self.effects)

    @property
    def score_scale(self) -> float:
        """What q . k is multiplied by: 1 / sqrt(d_head), or 1."""
        return self.effects.score_scale(self.config)

    def head_factors(self, layer: int) -> Float[np.ndarray, "head"]:
        """The factor on z of each head of a layer."""
        heads = range(self.config.num_heads)
        return np.array([self.effects.head_factors.get((layer, head), 1.0) for head in heads])

    def residual_factor(self, layer: int, sublayer: Sublayer) -> float:
        """The factor on the residual of a sublayer."""
        return self.effects.residual_factors.get((layer, sublayer), 1.0)

    def dropped(
        self,
        numbers: Float[np.ndarray, "..."],
        place: DropoutPlace,
        layer: int | None = None,
        sentence: int | slice = slice(None),
    ) -> Float[np.ndarray, "..."]:
        """The numbers after dropout in this place; unchanged in evaluation mode, and where it is not applied.

        Shapes as in the trace, without the first axis where `sentence` is one.
        """
        kept = self.trace.kept
        if kept is None:
            return numbers
        stays = getattr(kept if layer is None else kept.layers[layer], place)
        return drop(numbers, None if stays is None else stays[sentence], kept.scale)
