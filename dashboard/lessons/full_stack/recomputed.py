"""What the badge of a view covers: the tensors that were recomputed, all or a part of those that the view shows.

The views that show measures of other kinds, or of other sentences, have no badge.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dashboard.markdown import capitalize
from dashboard.models.model import Model
from dashboard.models.recomputed import difference_of
from dashboard.selection.focus import Focus
from dashboard.shell import frame
from encoder_core import EncoderConfig, Run
from encoder_core.analysis import mix_with_residual, rollout_of_weights
from encoder_core.explain import recompute


class Recomputation(NamedTuple):
    """A recomputation for one sentence.

    difference  (run, sentence), or (run, layer, sentence) if `of_layer` -> the largest relative difference
    scope       the tooltip's sentence: what is recomputed, and from what; "{layers}", "{layer}" and
                "{sentence}" are filled in
    of_layer    whether it is of the selected layer alone; the badge then says so
    is_chained  whether each layer must read the output of the one before it
    """

    difference: Callable[..., float]
    scope: str
    of_layer: bool = False
    is_chained: bool = False

    def covers(self, config: EncoderConfig) -> bool:
        """Whether the layers of the trace are those that compute what is recomputed."""
        return config.has_chained_layers or not self.is_chained

    def render_badge(self, current: Model, at: Focus) -> None:
        """Render the badge."""
        num_layers = current.config.num_layers
        place = (at.layer, at.sentence) if self.of_layer else (at.sentence,)
        layers = "the layer" if num_layers == 1 else f"all {num_layers} layers"
        frame.render_recompute_badge(
            lambda: difference_of(current, self.difference, *place),
            f"layer {at.layer + 1}" * self.of_layer,
            self.scope.format(layers=layers, layer=at.layer + 1, sentence=at.sentence + 1),
        )


def _mean_weights(run: Run, sentence: int) -> float:
    return recompute.stack_weights(run, sentence, lambda weights: np.asarray(weights.mean(axis=1)))


def _rollout(run: Run, sentence: int) -> float:
    return recompute.stack_weights(run, sentence, lambda w: np.stack([mix_with_residual(w), rollout_of_weights(w)]))


_IN_64_BIT = "are recomputed in 64-bit NumPy from"
_OF_WEIGHTS = f"the attention weights of {{layers}} for sentence {{sentence}} {_IN_64_BIT} the scores."

WEIGHTS = Recomputation(recompute.stack_weights, capitalize(_OF_WEIGHTS))
MEAN_WEIGHTS = Recomputation(_mean_weights, f"The means over the heads of {_OF_WEIGHTS}")
ROLLOUT = Recomputation(_rollout, f"The shares that rollout computes from {_OF_WEIGHTS}")
LAYER = Recomputation(
    recompute.encoder_layer,
    f"The vectors of sentence {{sentence}} after layer {{layer}} {_IN_64_BIT} the input of that layer.",
    of_layer=True,
)
OUTPUT = Recomputation(
    recompute.output,
    f"The output vectors of sentence {{sentence}} {_IN_64_BIT} the input of the last layer.",
    is_chained=True,
)
LOGITS = Recomputation(
    recompute.logits,
    f"The logits of sentence {{sentence}}, from which softmax computes the probabilities, {_IN_64_BIT} the output.",
)
LENS = Recomputation(
    recompute.lens_logits,
    "The logits of sentence {sentence} at all stages, from which softmax computes the probabilities, "
    f"{_IN_64_BIT} the residual stream.",
)
