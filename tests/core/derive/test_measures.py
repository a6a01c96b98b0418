"""Derivations of averages, rollout, dot products, cosines and the logit lens, computed by hand."""

import math

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.explain import Cell
from tests.core.derive.models import Model

CONFIG = EncoderConfig(d_model=4, num_heads=2, d_ff=4, num_layers=2, vocab_size=8)
PATTERN = [[[1, 0], [0.5, 0.5]], [[0.5, 0.5], [0.25, 0.75]]]  # head, query, key
UNSEEN = [[[0, 0], [1, 0]], [[0, 0], [0, 1]]]  # the first query sees no key


def model(pattern=PATTERN, rows=((3, 4, 0, 0), (4, 3, 0, 0))) -> Model:
    """Two layers with these weights and outputs, which the derivations start from."""
    encoder = Encoder.random(CONFIG)
    trace = encoder.trace("b a")
    arrays = {"pattern": np.array([pattern], np.float32), "resid_post": np.array([rows], np.float32)}
    layers = tuple(layer._replace(**arrays) for layer in trace.layers)
    return Model(trace._replace(layers=layers, output=arrays["resid_post"]), CONFIG, encoder.parameters())


def steps(derivation) -> list[float]:
    assert derivation.result == pytest.approx(derivation.trace_value, abs=1e-6)
    return [step.value for step in derivation.steps]


def test_the_entropy_of_a_row():
    """0.25 log2 4 + 0.75 log2 (4/3) = 0.5 + 0.3113; one bit for two equal weights; none for a single one, or none."""
    entropy = model().derive("pattern_entropy.1.0.1.1")
    assert steps(entropy) == pytest.approx([0.811278], abs=1e-6)
    assert [term.value for term in entropy.terms] == pytest.approx([0.5, 0.311278], abs=1e-6)
    assert entropy.terms[1].operands[0].cell == Cell("pattern", (0, 1, 1, 1), layer=1)
    assert entropy.description == "Entropy of a row of attention weights, in bits: layer 2, head 2, query 2 “a”"
    assert steps(model().derive("pattern_entropy.0.0.0.1")) == [1]
    assert str(steps(model().derive("pattern_entropy.0.0.0.0"))) == "[0.0]"
    assert steps(model(UNSEEN).derive("pattern_entropy.0.0.0.0")) == [0]


def test_the_average_over_the_heads():
    """(0.5 + 0.25) / 2 = 0.375."""
    average = model().derive("mean_pattern.1.0.1.0")
    assert steps(average) == [0.75, 0.375]
    assert [term.value for term in average.terms] == [0.5, 0.25]
    assert [term.operands[0].cell for term in average.terms] == [
        Cell("pattern", (0, head, 1, 0), layer=1) for head in range(2)
    ]
    assert average.description == "Attention weight, averaged over the heads: layer 2, query 2 “a”, key 1 “b”"


def test_the_step_of_the_rollout():
    """Averages 0.375 and 0.625: half of them, and half of the token itself; the row adds up to 1."""
    beside, itself = (model().derive(f"rollout_step.0.0.1.{key}") for key in range(2))
    assert steps(beside) == [0.1875, 1, 0.1875]
    assert steps(itself) == [0.8125, 1, 0.8125]
    assert [step.name for step in itself.steps][:2] == [
        "half of the average, plus half of the token itself", "sum of the row",
    ]  # fmt: skip
    assert [term.value for term in itself.terms] == [0.1875, 0.3125, 0.5]


def test_the_step_of_a_row_that_sees_no_key_is_the_token_itself():
    assert steps(model(UNSEEN).derive("rollout_step.0.0.0.0")) == [0.5, 0.5, 1]
    assert steps(model(UNSEEN).derive("rollout_step.0.0.0.1")) == [0, 0.5, 0]


def test_the_rollout():
    """S = [[0.875, 0.125], [0.1875, 0.8125]] in both layers; S S has 0.1875 x 0.875 + 0.8125 x 0.1875 = 0.31640625."""
    first, second = (model().derive(f"rollout.{layer}.0.1.0") for layer in range(2))
    assert steps(first) == [0.1875]
    assert first.steps[0].terms[0].operands[0].cell == Cell("rollout_step", (0, 1, 0), layer=0)
    assert steps(second) == [0.31640625]
    assert [term.value for term in second.terms] == [0.1875 * 0.875, 0.8125 * 0.1875]
    assert [[str(operand.cell) for operand in term.operands] for term in second.terms] == [
        ["rollout_step.1.0.1.0", "rollout.0.0.0.0"],
        ["rollout_step.1.0.1.1", "rollout.0.0.1.0"],
    ]
    assert second.description == "Attention rollout: layer 2, query 2 “a”, input token 1 “b”"


@pytest.mark.parametrize(
    ("tensor", "place"), [("resid_post_cosines.1", "after the layer: layer 2, "), ("output_cosines", "at the output: ")]
)
def test_a_cosine(tensor, place):
    """(3 x 4 + 4 x 3) / (5 x 5) = 0.96."""
    cosine = model().derive(f"{tensor}.0.1.0")
    assert steps(cosine) == pytest.approx([24, 25, 25, 0.96])
    assert [term.value for term in cosine.terms] == [12, 12, 0, 0]
    assert cosine.description == f"Cosine of two tokens {place}token 2 “a”, other token 1 “b”"


def test_the_cosine_with_a_vector_of_zeros_is_0():
    cosine = model(rows=((0, 0, 0, 0), (4, 3, 0, 0))).derive("resid_post_cosines.0.0.1.0")
    assert steps(cosine) == [0, 25, 0, 0]


def test_the_dot_product_of_two_positions():
    """sin 0 sin 1 + cos 0 cos 1 + sin 0 sin 0.01 + cos 0 cos 0.01 = cos 1 + cos 0.01."""
    product = model().derive("position_products.0.1")
    assert steps(product) == pytest.approx([math.cos(1) + math.cos(0.01)])
    assert product.terms[1].operands[1].cell == Cell("position_encoding", (1, 1))
    assert product.description == "Dot product of two positions: position 1, other position 2"


LENS = EncoderConfig(
    d_model=2, num_heads=1, d_ff=2, num_layers=1, vocab_size=3, norm="pre", output_head=True, final_norm=True,
    norm_eps=1e-12,
)  # fmt: skip
HEAD = [[1, 0, 2], [0, 1, -1]]  # W_head


def lens_model(config: EncoderConfig) -> Model:
    """One token, whose vector is (3, 1) before the layer and (1, 2) after it."""
    encoder = Encoder.random(config)
    trace = encoder.trace(np.array([[1]]))
    layers = (trace.layers[0]._replace(resid_post=np.array([[[1, 2]]], np.float32)),)
    parameters = encoder.parameters() | {
        "output_head.kernel": np.array(HEAD, np.float32),
        "output_head.bias": np.array([0, math.log(2), 0], np.float32),
        **{f"final_norm.{name}": np.array([value] * 2, np.float32) for name, value in (("scale", 1), ("bias", 0))},
    }
    embedded = np.array([[[3, 1]]], np.float32)
    return Model(trace._replace(embedded=embedded, layers=layers), config, parameters)


def test_the_logit_lens_normalises_every_stage():
    """norm(3, 1) = (1, -1): logits 1, -1 + log 2, 3; norm(1, 2) = (-1, 1): logits -1, 1 + log 2, -3."""
    model = lens_model(LENS)
    before, after = model.derive("embedded_lens_stream.0.0.1"), model.derive("resid_post_lens_stream.0.0.0.1")
    assert (steps(before)[-1], steps(after)[-1]) == pytest.approx((-1, 1))
    assert before.steps[0].terms[0].operands[0].cell == Cell("embedded", (0, 0, 0))
    assert after.steps[0].terms[0].operands[0].cell == Cell("resid_post", (0, 0, 0), layer=0)
    logit = model.derive("resid_post_lens_logits.0.0.0.1")
    assert steps(logit) == pytest.approx([1 + math.log(2)])
    assert [str(operand.cell) for operand in logit.terms[1].operands] == [
        "resid_post_lens_stream.0.0.0.1", "parameters.output_head.kernel.1.1",
    ]  # fmt: skip
    weights = [math.exp(-1), 2 * math.exp(1), math.exp(-3)]
    share = model.derive("resid_post_lens_probabilities.0.0.0.1")
    assert steps(share)[-1] == pytest.approx(weights[1] / sum(weights), abs=1e-6)
    assert [str(term.operands[0].cell) for term in share.terms] == [
        f"resid_post_lens_logits.0.0.0.{i}" for i in range(3)
    ]
    assert share.description == "Logit lens after the layer: probability of the output token: layer 1, token 1, id 1"
    assert steps(model.derive("embedded_lens_probabilities.0.0.2"))[-1] == pytest.approx(
        math.exp(3) / (math.exp(1) + 2 * math.exp(-1) + math.exp(3)), abs=1e-6
    )


def test_the_logit_lens_without_a_final_norm_reads_the_stream():
    """(3, 1) W_head: 3, 1 + log 2, 5."""
    model = lens_model(EncoderConfig(**{**vars(LENS), "final_norm": False}))
    assert steps(model.derive("embedded_lens_stream.0.0.0")) == [3]
    assert [steps(model.derive(f"embedded_lens_logits.0.0.{i}"))[0] for i in range(3)] == pytest.approx(
        [3, 1 + math.log(2), 5]
    )
