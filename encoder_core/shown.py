"""A trace with all that it was made with: what its numbers can be computed again from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.dropout import drop
from encoder_core.edits import Edit, Sublayer, edited_parameters
from encoder_core.edits.apply import check_edits
from encoder_core.edits.effects import Effects, effects_of
from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace


@dataclass(frozen=True, eq=False)
class Shown:
    """A trace, and what it was made with. Raises ValueError for an edit that does not fit the model and the trace.

    parameters  those of the encoder, before the edits
    edits       those that the trace was made with
    """

    trace: EncoderTrace
    config: EncoderConfig
    parameters: Parameters
    edits: Sequence[Edit] = ()

    def __post_init__(self) -> None:
        check_edits(self.edits, self.config, *self.trace.real.shape)

    @cached_property
    def effects(self) -> Effects:
        """What the edits do, all of them together."""
        return effects_of(self.edits, self.config)

    @cached_property
    def edited(self) -> Parameters:
        """The parameters that the trace was computed with."""
        if not self.effects.parameters:
            return self.parameters
        return edited_parameters(self.parameters, self.edits, self.config)

    @property
    def score_scale(self) -> float:
        """What q . k is multiplied with: 1 / sqrt(d_head), or 1."""
        return self.config.d_head**-0.5 if self.config.scale_scores and not self.effects.unscaled else 1.0

    def head_factors(self, layer: int) -> Float[np.ndarray, "head"]:
        """The factor on z of each head of a layer."""
        heads = range(self.config.num_heads)
        return np.array([self.effects.head_factors.get((layer, head), 1.0) for head in heads])

    def residual_factor(self, layer: int, sublayer: Sublayer) -> float:
        """The factor on what flows past a sublayer."""
        return self.effects.residual_factors.get((layer, sublayer), 1.0)

    def dropped(
        self,
        numbers: Float[np.ndarray, "..."],
        place: DropoutPlace,
        layer: int | None = None,
        sentence: int | slice = slice(None),
    ) -> Float[np.ndarray, "..."]:
        """The numbers after dropout in this place; as they are in evaluation mode, and where it is not applied.

        Shapes as in the trace, without the first axis where `sentence` is one.
        """
        kept = self.trace.kept
        if kept is None:
            return numbers
        stays = getattr(kept if layer is None else kept.layers[layer], place)
        return drop(numbers, None if stays is None else stays[sentence], kept.scale)
