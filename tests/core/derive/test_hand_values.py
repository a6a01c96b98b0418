"""Derivations that can be checked with pencil and paper."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, Run, Temperature
from encoder_core.explain import Cell, derive, largest_first
from encoder_core.explain.derivation import Operand, running_sum
from encoder_core.recipes import find_recipe
from tests.core.derive.models import Model


@pytest.fixture(scope="module")
def nanolm() -> Model:
    """Tokens 1, 2, 3 of a table from 0.1 to 2.0; queries, keys and values are the rows themselves."""
    demo = find_recipe("nanolm").demos["worked example"]
    encoder, example = Encoder.from_parameters(demo.config, demo.parameters()), demo.inputs()
    return Model(encoder.trace(example.inputs, example.mask), encoder.config, encoder.parameters())


def values(derivation) -> dict[str, float]:
    return {step.name: step.value for step in derivation.steps}


def test_the_query_of_token_2_is_its_row(nanolm):
    assert [nanolm.derive(f"token_embedding.0.1.{j}").result for j in range(4)] == pytest.approx([0.9, 1.0, 1.1, 1.2])
    query = nanolm.derive("q.0.0.0.1.2")
    assert [term.adds for term in query.terms] == pytest.approx([0, 0, 1.1, 0])
    assert query.formula == r"q_{tj} = \sum_i x_{ti} \, (W_Q)_{ij}"  # there are no biases


def test_the_scores_of_token_2(nanolm):
    """0.9 x 0.5 + 1.0 x 0.6 + 1.1 x 0.7 + 1.2 x 0.8 = 2.78, and its half 1.39."""
    dots = nanolm.derive("dot_products.0.0.0.1.0")
    assert [term.adds for term in dots.terms] == pytest.approx([0.45, 0.6, 0.77, 0.96])
    assert [term.running for term in dots.terms] == pytest.approx([0.45, 1.05, 1.82, 2.78])
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
    assert [term.adds for term in first.terms] == pytest.approx([0.186374, 0.431711, 1], abs=1e-6)
    assert first.words == "Attention weight: layer 1, head 1, query 2 “2”, key 1 “1”"
    weights = [nanolm.derive(f"pattern.0.0.0.1.{key}").result for key in range(3)]
    assert weights == pytest.approx([0.11518, 0.26680, 0.61801], abs=5e-6)


def test_the_output_of_token_2(nanolm):
    """0.11518 x 0.5 + 0.26680 x 0.9 + 0.61801 x 1.3 = 1.10113, and 0.1 more for each dimension."""
    expected = [1.10113, 1.20113, 1.30113, 1.40113]
    for tensor in ("z.0.0.0.1", "concat.0.0.1", "head_contributions.0.0.0.1", "attn_out.0.0.1"):
        found = [nanolm.derive(f"{tensor}.{dimension}").result for dimension in range(4)]
        assert found == pytest.approx(expected, abs=5e-6)
    first = nanolm.derive("z.0.0.0.1.0")
    assert [term.adds for term in first.terms] == pytest.approx([0.05759, 0.24012, 0.80342], abs=5e-6)


def test_a_lookup_is_a_one_hot_product():
    demo = find_recipe("nanolm").demos["one-hot"]
    encoder, example = Encoder.from_parameters(demo.config, demo.parameters()), demo.inputs()
    model = Model(encoder.trace(example.inputs), encoder.config, encoder.parameters())
    lookup = model.derive("token_embedding.0.0.1")
    assert lookup.ways == ("lookup", "one-hot product")
    assert [step.value for step in lookup.steps] == [2, model.parameters["token_embedding"][2, 1]]
    product = model.derive("token_embedding.0.0.1", "one-hot product")
    assert [term.operands[0].value for term in product.terms] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    assert product.terms[7].operands[1].cell == Cell("parameters.token_embedding", (7, 1))
    assert product.result == lookup.result == lookup.shown


def block(**choices) -> EncoderConfig:
    return EncoderConfig(**({"d_model": 4, "num_heads": 2, "d_ff": 4, "num_layers": 1, "vocab_size": 8} | choices))


def run(config: EncoderConfig, *edits, mask=None, ids=((1, 2, 3),), **parameters) -> Model:
    encoder = Encoder.random(config)
    encoder = Encoder.from_parameters(config, encoder.parameters() | parameters)
    return Model(encoder.trace(np.array(ids), mask, edits), config, encoder.parameters(), edits)


def showing(model: Model, **tensors) -> Model:
    """The model with other numbers in the first layer of its trace: a derivation starts from what is shown."""
    layer = model.trace.layers[0]
    arrays = {name: np.array(array, np.float32).reshape(getattr(layer, name).shape) for name, array in tensors.items()}
    return model._replace(trace=model.trace._replace(layers=(layer._replace(**arrays),)))


def test_a_norm_of_one_to_four():
    """Mean 2.5, variance 1.25; (4 - 2.5) / sqrt(1.25) = 3 / sqrt(5); times 2, plus 1."""
    double, one = np.full(4, 2, np.float32), np.ones(4, np.float32)
    model = run(block(norm_eps=1e-12), ids=[[1]], **{"layers.0.norm1.scale": double, "layers.0.norm1.bias": one})
    found = showing(model, resid_mid=[1, 2, 3, 4]).derive("mlp_in.0.0.0.3")
    assert values(found) == pytest.approx(
        {
            "mean of the token": 2.5,
            "variance of the token": 1.25,
            "minus the mean": 1.5,
            "normalised": 3 / math.sqrt(5),
            "scale and shift": 6 / math.sqrt(5) + 1,
        }
    )
    assert [term.adds for term in found.steps[0].terms] == [0.25, 0.5, 0.75, 1]
    assert [term.adds for term in found.steps[1].terms] == [2.25 / 4, 0.25 / 4, 0.25 / 4, 2.25 / 4]
    assert [[operand.value for operand in term.operands] for term in found.steps[4].terms] == [
        [pytest.approx(3 / math.sqrt(5)), 2],
        [1],
    ]


def test_a_post_norm_after_the_network_reads_the_sum():
    """[0, 1, 1, 1] + [1, 1, 2, 3] = [1, 2, 3, 4]."""
    model = showing(run(block(norm_eps=1e-12), ids=[[1]]), mlp_in=[0, 1, 1, 1], mlp_out=[1, 1, 2, 3])
    found = model.derive("resid_post.0.0.0.0")
    assert values(found)["residual plus sublayer"] == 1
    assert values(found)["mean of the token"] == 2.5
    assert found.result == pytest.approx(-3 / math.sqrt(5))
    assert [operand.name for operand in found.steps[1].terms[2].operands] == ["mlp_in[0, 0, 2]", "mlp_out[0, 0, 2]"]


def test_the_norm_of_embedding_plus_position():
    """[0, 1, 1, 1] + [1, 1, 2, 3] = [1, 2, 3, 4]; then as above."""
    config = block(positions="learned", embedding_norm=True, norm_eps=1e-12)
    table, positions = np.zeros((8, 4), np.float32), np.zeros((64, 4), np.float32)
    table[5], positions[0] = [0, 1, 1, 1], [1, 1, 2, 3]
    norm = {"embedding_norm.scale": np.full(4, 2, np.float32), "embedding_norm.bias": np.ones(4, np.float32)}
    model = run(config, ids=[[5]], token_embedding=table, position_embedding=positions, **norm)
    total = model.derive("embedding_sum.0.0.3")
    assert [operand.cell for term in total.terms for operand in term.operands] == [
        Cell("scaled_embedding", (0, 0, 3)), Cell("position_encoding", (0, 3)),
    ]  # fmt: skip
    assert (total.result, total.shown) == (4, 4)
    assert total.formula == r"\mathrm{embedding\_sum}_{tj} = \mathrm{scaled\_embedding}_{tj} + P_{tj}"
    found = model.derive("embedded.0.0.3")
    assert values(found) == pytest.approx(
        {
            "mean of the token": 2.5,
            "variance of the token": 1.25,
            "minus the mean": 1.5,
            "normalised": 3 / math.sqrt(5),
            "scale and shift": 6 / math.sqrt(5) + 1,
        }
    )
    assert found.shown == pytest.approx(found.result)
    assert found.words == "What enters the stack: the norm of embedding plus position: token 1, dimension 3"
    assert found.formula.endswith(r"\\ x = \mathrm{embedding\_sum} \end{gathered}")
    assert [term.operands[0].cell for term in found.terms] == [Cell("embedding_sum", (0, 0, i)) for i in range(4)]
    scale, shift = (operand for term in found.steps[-1].terms for operand in term.operands if operand.cell)
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
        found = model.derive(f"position_encoding.2.{dimension}")
        angle = 2 / 10_000 ** (2 * i / 5)
        function, name = {"s": (math.sin, "sine"), "c": (math.cos, "cosine")}[letter]
        assert values(found) == pytest.approx(
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
    assert learned.result == learned.shown != 0
    none = run(block(positions="none")).derive("position_encoding.2.1")
    assert (none.result, none.shown, none.terms) == (0, 0, ())


@pytest.mark.parametrize(("scale", "factor"), [("none", 1), ("sqrt_d", 2), ("inv_sqrt_d", 0.5)])
def test_the_embedding_scale_at_width_4(scale, factor):
    found = run(block(embedding_scale=scale)).derive("scaled_embedding.0.1.1")
    assert found.terms[0].operands[1].value == factor
    assert found.result == found.terms[0].operands[0].value * factor == pytest.approx(found.shown)


def test_the_mask_hides_a_score_and_gives_it_no_weight():
    model = run(block(), mask="causal")
    score, weight = model.derive("scores.0.0.1.0.2"), model.derive("pattern.0.0.1.0.2")
    assert np.isfinite(score.steps[0].value)
    assert values(score)["mask: the query may not see the key"] == score.result == score.shown == -math.inf
    assert score.difference == 0
    assert values(weight)["score minus maximum"] == -math.inf
    assert (values(weight)["exp"], weight.result, weight.difference) == (0, 0, 0)


def test_a_row_that_is_masked_everywhere_has_weights_of_zero():
    model = run(block(), mask=np.zeros((3, 3), bool))
    found = model.derive("pattern.0.0.1.0.2")
    assert values(found) == {"row maximum": -math.inf, "every key of the row is masked": 0}
    assert model.derive("z.0.0.1.0.0").result == 0


def test_without_the_division_the_score_is_the_dot_product():
    found = run(block(scale_scores=False)).derive("scores.0.0.1.0.2")
    assert found.result == found.terms[0].operands[0].value
    assert list(values(found)) == ["not divided by √d_head"]


def test_temperatures_multiply():
    """Scores 0 and ln 2 at temperature 0.5 x 2 are at 1: weights 1/3 and 2/3; at 0.5 they are 1/5 and 4/5."""
    config, scores = block(num_heads=1), [0, math.log(2), 0, math.log(2)]
    for edits, expected in [
        ((Temperature(0.5), Temperature(2.0)), [1 / 3, 2 / 3]),
        ((Temperature(0.5),), [1 / 5, 4 / 5]),
    ]:
        model = showing(run(config, *edits, ids=[[1, 2]]), scores=scores)
        assert [model.derive(f"pattern.0.0.0.0.{key}").result for key in (0, 1)] == pytest.approx(expected)
    assert values(model.derive("pattern.0.0.0.0.0"))["divided by the temperature 0.5"] == pytest.approx(
        -2 * math.log(2)
    )


def test_the_factors_of_a_head_multiply_and_leave_the_other_head_alone():
    model = run(block(), HeadFactor(0, 1, 3.0), HeadFactor(0, 1, -0.5))
    weighted, factored = (step.value for step in model.derive("z.0.0.1.2.0").steps)
    assert factored == -1.5 * weighted != 0
    assert len(model.derive("z.0.0.0.2.0").steps) == 1


def test_dropout_drops_or_grows_in_all_five_places():
    """At rate 0.5 what is kept is doubled."""
    places = ("embedded", "pattern", "attn_out", "mlp_act", "mlp_out")
    config = block(d_model=8, d_ff=16, dropout=0.5, dropout_at=places)
    model = run(config, Dropout(0))
    for place in places:
        kept = model.trace.kept.embedded if place == "embedded" else getattr(model.trace.kept.layers[0], place)
        for stays, name, factor in [(True, "dropout: × 1/(1 − 0.5)", 2), (False, "dropout: × 0", 0)]:
            index = tuple(map(int, np.argwhere(kept == stays)[0]))
            found = model.derive(Cell(place, index, None if place == "embedded" else 0))
            before, after = found.steps[-2:]
            assert after.name == name
            assert after.value == factor * before.value
            assert found.difference < 1e-6


@pytest.mark.parametrize(
    ("activation", "of"),
    [
        ("relu", lambda x: max(0, x)),
        ("gelu", lambda x: x * NormalDist().cdf(x)),
        ("gelu_tanh", lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    ],
)
def test_the_activation_after_the_first_or_after_the_second_linear_layer(activation, of):
    config = block(activation=activation, activation_after="second_linear")
    model = showing(run(config, ids=[[1]]), mlp_pre=[1, -1, 0, 0])
    for index, x in enumerate([1, -1, 0]):
        unchanged = model.derive(f"mlp_act.0.0.0.{index}")
        assert [step.value for step in unchanged.steps] == [x]
        assert unchanged.words.startswith("Hidden number, without an activation: ")
    contracted = model.derive("mlp_out.0.0.0.0")
    assert [step.value for step in contracted.steps] == pytest.approx(
        [contracted.terms[-1].running, of(contracted.terms[-1].running)]
    )
    between = model._replace(config=replace(config, activation_after="first_linear"))
    assert [step.value for step in between.derive("mlp_act.0.0.0.1").steps] == pytest.approx([-1, of(-1)])
    assert between.derive("mlp_out.0.0.0.0").result == contracted.terms[-1].running
    assert between.derive("mlp_act.0.0.0.1").words.startswith("Hidden number after the activation: ")


def test_a_column_of_concat_belongs_to_a_head():
    """d_head is 2: column 3 is dimension 1 of the second head."""
    found = run(block()).derive("concat.0.0.2.3")
    assert found.terms[0].operands[0].cell == Cell("z", (0, 1, 2, 1), layer=0)
    assert found.steps[0].name == "head 2, its dimension 1"


def test_attention_out_is_the_sum_of_the_heads_or_one_product():
    model = run(block())
    heads, product = (model.derive("attn_out.0.0.2.3", way) for way in ("sum of the heads", "concat times W_O"))
    assert heads.ways == product.ways == ("sum of the heads", "concat times W_O")
    assert (len(heads.terms), len(product.terms)) == (2 + 1, 4 + 1)  # and the bias
    assert heads.terms[-1].operands == product.terms[-1].operands
    assert heads.result == pytest.approx(product.result, rel=1e-6)
    with pytest.raises(
        ValueError, match=r"way='sum' to attn_out\.0\.0\.2\.3 is not one of 'sum of the heads', 'concat"
    ):
        model.derive("attn_out.0.0.2.3", "sum")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_what_each_layer_reads(norm):
    model = run(block(num_layers=2, norm=norm))
    assert model.derive("resid_pre.0.0.1.2").terms[0].operands[0].cell == Cell("embedded", (0, 1, 2))
    assert model.derive("resid_pre.1.0.1.2").terms[0].operands[0].cell == Cell("resid_post", (0, 1, 2), layer=0)
    apart = run(block(num_layers=2, norm=norm, attention_read_out="input"))
    assert apart.derive("resid_pre.1.0.1.2").terms[0].operands[0].cell == Cell("embedded", (0, 1, 2))
    assert len(model.derive("attn_in.1.0.1.2").steps) == {"post": 1, "pre": 5}[norm]
    assert len(model.derive("resid_post.1.0.1.2").steps) == {"post": 6, "pre": 1}[norm]


def test_the_output_that_does_not_follow_from_the_layers_shown_says_so():
    apart = run(block(num_layers=2, attention_read_out="input")).derive("output.0.1.2")
    assert (apart.result, apart.difference, apart.terms) == (None, None, ())
    assert "does not follow from the layers shown" in apart.note
    alone = run(block(num_layers=1, attention_read_out="input")).derive("output.0.1.2")
    assert alone.result == alone.shown
    assert alone.note == ""


def test_what_was_put_in_has_no_arithmetic_behind_it():
    model = run(block())
    for cell in ("ids.0.1", "parameters.layers.0.attention.query.kernel.1.2"):
        found = model.derive(cell)
        assert (found.result, found.steps) == (None, ())
        assert found.note
    assert model.derive("ids.0.1").shown == 2
    rows = Encoder.random(block()).trace(np.ones((1, 2, 4), np.float32))
    assert "put in, not looked up" in derive(Run(rows, block(), model.parameters), "token_embedding.0.1.2").note


def test_a_difference_is_a_fraction_of_the_largest_number_of_the_tensor():
    model = showing(run(block(), ids=[[1]]), resid_pre=[1, 2, 3, 4], attn_out=[1, 1, 1, 1], resid_mid=[2, 3, 4, -8])
    assert model.derive("resid_mid.0.0.0.0").difference == 0
    wrong = model.derive("resid_mid.0.0.0.3")
    assert (wrong.result, wrong.shown, wrong.scale, wrong.difference) == (5, -8, 8, 13 / 8)


def test_the_largest_terms_come_first_and_the_rest_is_folded():
    terms = running_sum(
        [((Operand(name, value),), value) for name, value in zip("abcde", [1.0, -5.0, 2.0, 5.0, -0.5], strict=True)]
    )
    found = largest_first(terms, 3)
    assert [term.operands[0].name for term in found.largest] == ["b", "d", "c"]
    assert [term.running for term in found.largest] == [-5, 0, 2]
    assert (found.folded, found.folded_sum) == (2, 0.5)
    assert found.largest[-1].running + found.folded_sum == terms[-1].running == 2.5
    assert largest_first(terms, 9).folded == 0
    assert largest_first(terms, 0) == ((), 5, 2.5)
    with pytest.raises(ValueError, match="count=-1"):
        largest_first(terms, -1)
