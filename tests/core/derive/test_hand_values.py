"""Derivations of numbers that are computed by hand."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, Run, Temperature
from encoder_core.explain import Cell, derive, largest_first
from encoder_core.explain.derivation import Operand, accumulate_terms
from encoder_core.recipes import find_recipe
from tests.core.derive.models import Model


@pytest.fixture(scope="module")
def nanolm() -> Model:
    """Tokens 1, 2, 3 of a table from 0.1 to 2.0; queries, keys and values are equal to the rows."""
    demo = find_recipe("nanolm").demos["worked example"]
    encoder, example = Encoder.from_parameters(demo.config, demo.parameters()), demo.inputs()
    return Model(encoder.trace(example.inputs, example.mask), encoder.config, encoder.parameters())


def values(derivation) -> dict[str, float]:
    return {step.name: step.value for step in derivation.steps}


def test_the_query_of_token_2_is_its_row(nanolm):
    assert [nanolm.derive(f"token_embedding.0.1.{j}").result for j in range(4)] == pytest.approx([0.9, 1.0, 1.1, 1.2])
    query = nanolm.derive("q.0.0.0.1.2")
    assert [term.value for term in query.terms] == pytest.approx([0, 0, 1.1, 0])
    assert query.formula == r"q_{tj} = \sum_i x_{ti} \, (W_Q)_{ij}"  # no biases


def test_the_scores_of_token_2(nanolm):
    """0.9 x 0.5 + 1.0 x 0.6 + 1.1 x 0.7 + 1.2 x 0.8 = 2.78, and its half 1.39."""
    dots = nanolm.derive("dot_products.0.0.0.1.0")
    assert [term.value for term in dots.terms] == pytest.approx([0.45, 0.6, 0.77, 0.96])
    assert [term.running_sum for term in dots.terms] == pytest.approx([0.45, 1.05, 1.82, 2.78])
    assert [operand.name for operand in dots.terms[3].operands] == ["q[0, 0, 1, 3]", "k[0, 0, 0, 3]"]
    assert [operand.value for operand in dots.terms[3].operands] == pytest.approx([1.2, 0.8])
    scores = [nanolm.derive(f"scores.0.0.0.1.{key}") for key in range(3)]
    assert [score.result for score in scores] == pytest.approx([1.39, 2.23, 3.07])
    assert scores[0].terms[0].operands[0].cell == Cell("dot_products", (0, 0, 1, 0), layer=0)
    assert scores[0].terms[0].operands[1] == Operand("1/√d_head", 0.5, None)


def test_the_weights_of_token_2(nanolm):
    """e^-1.68 = 0.18637, e^-0.84 = 0.43171, e^0 = 1: together 1.61808."""
    first = nanolm.derive("pattern.0.0.0.1.0")
    assert values(first) == pytest.approx(
        {
            "row maximum": 3.07,
            "score minus maximum": -1.68,
            "exp": 0.186374,
            "row sum of exp": 1.618084,
            "weight: exp / row sum": 0.11518,
        },
        abs=5e-6,
    )
    assert next(iter(values(first))) == "row maximum"
    assert [term.value for term in first.terms] == pytest.approx([0.186374, 0.431711, 1], abs=1e-6)
    assert first.description == "Attention weight: layer 1, head 1, query 2 “id 2”, key 1 “id 1”"
    weights = [nanolm.derive(f"pattern.0.0.0.1.{key}").result for key in range(3)]
    assert weights == pytest.approx([0.11518, 0.26680, 0.61801], abs=5e-6)


def test_the_output_of_token_2(nanolm):
    """0.11518 x 0.5 + 0.26680 x 0.9 + 0.61801 x 1.3 = 1.10113, and 0.1 more for each dimension."""
    expected = [1.10113, 1.20113, 1.30113, 1.40113]
    for tensor in ("z.0.0.0.1", "concat.0.0.1", "head_contributions.0.0.0.1", "attn_out.0.0.1"):
        derivation = [nanolm.derive(f"{tensor}.{dimension}").result for dimension in range(4)]
        assert derivation == pytest.approx(expected, abs=5e-6)
    first = nanolm.derive("z.0.0.0.1.0")
    assert [term.value for term in first.terms] == pytest.approx([0.05759, 0.24012, 0.80342], abs=5e-6)


def test_a_lookup_is_a_one_hot_product():
    demo = find_recipe("nanolm").demos["one-hot"]
    encoder, example = Encoder.from_parameters(demo.config, demo.parameters()), demo.inputs()
    model = Model(encoder.trace(example.inputs), encoder.config, encoder.parameters())
    lookup = model.derive("token_embedding.0.0.1")
    assert lookup.methods == ("lookup", "one-hot product")
    assert [step.value for step in lookup.steps] == [2, model.parameters["token_embedding"][2, 1]]
    product = model.derive("token_embedding.0.0.1", "one-hot product")
    assert [term.operands[0].value for term in product.terms] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert product.terms[7].operands[1].cell == Cell("parameters.token_embedding", (7, 1))
    assert product.result == lookup.result == lookup.trace_value


def block(**choices) -> EncoderConfig:
    return EncoderConfig(**({"d_model": 4, "num_heads": 2, "d_ff": 4, "num_layers": 1, "vocab_size": 8} | choices))


def run(config: EncoderConfig, *edits, mask=None, ids=((1, 2, 3),), **parameters) -> Model:
    encoder = Encoder.random(config)
    encoder = Encoder.from_parameters(config, encoder.parameters() | parameters)
    return Model(encoder.trace(np.array(ids), mask, edits), config, encoder.parameters(), edits)


def with_trace(model: Model, **tensors) -> Model:
    """The model with other numbers in the first layer of its trace, which derivations start from."""
    layer = model.trace.layers[0]
    arrays = {name: np.array(array, np.float32).reshape(getattr(layer, name).shape) for name, array in tensors.items()}
    return model._replace(trace=model.trace._replace(layers=(layer._replace(**arrays),)))


def test_a_norm_of_one_to_four():
    """Mean 2.5, variance 1.25; (4 - 2.5) / sqrt(1.25) = 3 / sqrt(5); times 2, plus 1."""
    double, one = np.full(4, 2, np.float32), np.ones(4, np.float32)
    model = run(block(norm_eps=1e-12), ids=[[1]], **{"layers.0.norm1.scale": double, "layers.0.norm1.bias": one})
    derivation = with_trace(model, resid_mid=[1, 2, 3, 4]).derive("mlp_in.0.0.0.3")
    assert values(derivation) == pytest.approx(
        {
            "mean of the token": 2.5,
            "variance of the token": 1.25,
            "minus the mean": 1.5,
            "normalised": 3 / math.sqrt(5),
            "scale and shift": 6 / math.sqrt(5) + 1,
        }
    )
    assert [term.value for term in derivation.steps[0].terms] == [0.25, 0.5, 0.75, 1]
    assert [term.value for term in derivation.steps[1].terms] == [2.25 / 4, 0.25 / 4, 0.25 / 4, 2.25 / 4]
    assert [[operand.value for operand in term.operands] for term in derivation.steps[4].terms] == [
        [pytest.approx(3 / math.sqrt(5)), 2],
        [1],
    ]


def test_the_input_of_a_post_norm_after_the_network_is_the_sum():
    """[0, 1, 1, 1] + [1, 1, 2, 3] = [1, 2, 3, 4]."""
    model = with_trace(run(block(norm_eps=1e-12), ids=[[1]]), mlp_in=[0, 1, 1, 1], mlp_out=[1, 1, 2, 3])
    derivation = model.derive("resid_post.0.0.0.0")
    assert values(derivation)["residual plus sublayer"] == 1
    assert values(derivation)["mean of the token"] == 2.5
    assert derivation.result == pytest.approx(-3 / math.sqrt(5))
    assert [operand.name for operand in derivation.steps[1].terms[2].operands] == [
        "mlp_in[0, 0, 2]",
        "mlp_out[0, 0, 2]",
    ]


def test_the_norm_of_embedding_plus_position():
    """[0, 1, 1, 1] + [1, 1, 2, 3] = [1, 2, 3, 4]; the norm is as above."""
    config = block(positions="learned", embedding_norm=True, norm_eps=1e-12)
    table, positions = np.zeros((8, 4), np.float32), np.zeros((64, 4), np.float32)
    table[5], positions[0] = [0, 1, 1, 1], [1, 1, 2, 3]
    norm = {"embedding_norm.scale": np.full(4, 2, np.float32), "embedding_norm.bias": np.ones(4, np.float32)}
    model = run(config, ids=[[5]], token_embedding=table, position_embedding=positions, **norm)
    total = model.derive("embedding_sum.0.0.3")
    assert [operand.cell for term in total.terms for operand in term.operands] == [
        Cell("scaled_embedding", (0, 0, 3)), Cell("position_encoding", (0, 3)),
    ]  # fmt: skip
    assert (total.result, total.trace_value) == (4, 4)
    assert total.formula == r"\mathrm{embedding\_sum}_{tj} = \mathrm{scaled\_embedding}_{tj} + P_{tj}"
    derivation = model.derive("embedded.0.0.3")
    assert values(derivation) == pytest.approx(
        {
            "mean of the token": 2.5,
            "variance of the token": 1.25,
            "minus the mean": 1.5,
            "normalised": 3 / math.sqrt(5),
            "scale and shift": 6 / math.sqrt(5) + 1,
        }
    )
    assert derivation.trace_value == pytest.approx(derivation.result)
    assert (
        derivation.description == "Input of the first layer: the norm of embedding plus position: token 1, dimension 3"
    )
    assert derivation.formula.endswith(r"\\ x = \mathrm{embedding\_sum} \end{gathered}")
    assert [term.operands[0].cell for term in derivation.terms] == [Cell("embedding_sum", (0, 0, i)) for i in range(4)]
    scale, shift = (operand for term in derivation.steps[-1].terms for operand in term.operands if operand.cell)
    assert (scale.name, shift.name) == ("γ_E[3]", "β_E[3]")
    plain = run(block(positions="learned"), ids=[[5]], token_embedding=table, position_embedding=positions)
    assert (
        plain.derive("embedded.0.0.3").formula == r"\mathrm{embedded}_{tj} = \mathrm{scaled\_embedding}_{tj} + P_{tj}"
    )
    assert values(plain.derive("embedded.0.0.3")) == {"embedding plus position": 4}


@pytest.mark.parametrize(
    ("layout", "frequencies", "index", "wave"),
    [
        ("interleaved", "pairs", [0, 0, 1, 1, 2], "scscs"),
        ("concatenated", "pairs", [0, 1, 2, 0, 1], "ssscc"),
        ("interleaved", "dimensions", [0, 1, 2, 3, 4], "scscs"),
        ("concatenated", "dimensions", [0, 2, 4, 1, 3], "ssscc"),
    ],
)
def test_the_sinusoid_of_position_2(layout, frequencies, index, wave):
    model = run(block(d_model=5, num_heads=1, position_layout=layout, position_frequencies=frequencies))
    for dimension, (i, letter) in enumerate(zip(index, wave, strict=True)):
        derivation = model.derive(f"position_encoding.2.{dimension}")
        angle = 2 / 10_000 ** (2 * i / 5)
        function, name = {"s": (math.sin, "sine"), "c": (math.cos, "cosine")}[letter]
        assert values(derivation) == pytest.approx(
            {
                "index of the frequency": i,
                "frequency": angle / 2,
                "angle in radians": angle,
                f"{name} of the angle": function(angle),
            }
        )


def test_a_learned_position_is_an_entry_of_its_table_and_none_is_zero():
    learned = run(block(positions="learned")).derive("position_encoding.2.1")
    assert learned.terms[0].operands[0].cell == Cell("parameters.position_embedding", (2, 1))
    assert learned.result == learned.trace_value != 0
    none = run(block(positions="none")).derive("position_encoding.2.1")
    assert (none.result, none.trace_value, none.terms) == (0, 0, ())


@pytest.mark.parametrize(("scale", "factor"), [("none", 1), ("sqrt_d", 2), ("inv_sqrt_d", 0.5)])
def test_the_embedding_scale_at_width_4(scale, factor):
    derivation = run(block(embedding_scale=scale)).derive("scaled_embedding.0.1.1")
    assert derivation.terms[0].operands[1].value == factor
    assert derivation.result == derivation.terms[0].operands[0].value * factor == pytest.approx(derivation.trace_value)


def test_a_masked_key_has_no_weight():
    model = run(block(), mask="causal")
    score, weight = model.derive("scores.0.0.1.0.2"), model.derive("pattern.0.0.1.0.2")
    assert np.isfinite(score.steps[0].value)
    assert (
        values(score)["masked: the query may not attend to the key"] == score.result == score.trace_value == -math.inf
    )
    assert score.difference == 0
    assert values(weight)["score minus maximum"] == -math.inf
    assert (values(weight)["exp"], weight.result, weight.difference) == (0, 0, 0)


def test_the_weights_of_a_row_with_only_masked_keys_are_zero():
    model = run(block(), mask=np.zeros((3, 3), bool))
    derivation = model.derive("pattern.0.0.1.0.2")
    assert values(derivation) == {"row maximum": -math.inf, "every key of the row is masked": 0}
    assert model.derive("z.0.0.1.0.0").result == 0


def test_without_the_division_the_score_is_the_dot_product():
    derivation = run(block(scale_scores=False)).derive("scores.0.0.1.0.2")
    assert derivation.result == derivation.terms[0].operands[0].value
    assert list(values(derivation)) == ["not divided by √d_head"]


def test_temperatures_multiply():
    """Scores 0 and ln 2 have weights 1/3 and 2/3 at temperature 0.5 x 2 = 1, and 1/5 and 4/5 at temperature 0.5."""
    config, scores = block(num_heads=1), [0, math.log(2), 0, math.log(2)]
    for edits, expected in [
        ((Temperature(0.5), Temperature(2.0)), [1 / 3, 2 / 3]),
        ((Temperature(0.5),), [1 / 5, 4 / 5]),
    ]:
        model = with_trace(run(config, *edits, ids=[[1, 2]]), scores=scores)
        assert [model.derive(f"pattern.0.0.0.0.{key}").result for key in (0, 1)] == pytest.approx(expected)
    assert values(model.derive("pattern.0.0.0.0.0"))["divided by the temperature 0.5"] == pytest.approx(
        -2 * math.log(2)
    )


def test_the_factors_of_a_head_multiply():
    model = run(block(), HeadFactor(0, 1, 3.0), HeadFactor(0, 1, -0.5))
    weighted, factored = (step.value for step in model.derive("z.0.0.1.2.0").steps)
    assert factored == -1.5 * weighted != 0
    assert len(model.derive("z.0.0.0.2.0").steps) == 1


def test_dropout_in_all_five_places():
    """At rate 0.5, kept numbers are doubled."""
    places = ("embedded", "pattern", "attn_out", "mlp_act", "mlp_out")
    config = block(d_model=8, d_ff=16, dropout=0.5, dropout_at=places)
    model = run(config, Dropout(0))
    for place in places:
        kept = model.trace.kept.embedded if place == "embedded" else getattr(model.trace.kept.layers[0], place)
        for is_kept, name, factor in [(True, "dropout: × 1/(1 − 0.5)", 2), (False, "dropout: × 0", 0)]:
            index = tuple(map(int, np.argwhere(kept == is_kept)[0]))
            derivation = model.derive(Cell(place, index, None if place == "embedded" else 0))
            before, after = derivation.steps[-2:]
            assert after.name == name
            assert after.value == factor * before.value
            assert derivation.difference < 1e-6


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        ("relu", lambda x: max(0, x)),
        ("gelu", lambda x: x * NormalDist().cdf(x)),
        ("gelu_tanh", lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    ],
)
def test_the_activation_after_the_first_or_after_the_second_linear_layer(activation, function):
    config = block(activation=activation, activation_after="second_linear")
    model = with_trace(run(config, ids=[[1]]), mlp_pre=[1, -1, 0, 0])
    for index, x in enumerate([1, -1, 0]):
        unchanged = model.derive(f"mlp_act.0.0.0.{index}")
        assert [step.value for step in unchanged.steps] == [x]
        assert unchanged.description.startswith("Hidden value, without an activation: ")
    contracted = model.derive("mlp_out.0.0.0.0")
    assert [step.value for step in contracted.steps] == pytest.approx(
        [contracted.terms[-1].running_sum, function(contracted.terms[-1].running_sum)]
    )
    between = model._replace(config=replace(config, activation_after="first_linear"))
    assert [step.value for step in between.derive("mlp_act.0.0.0.1").steps] == pytest.approx([-1, function(-1)])
    assert between.derive("mlp_out.0.0.0.0").result == contracted.terms[-1].running_sum
    assert between.derive("mlp_act.0.0.0.1").description.startswith("Hidden value after the activation: ")


def test_a_column_of_concat_is_a_dimension_of_a_head():
    """d_head is 2: column 3 is dimension 1 of the second head."""
    derivation = run(block()).derive("concat.0.0.2.3")
    assert derivation.terms[0].operands[0].cell == Cell("z", (0, 1, 2, 1), layer=0)
    assert derivation.steps[0].name == "dimension 1 of head 2"


def test_two_methods_for_the_output_of_attention():
    model = run(block())
    heads, product = (model.derive("attn_out.0.0.2.3", method) for method in ("sum of the heads", "concat times W_O"))
    assert heads.methods == product.methods == ("sum of the heads", "concat times W_O")
    assert (len(heads.terms), len(product.terms)) == (2 + 1, 4 + 1)  # plus the bias
    assert heads.terms[-1].operands == product.terms[-1].operands
    assert heads.result == pytest.approx(product.result, rel=1e-6)
    with pytest.raises(
        ValueError, match=r"cell attn_out\.0\.0\.2\.3: method='sum' is invalid: allowed are 'sum of the heads', 'concat"
    ):
        model.derive("attn_out.0.0.2.3", "sum")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_input_of_each_layer(norm):
    model = run(block(num_layers=2, norm=norm))
    assert model.derive("resid_pre.0.0.1.2").terms[0].operands[0].cell == Cell("embedded", (0, 1, 2))
    assert model.derive("resid_pre.1.0.1.2").terms[0].operands[0].cell == Cell("resid_post", (0, 1, 2), layer=0)
    separate = run(block(num_layers=2, norm=norm, attention_read_out="input"))
    assert separate.derive("resid_pre.1.0.1.2").terms[0].operands[0].cell == Cell("embedded", (0, 1, 2))
    assert len(model.derive("attn_in.1.0.1.2").steps) == {"post": 1, "pre": 5}[norm]
    assert len(model.derive("resid_post.1.0.1.2").steps) == {"post": 6, "pre": 1}[norm]


def test_an_output_that_is_not_computed_from_the_layers_has_a_note():
    separate = run(block(num_layers=2, attention_read_out="input")).derive("output.0.1.2")
    assert (separate.result, separate.difference, separate.terms) == (None, None, ())
    assert "not computed from the layers" in separate.note
    alone = run(block(num_layers=1, attention_read_out="input")).derive("output.0.1.2")
    assert alone.result == alone.trace_value
    assert alone.note == ""


def test_inputs_and_parameters_have_a_note_instead_of_steps():
    model = run(block())
    for cell in ("ids.0.1", "parameters.layers.0.attention.query.kernel.1.2"):
        derivation = model.derive(cell)
        assert (derivation.result, derivation.steps) == (None, ())
        assert derivation.note
    assert model.derive("ids.0.1").trace_value == 2
    rows = Encoder.random(block()).trace(np.ones((1, 2, 4), np.float32))
    assert "embeddings, not ids" in derive(Run(rows, block(), model.parameters), "token_embedding.0.1.2").note


def test_a_difference_is_a_fraction_of_the_largest_number_of_the_tensor():
    model = with_trace(run(block(), ids=[[1]]), resid_pre=[1, 2, 3, 4], attn_out=[1, 1, 1, 1], resid_mid=[2, 3, 4, -8])
    assert model.derive("resid_mid.0.0.0.0").difference == 0
    wrong = model.derive("resid_mid.0.0.0.3")
    assert (wrong.result, wrong.trace_value, wrong.scale, wrong.difference) == (5, -8, 8, 13 / 8)


def test_the_largest_terms_come_first():
    terms = accumulate_terms(
        [((Operand(name, value),), value) for name, value in zip("abcde", [1.0, -5.0, 2.0, 5.0, -0.5], strict=True)]
    )
    derivation = largest_first(terms, 3)
    assert [term.operands[0].name for term in derivation.largest] == ["b", "d", "c"]
    assert [term.running_sum for term in derivation.largest] == [-5, 0, 2]
    assert (derivation.others, derivation.others_sum) == (2, 0.5)
    assert derivation.largest[-1].running_sum + derivation.others_sum == terms[-1].running_sum == 2.5
    assert largest_first(terms, 9).others == 0
    assert largest_first(terms, 0) == ((), 5, 2.5)
    with pytest.raises(ValueError, match="count=-1"):
        largest_first(terms, -1)
