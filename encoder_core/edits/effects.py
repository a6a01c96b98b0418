"""The combined effect of a list of edits, computed and validated once for each run.

The compiled program (`engine/program_inputs.py`), the inputs (`apply.py`), the recomputation in float64, the
derivations and the pages all read `Effects`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from encoder_core.config import EncoderConfig, require_config
from encoder_core.edits.edit_types import (
    FACTOR_RANGE,
    TEMPERATURE_RANGE,
    Dropout,
    Edit,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Sublayer,
    Temperature,
    Unscaled,
)
from encoder_core.edits.kernel_cells import kernel_cell
from encoder_core.support.read_only import ReadOnlyMapping
from encoder_core.support.validation import invalid_value, require_integer, short_repr

CellValues = Mapping[tuple[int, ...], float]  # index of a cell -> value that is set
FactorKey = TypeVar("FactorKey", tuple[int, int], tuple[int, Sublayer])  # (layer, head) or (layer, sublayer)


@dataclass(frozen=True)
class Effects:
    """The combined effect of validated edits; `combine_edits` returns one. Its mappings are read-only.

    edits             the edits, in order
    temperature       the scores are divided by it before softmax
    unscaled          q . k is not divided by sqrt(d_head), whatever the configuration is
    dropout           the edit with seed and rate in training mode; None in evaluation mode
    head_factors      (layer, head) -> factor on z
    residual_factors  (layer, sublayer) -> factor on the residual of the sublayer
    hidden            (sentence, token) pairs that are hidden as keys
    ids, embedded     index -> value that is set
    scores            layer -> index -> value that is set
    parameters        name -> index -> value that is set
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

    def __post_init__(self) -> None:
        for name in ("head_factors", "residual_factors", "ids", "embedded"):
            object.__setattr__(self, name, ReadOnlyMapping(getattr(self, name)))
        for name in ("scores", "parameters"):
            cells = {key: ReadOnlyMapping(values) for key, values in getattr(self, name).items()}
            object.__setattr__(self, name, ReadOnlyMapping(cells))

    def cell_values(self, name: str, layer: int | None = None) -> CellValues:
        """The cells of a tensor of the trace that edits set, with their values."""
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
        """The factor on q . k: 1 / sqrt(d_head), or 1 for unscaled scores."""
        return config.d_head**-0.5 if self.scales_scores(config) else 1.0

    def scales_scores(self, config: EncoderConfig) -> bool:
        """Whether q . k is divided by sqrt(d_head), which can be 1."""
        return config.scale_scores and not self.unscaled


NO_EFFECTS = Effects()


def combine_edits(edits: Iterable[Edit], config: EncoderConfig, batch: int, seq: int) -> Effects:
    """The combined effect of the edits on a model and an input of `batch` sentences of `seq` tokens.

    Temperatures multiply, and so do factors on one head or one residual; of two edits that set the same cell, the
    later one applies. Raises ValueError for what is no edit, configuration or size, for an edit that does not fit the
    model and the input, for a product outside the range of a single edit, and for more than one `Dropout`.
    """
    edits = require_edits(edits)
    require_config(config)
    batch, seq = require_integer("batch", batch, 1), require_integer("seq", seq, 1)
    if not edits:
        return NO_EFFECTS
    for edit in edits:
        try:
            edit.check(config, batch, seq)
        except ValueError as error:
            error.args = (f"{short_repr(edit)}: {error}",)
            raise
    heads = [((edit.layer, edit.head), edit.factor) for edit in edits if isinstance(edit, HeadFactor)]
    residuals = [((edit.layer, edit.sublayer), edit.factor) for edit in edits if isinstance(edit, ResidualFactor)]
    temperatures = [edit.value for edit in edits if isinstance(edit, Temperature)]
    return Effects(
        edits=tuple(edits),
        temperature=_product("temperature", temperatures, *TEMPERATURE_RANGE),
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


def require_edits(edits: Any) -> tuple[Edit, ...]:
    """The edits of any iterable, also of one that can be read only once. Raises ValueError for anything else."""
    if not isinstance(edits, Iterable) or isinstance(edits, str | np.ndarray):
        raise invalid_value("edits", edits, "lists of edits, such as [HeadFactor(0, 0)]")
    read = tuple(edits)
    for edit in read:
        if not isinstance(edit, Edit):
            raise invalid_value("edit", edit, "the types of `encoder_core.edits`; `parse_edit` makes one from a text")
    return read


def first_changed_layer(edits: Sequence[Edit]) -> int:
    """The first layer whose computation these edits change. Its input is the same as without them."""
    return min((getattr(edit, "layer", 0) for edit in edits), default=0)


def _product(name: str, factors: Sequence[float], low: float, high: float) -> float:
    """The product of the factors. Raises ValueError where it is not from `low` to `high`."""
    product = math.prod(map(float, factors), start=1.0)
    if not low <= product <= high:
        terms = " × ".join(f"{factor:g}" for factor in factors)
        raise ValueError(f"{name}: {terms} = {product:g} is invalid: allowed are numbers from {low:g} to {high:g}.")
    return product


def _products(axis: str, factors: Iterable[tuple[FactorKey, float]]) -> dict[FactorKey, float]:
    """The product of the factors of each key; `axis` is the name of the key's second part."""
    factors_by_key: dict[FactorKey, list[float]] = {}
    for key, factor in factors:
        factors_by_key.setdefault(key, []).append(factor)
    return {
        (layer, target): _product(f"factor of layer={layer}, {axis}={target!r}", key_factors, *FACTOR_RANGE)
        for (layer, target), key_factors in factors_by_key.items()
    }


def _only_dropout(dropouts: Sequence[Dropout]) -> Dropout | None:
    if len(dropouts) > 1:
        raise ValueError(f"{len(dropouts)} Dropout edits are invalid: allowed is one, for all layers.")
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
    """Parameter name -> (row, column) -> value; a kernel has the columns (W_O: the rows) of all heads."""
    parameters: dict[str, dict[tuple[int, ...], float]] = {}
    for edit in edits:
        if isinstance(edit, SetTokenEmbedding):
            parameters.setdefault("token_embedding", {})[edit.id, edit.dimension] = float(edit.value)
        if isinstance(edit, SetWeight):
            name, index = kernel_cell(edit, config.d_head)
            parameters.setdefault(name, {})[index] = float(edit.value)
    return parameters
