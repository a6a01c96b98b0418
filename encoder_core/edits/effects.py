"""What edits do, gathered by the number that they change: for whoever computes a trace again from what it shows.

`apply.py` and `controls.py` bring the same edits into the forward pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from encoder_core.config import EncoderConfig
from encoder_core.edits.apply import weight_cells
from encoder_core.edits.inputs import HideToken, ReplaceToken, SetEmbedded, SetTokenEmbedding
from encoder_core.edits.kinds import Edit
from encoder_core.edits.layers import (
    Dropout,
    HeadFactor,
    ResidualFactor,
    SetScore,
    SetWeight,
    Sublayer,
    Temperature,
    Unscaled,
)

Set = dict[tuple[int, ...], float]  # index -> number


@dataclass(frozen=True)
class Effects:
    """What a list of edits does, all of them together.

    temperature       the scores are divided by it before softmax
    unscaled          q . k is not divided by sqrt(d_head), whatever the configuration says
    head_factors      (layer, head) -> factor on z
    residual_factors  (layer, sublayer) -> factor on what flows past the sublayer
    hidden            (sentence, token) that no query sees
    ids, embedded, scores, parameters  the numbers set by hand, by their index; scores by layer, parameters by name
    """

    temperature: float = 1.0
    unscaled: bool = False
    head_factors: Mapping[tuple[int, int], float] = field(default_factory=dict)
    residual_factors: Mapping[tuple[int, Sublayer], float] = field(default_factory=dict)
    hidden: frozenset[tuple[int, int]] = frozenset()
    ids: Set = field(default_factory=dict)
    embedded: Set = field(default_factory=dict)
    scores: Mapping[int, Set] = field(default_factory=dict)
    parameters: Mapping[str, Set] = field(default_factory=dict)

    def of_tensor(self, name: str, layer: int | None = None) -> Set:
        """The numbers of a tensor of the trace that are set by hand; those of any other follow from what is shown."""
        match name:
            case "ids":
                return self.ids
            case "embedded":
                return self.embedded
            case "scores" if layer is not None:
                return self.scores.get(layer, {})
            case _:
                return {}


def effects_of(edits: Sequence[Edit], config: EncoderConfig) -> Effects:
    """Factors and temperatures multiply; of two that set the same number, the later one wins."""
    temperature, unscaled = 1.0, False
    head_factors: dict[tuple[int, int], float] = {}
    residual_factors: dict[tuple[int, Sublayer], float] = {}
    hidden: set[tuple[int, int]] = set()
    ids, embedded = Set(), Set()
    scores: dict[int, Set] = {}
    parameters: dict[str, Set] = {}
    for edit in edits:
        match edit:
            case SetTokenEmbedding(entry, dimension, value):
                parameters.setdefault("token_embedding", {})[entry, dimension] = float(value)
            case SetWeight():
                for layer, kernel, cell, value in weight_cells([edit], config):
                    parameters.setdefault(f"layers.{layer}.attention.{kernel}.kernel", {})[cell] = float(value)
            case ReplaceToken(batch, position, entry):
                ids[batch, position] = float(entry)
            case HideToken(batch, position):
                hidden.add((batch, position))
            case SetEmbedded(batch, position, dimension, value):
                embedded[batch, position, dimension] = float(value)
            case Unscaled():
                unscaled = True
            case SetScore(batch, layer, head, query, key, value):
                scores.setdefault(layer, {})[batch, head, query, key] = float(value)
            case Temperature(value):
                temperature *= value
            case HeadFactor(layer, head, factor):
                head_factors[layer, head] = head_factors.get((layer, head), 1.0) * factor
            case ResidualFactor(layer, sublayer, factor):
                residual_factors[layer, sublayer] = residual_factors.get((layer, sublayer), 1.0) * factor
            case Dropout():
                pass  # the trace says which numbers were kept
            case unknown:
                assert_never(unknown)
    return Effects(
        temperature,
        unscaled,
        head_factors,
        residual_factors,
        frozenset(hidden),
        ids,
        embedded,
        scores,
        parameters,
    )
