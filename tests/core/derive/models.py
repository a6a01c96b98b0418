"""Models for the tests of derivations: any configuration, input, mask and edits, or a recipe."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import NamedTuple, get_args

import numpy as np
from hypothesis import strategies as st

from encoder_core import (
    RECIPES,
    Dropout,
    Edit,
    Encoder,
    EncoderConfig,
    EncoderTrace,
    HeadFactor,
    Run,
    Temperature,
    edits,
)
from encoder_core import config as fields
from encoder_core.explain import Cell, Derivation, derive, tensor_shapes
from encoder_core.parameters import Parameters
from encoder_core.recipes.recipe import VARIANTS
from tests.core.reference import random_parameters
from tests.core.strategies import VOCAB, configs, seeds

PLACES = get_args(fields.DropoutPlace)


class Model(NamedTuple):
    """A trace with the inputs of its computation."""

    trace: EncoderTrace
    config: EncoderConfig
    parameters: Parameters
    edits: tuple[Edit, ...] = ()  # of the trace; `parameters` are those before the edits

    @property
    def run(self) -> Run:
        effects = edits.combine_edits(self.edits, self.config, *self.trace.real.shape)
        return Run(self.trace, self.config, self.parameters, effects)

    def derive(self, cell: Cell | str, way: str | None = None) -> Derivation:
        return derive(self.run, cell, way)


@st.composite
def all_configs(draw) -> EncoderConfig:
    """All options of a configuration, including those that only recipes use."""
    return replace(
        draw(configs(max_layers=3, free_qkv_dim=True)),
        activation_after=draw(st.sampled_from(get_args(fields.ActivationAfter))),
        position_frequencies=draw(st.sampled_from(get_args(fields.PositionFrequencies))),
        attention_read_out=draw(st.sampled_from(["stack", "stack", "input"])),
        qkv_bias=draw(st.booleans()),
        dropout=draw(st.sampled_from([0.0, 0.1, 0.5])),
        embedding_norm=draw(st.booleans()),
    )


def edits_of(config: EncoderConfig, batch: int, seq: int, input_kind: str) -> st.SearchStrategy[tuple[Edit, ...]]:
    """Up to six edits of any type in any order, and at most one `Dropout`. Embeddings as inputs have no ids."""
    layer, head = st.integers(0, config.num_layers - 1), st.integers(0, config.num_heads - 1)
    sentence, token, feature = (st.integers(0, size - 1) for size in (batch, seq, config.d_model))
    entry, column, value = st.integers(0, VOCAB - 1), st.integers(0, config.d_head - 1), st.floats(-3, 3)
    factor = st.sampled_from([0.0, -1.5, 2.0])
    kinds = [
        st.builds(edits.SetTokenEmbedding, entry, feature, value),
        st.builds(edits.SetWeight, st.sampled_from(["W_Q", "W_K", "W_V"]), layer, head, feature, column, value),
        st.builds(edits.SetWeight, st.just("W_O"), layer, head, column, feature, value),
        st.builds(edits.HideToken, sentence, token),
        st.builds(edits.SetEmbedded, sentence, token, feature, value),
        st.just(edits.Unscaled()),
        st.builds(edits.SetScore, sentence, layer, head, token, token, value),
        st.builds(edits.Temperature, st.sampled_from([0.5, 0.8, 3.0])),
        st.builds(edits.HeadFactor, layer, head, factor),
        st.builds(edits.ResidualFactor, layer, st.sampled_from(get_args(edits.Sublayer)), factor),
    ]
    if input_kind == "ids":
        kinds.append(st.builds(edits.ReplaceToken, sentence, token, entry))
    dropouts = st.lists(st.builds(Dropout, seeds, st.sampled_from([None, 0.4])), max_size=1)
    return st.tuples(st.lists(st.one_of(kinds), max_size=6), dropouts).map(lambda lists: tuple(chain(*lists)))


@st.composite
def drawn_models(draw) -> Callable[[], Model]:
    """One or two sentences of up to 12 tokens, as ids or embeddings, with any mask."""
    config, shape = draw(all_configs()), (draw(st.integers(1, 2)), draw(st.integers(1, 12)))
    input_kind = draw(st.sampled_from(["ids", "ids", "ids", "rows"]))
    return partial(
        traced,
        config,
        draw(st.sampled_from([PLACES, PLACES, PLACES[:2], PLACES[3:], ()])),
        draw(edits_of(config, *shape, input_kind)),
        shape,
        input_kind,
        draw(st.sampled_from([None, "causal", "any"])),
        draw(seeds),
    )


def traced(
    config: EncoderConfig, dropout_at, edit_list, shape: tuple[int, int], input_kind: str, mask, seed: int
) -> Model:
    """A model with a trace of random parameters and inputs."""
    config, rng = replace(config, dropout_at=dropout_at), np.random.default_rng(seed)
    parameters = random_parameters(config, rng)
    inputs = rng.integers(0, VOCAB, shape)
    if input_kind == "rows":
        inputs = rng.standard_normal((*shape, config.d_model), np.float32)
    if mask == "any":
        mask = rng.random((shape[0], config.num_heads, shape[1], shape[1])) < 0.5
        mask[:, :, 0] = False
    return Model(
        Encoder.from_parameters(config, parameters).trace(inputs, mask, edit_list), config, parameters, edit_list
    )


@cache
def recipe_model(name: str, variant: str, edit_list: tuple[Edit, ...] = ()) -> Model:
    """The model of a recipe with the trace of its example, with edits."""
    encoder, example = Encoder.recipe(name, variant), RECIPES[name].inputs()
    return Model(
        encoder.trace(example.inputs, example.mask, edit_list), encoder.config, encoder.parameters(), edit_list
    )


recipe_models = st.builds(
    partial,
    st.just(recipe_model),
    st.sampled_from(sorted(RECIPES)),
    st.sampled_from(VARIANTS),
    st.sampled_from([(), (Dropout(3),), (Temperature(0.5), HeadFactor(0, 0, 0.5))]),
)
# Functions without arguments that return a model, so that drawing a strategy computes no trace.
models = st.integers(0, 3).flatmap(lambda kind: recipe_models if kind == 0 else drawn_models())


_SMALL = EncoderConfig(vocab_size=VOCAB, d_model=8, num_heads=2, d_ff=12, num_layers=2, dropout=0.5)
_FACTORS = (Dropout(1), Temperature(0.5), HeadFactor(1, 0, -1.5))
_CELL_EDITS = (
    edits.Unscaled(),
    edits.ReplaceToken(1, 2, 5),
    edits.HideToken(0, 3),
    edits.HideToken(1, 3),
    edits.SetTokenEmbedding(5, 3, 0.9),
    edits.SetEmbedded(1, 1, 4, -0.5),
    edits.SetScore(1, 0, 1, 2, 3, 0.25),
    edits.SetScore(0, 1, 0, 3, 2, 0.75),
    *(edits.SetWeight(matrix, 1, 1, 2, 3, 2.0) for matrix in ("W_Q", "W_K", "W_V", "W_O")),
    *(edits.ResidualFactor(layer, sublayer, 0.5) for layer in (0, 1) for sublayer in get_args(edits.Sublayer)),
)
# Fixed models that together have every option.
FIXED_MODELS = [
    partial(traced, replace(_SMALL, **choices), PLACES, edit_list, (2, 4), input_kind, mask, 7)
    for edit_list, input_kind, mask, choices in [
        (_FACTORS, "ids", "any", {"qkv_bias": False, "activation": "gelu", "activation_after": "second_linear"}),
        ((), "ids", "causal", {"norm": "pre", "final_norm": True, "positions": "learned", "scale_scores": False}),
        (_CELL_EDITS, "ids", None, {}),
        ((*_CELL_EDITS, *_FACTORS), "ids", "any", {"norm": "pre"}),
        (_FACTORS, "rows", None, {"attention_read_out": "input", "positions": "none", "activation": "gelu_tanh"}),
        (
            (),
            "ids",
            None,
            {"output_head": True, "position_layout": "concatenated", "position_frequencies": "dimensions"},
        ),
        ((*_CELL_EDITS, *_FACTORS), "ids", "any", {"embedding_norm": True, "positions": "learned", "norm_eps": 1e-12}),
        ((), "rows", None, {"embedding_norm": True, "norm": "pre", "embedding_scale": "sqrt_d"}),
    ]
]


EMBEDDING_NORM = FIXED_MODELS[-1]


def any_cell(model: Model, tensor: str, rng: np.random.Generator) -> Cell:
    """A random cell of the tensor."""
    _, shape, layers = tensor_shapes(model.trace)[tensor]
    index = tuple(int(rng.integers(size)) for size in shape)
    return Cell(tensor, index, None if layers is None else int(rng.integers(layers)))


def edited_cells(model: Model) -> list[Cell]:
    """The cells of the trace that edits set."""
    cells = []
    for edit in model.edits:
        match edit:
            case edits.ReplaceToken(batch, position, _):
                cells.append(Cell("ids", (batch, position)))
            case edits.SetEmbedded(batch, position, dimension, _):
                cells.append(Cell("embedded", (batch, position, dimension)))
            case edits.SetScore(batch, layer, head, query, key, _):
                cells.append(Cell("scores", (batch, head, query, key), layer))
    return cells
