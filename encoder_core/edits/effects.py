"""Edits combined: what a list of them does to the numbers of a forward pass, computed and validated once a run.

Whoever needs to know what the edits change reads the same `Effects`: the compiled program (`controls.py`), the inputs
(`apply.py`), the recomputation in float64, the derivations and the pages.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from encoder_core.config import EncoderConfig
from encoder_core.edits.checks import FACTORS, TEMPERATURES
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

CellValues = Mapping[tuple[int, ...], float]  # index of a tensor -> the number that is set there
Place = TypeVar("Place", tuple[int, int], tuple[int, Sublayer])
_KERNELS = {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "out"}


@dataclass(frozen=True)
class Effects:
    """What a list of edits does, all of them together; made by `effects_of`, which validates them.

    edits             the list itself, in order
    temperature       the scores are divided by it before softmax
    unscaled          q . k is not divided by sqrt(d_head), whatever the configuration says
    dropout           training mode: the edit with the seed and the rate; None in evaluation mode
    head_factors      (layer, head) -> factor on z
    residual_factors  (layer, sublayer) -> factor on the residual of the sublayer
    hidden            (sentence, token) that is masked as key
    ids, embedded, scores, parameters  the numbers that are set, by their index; scores by layer, parameters by name
    """

    edits: tuple[Edit, ...] = ()
    temperature: float = 1.0
    unscaled: bool = False
    dropout: Dropout | None = None
    head_factors: Mapping[tuple[int, int], float] = field(default_factory=dict)
    residual_factors: Mapping[tuple[int, Sublayer], float] = field(default_factory=dict)
    hidden: frozenset[tuple[int, int]] = frozenset()
    ids: CellValues = field(default_factory=dict)
    embedded: CellValues = field(default_factory=dict)
    scores: Mapping[int, CellValues] = field(default_factory=dict)
    parameters: Mapping[str, CellValues] = field(default_factory=dict)

    def of_tensor(self, name: str, layer: int | None = None) -> CellValues:
        """The numbers that are set in a tensor of the trace; every other number is computed from what is shown."""
        match name:
            case "ids":
                return self.ids
            case "embedded":
                return self.embedded
            case "scores" if layer is not None:
                return self.scores.get(layer, {})
            case _:
                return {}

    def score_scale(self, config: EncoderConfig) -> float:
        """What q . k is multiplied by: 1 / sqrt(d_head), or 1."""
        return config.d_head**-0.5 if config.scale_scores and not self.unscaled else 1.0


NO_EFFECTS = Effects()


def effects_of(edits: Sequence[Edit], config: EncoderConfig, batch: int, seq: int) -> Effects:
    """The edits combined, for a model and an input of `batch` sentences of `seq` tokens.

    Temperatures multiply, and so do factors on one head or one residual; of two edits that set the same number, the
    later one wins. Raises ValueError for an edit that does not fit the model and the input, for a product that is out
    of the range of a single edit, and for several edits `Dropout`: it names the field, the value and what is allowed.
    """
    if not edits:
        return NO_EFFECTS
    for edit in edits:
        edit.check(config, batch, seq)
    heads = [((edit.layer, edit.head), edit.factor) for edit in edits if isinstance(edit, HeadFactor)]
    residuals = [((edit.layer, edit.sublayer), edit.factor) for edit in edits if isinstance(edit, ResidualFactor)]
    temperatures = [edit.value for edit in edits if isinstance(edit, Temperature)]
    return Effects(
        edits=tuple(edits),
        temperature=_product("temperature", temperatures, *TEMPERATURES),
        unscaled=any(isinstance(edit, Unscaled) for edit in edits),
        dropout=_only_dropout([edit for edit in edits if isinstance(edit, Dropout)]),
        head_factors=_products("head", heads),
        residual_factors=_products("sublayer", residuals),
        hidden=frozenset((edit.batch, edit.position) for edit in edits if isinstance(edit, HideToken)),
        ids={(edit.batch, edit.position): float(edit.id) for edit in edits if isinstance(edit, ReplaceToken)},
        embedded={
            (edit.batch, edit.position, edit.dimension): float(edit.value)
            for edit in edits
            if isinstance(edit, SetEmbedded)
        },
        scores=_scores(edits),
        parameters=_parameters(edits, config),
    )


def first_changed_layer(edits: Sequence[Edit]) -> int:
    """The first block whose steps these edits change: its input is the same as without them."""
    return min((getattr(edit, "layer", 0) for edit in edits), default=0)


def _product(name: str, factors: Sequence[float], low: float, high: float) -> float:
    """The product of the values of several edits. Raises ValueError where it is out of their range."""
    product = math.prod(factors, start=1.0)
    if not low <= product <= high:
        listed = " × ".join(f"{factor:g}" for factor in factors)
        raise ValueError(f"{name}: {listed} = {product:g} must be a number from {low:g} to {high:g}.")
    return product


def _products(axis: str, factors: Iterable[tuple[Place, float]]) -> dict[Place, float]:
    """The product of the factors at each place, (layer, head) or (layer, sublayer); `axis` names the latter."""
    by_place: dict[Place, list[float]] = {}
    for place, factor in factors:
        by_place.setdefault(place, []).append(factor)
    return {
        (layer, which): _product(f"factor of layer={layer}, {axis}={which!r}", several, *FACTORS)
        for (layer, which), several in by_place.items()
    }


def _only_dropout(dropouts: Sequence[Dropout]) -> Dropout | None:
    if len(dropouts) > 1:
        raise ValueError(f"{len(dropouts)} edits Dropout: a forward pass has one, not {list(dropouts)!r}.")
    return dropouts[0] if dropouts else None


def _scores(edits: Sequence[Edit]) -> dict[int, dict[tuple[int, ...], float]]:
    """layer -> (sentence, head, query, key) -> score."""
    scores: dict[int, dict[tuple[int, ...], float]] = {}
    for edit in edits:
        if isinstance(edit, SetScore):
            cell = edit.batch, edit.head, edit.query, edit.key
            scores.setdefault(edit.layer, {})[cell] = float(edit.value)
    return scores


def _parameters(edits: Sequence[Edit], config: EncoderConfig) -> dict[str, dict[tuple[int, ...], float]]:
    """Name of the parameter -> (row, column) -> value; a kernel has the columns (W_O: the rows) of all heads."""
    parameters: dict[str, dict[tuple[int, ...], float]] = {}
    for edit in edits:
        if isinstance(edit, SetTokenEmbedding):
            parameters.setdefault("token_embedding", {})[edit.id, edit.dimension] = float(edit.value)
        if isinstance(edit, SetWeight):
            start = edit.head * config.d_head  # columns (or rows) of the heads before this one
            row, column = (start, 0) if edit.matrix == "W_O" else (0, start)
            name = f"layers.{edit.layer}.attention.{_KERNELS[edit.matrix]}.kernel"
            parameters.setdefault(name, {})[row + edit.row, column + edit.column] = float(edit.value)
    return parameters
