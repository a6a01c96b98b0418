"""The addresses of cells: formatting, parsing, and errors for cells that do not exist."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig, Run
from encoder_core.explain import Cell, TensorShape, check_cell, parse_cell, tensor_shapes
from encoder_core.explain.cell import tensor_at
from encoder_core.explain.measures import LAYER_MEASURE_AXES, LENS_MEASURES, MEASURE_AXES

CONFIG = EncoderConfig(
    d_model=6, num_heads=3, qkv_dim=12, d_ff=8, num_layers=2, vocab_size=9, positions="learned", output_head=True,
    embedding_norm=True,
)  # fmt: skip
ENCODER = Encoder.random(CONFIG)
SHORT = ENCODER.trace(np.array([[1, 2, 3]]))


@pytest.fixture(scope="module")
def trace():
    return ENCODER.trace(np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]))


def parse(text, trace):
    return parse_cell(text, trace, ENCODER.parameters())


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("pattern.1.0.2.4.3", Cell("pattern", (0, 2, 4, 3), layer=1)),
        ("embedded.1.4.5", Cell("embedded", (1, 4, 5))),
        ("position_encoding.4.5", Cell("position_encoding", (4, 5))),
        ("rollout.1.1.4.3", Cell("rollout", (1, 4, 3), layer=1)),
        ("output_cosines.1.4.3", Cell("output_cosines", (1, 4, 3))),
        ("embedding_sum.1.4.5", Cell("embedding_sum", (1, 4, 5))),
        ("ids.1.4", Cell("ids", (1, 4))),
        ("token_embedding.1.4.5", Cell("token_embedding", (1, 4, 5))),
        ("parameters.token_embedding.8.5", Cell("parameters.token_embedding", (8, 5))),
        ("parameters.position_embedding.63.5", Cell("parameters.position_embedding", (63, 5))),
        ("parameters.embedding_norm.scale.5", Cell("parameters.embedding_norm.scale", (5,))),
        ("parameters.layers.1.norm1.scale.5", Cell("parameters.layers.1.norm1.scale", (5,))),
        (
            "parameters.layers.1.attention.query.kernel.5.11",
            Cell("parameters.layers.1.attention.query.kernel", (5, 11)),
        ),
    ],
)
def test_parse_cell_inverts_str(text, cell, trace):
    assert parse(text, trace) == cell
    assert str(cell) == text
    assert {cell: "hashable"}[parse(text, trace)] == "hashable"


def test_tensor_shapes_contains_all_arrays_of_a_trace(trace):
    shapes = tensor_shapes(trace)
    for name, (axes, shape, layers) in shapes.items():
        cell = Cell(name, (0,) * len(shape), None if layers is None else 1)
        assert tensor_at(Run(trace, ENCODER.config, ENCODER.parameters()), cell).shape == shape
        assert len(axes) == len(shape)
        assert layers in (None, 2)
    measures = {*LAYER_MEASURE_AXES, *MEASURE_AXES}
    names = set(trace._fields) | set(trace.layers[0]._fields) | {"head_contributions", "probabilities"} | measures
    assert names - set(shapes) == {"tokens", "real", "mask", "layers", "kept", "out_kernel"}
    assert shapes["q"] == TensorShape(("batch", "head", "query", "d_head"), (2, 3, 5, 4), 2)
    assert shapes["position_encoding"] == TensorShape(("seq", "d_model"), (5, 6), None)
    absent = trace._replace(ids=None, logits=None, embedding_sum=None)
    names = {"ids", "logits", "probabilities", "embedding_sum", *LENS_MEASURES}
    assert set(shapes) - set(tensor_shapes(absent)) == names


def test_without_an_embedding_norm_the_trace_has_no_embedding_sum():
    """The sum is `embedded`."""
    encoder = Encoder.random(replace(CONFIG, embedding_norm=False))
    trace = encoder.trace(np.array([[1, 2, 3]]))
    with pytest.raises(
        ValueError, match=r"cell embedding_sum\.0\.0\.0: tensor='embedding_sum' is unknown: allowed are ids, .*embedded"
    ):
        parse_cell("embedding_sum.0.0.0", trace, encoder.parameters())
    with pytest.raises(ValueError, match=r"'embedding_norm.scale' is unknown: allowed are token_embedding, "):
        parse_cell("parameters.embedding_norm.scale.0", trace, encoder.parameters())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"tensor='' is unknown: allowed are ids, token_embedding, .*, probabilities, .* and parameters\.<name>"),
        ("patern.0.0.0.0.0", r"'patern' is unknown: allowed are ids, .*pattern, "),
        ("mask.0.0.0.0", r"'mask' is unknown"),
        ("pattern", r"layer=None is invalid: allowed are 0 to 1"),
        ("pattern.2.0.0.0.0", r"layer=2 is invalid: allowed are 0 to 1"),
        ("pattern.-1.0.0.0.0", r"layer=-1 is invalid: allowed are 0 to 1"),
        ("pattern.0.0.0.0", r"3 indices are invalid: pattern has 4: batch, head, query, key"),
        ("pattern.0.0.0.0.0.0", r"5 indices are invalid: pattern has 4"),
        ("pattern.0.2.0.0.0", r"batch=2 is invalid: allowed are 0 to 1"),
        ("pattern.0.0.3.0.0", r"head=3 is invalid: allowed are 0 to 2"),
        ("pattern.0.0.0.5.0", r"query=5 is invalid: allowed are 0 to 4"),
        ("pattern.0.0.0.0.-1", r"key=-1 is invalid: allowed are 0 to 4"),
        ("z.0.0.0.0.4", r"d_head=4 is invalid: allowed are 0 to 3"),
        ("logits.0.0.9", r"vocab=9 is invalid: allowed are 0 to 8"),
        ("embedded.0.0", r"2 indices are invalid: embedded has 3: batch, seq, d_model"),
        ("pattern.0.0.0.0.x", r"'pattern.0.0.0.0.x' is unknown"),
        ("pattern.0.0.0.0.1e0", r"'pattern.0.0.0.0.1e0' is unknown"),
        ("pattern.0.0.0.0. 1", r"is unknown"),
        ("pattern.٠.٠.٠.٠.٠", r"is unknown"),
        ("pattern..0.0.0.0", r"is unknown"),
        ("parameters.token_embedding.9.0", r"row=9 is invalid: allowed are 0 to 8"),
        ("parameters.layers.0.mlp.up.kernel.0.8", r"column=8 is invalid: allowed are 0 to 7"),
        ("parameters.layers.0.mlp.up.kernel.0", r"1 indices are invalid: .*kernel has 2: row, column"),
        ("parameters.layers.0.mlp.up.bias.0.0", r"2 indices are invalid: .*bias has 1: column"),
        ("parameters.layers.2.mlp.up.kernel.0.0", r"'layers.2.mlp.up.kernel' is unknown: .*layers\.<layer>\.mlp\.up"),
        ("parameters.0", r"'parameters' is unknown"),
        ("pattern" + ".0" * 100, r"length=207 is invalid: allowed are up to 120"),
    ],
)
def test_invalid_addresses(text, message, trace):
    with pytest.raises(ValueError, match=message):
        parse(text, trace)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Cell("embedded", (0, 0, 0), layer=0), "cell embedded.*: layer=0 is invalid: allowed are None"),
        (Cell("parameters.token_embedding", (0, 0), layer=0), "layer=0 is invalid: allowed are None"),
        (Cell("pattern", (0, 0, 0, 0)), "layer=None is invalid: allowed are 0 to 1"),
    ],
)
def test_a_cell_with_an_invalid_layer(cell, message, trace):
    with pytest.raises(ValueError, match=message):
        check_cell(cell, trace, ENCODER.parameters())


@given(st.one_of(st.text(max_size=40), st.from_regex(r"(pattern|q|embedded|parameters\.[a-z_.0]*)(\.-?\d+){0,6}")))
def test_any_text_is_parsed_or_raises_value_error(text):
    message = None
    try:
        cell = parse(text, SHORT)
    except ValueError as error:
        message = str(error)
    if message is None:
        assert parse(str(cell), SHORT) == cell
    else:
        assert message.startswith("cell ")
