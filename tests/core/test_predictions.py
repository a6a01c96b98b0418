"""Predictions, logit lens and direct logit attribution: hand-computed values first, then identities."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, ResidualFactor, SetEmbedded
from encoder_core.analysis import softmax
from encoder_core.analysis.logit_attribution import logit_attribution, neuron_contributions
from encoder_core.analysis.logit_lens import logit_lens
from encoder_core.analysis.predictions import rank_of, top_tokens
from encoder_core.explain import derive
from encoder_core.explain.rules import BY_CONTRIBUTION
from encoder_core.parameters import parameter_shapes
from tests.core.reference import random_parameters

TINY = EncoderConfig(vocab_size=2, max_len=1, d_model=2, num_heads=1, d_ff=1, num_layers=1, norm_eps=1e-12,
                     positions="none", output_head=True)  # fmt: skip
SMALL = EncoderConfig(vocab_size=20, d_model=12, num_heads=3, d_ff=16, num_layers=3, output_head=True, dropout=0.2,
                      dropout_at=("embedded", "pattern", "attn_out", "mlp_act", "mlp_out"))  # fmt: skip


def test_top_tokens_of_one_three_and_one():
    """Logits 0, ln 3 and 0 are probabilities 1/5, 3/5 and 1/5; of equal tokens, the first one comes first."""
    logits = np.array([[0, np.log(3), 0]])
    top = top_tokens(logits, 2)
    np.testing.assert_array_equal(top.ids, [[1, 0]])
    np.testing.assert_allclose(top.probabilities, [[0.6, 0.2]])
    assert top_tokens(logits).ids.shape == (1, 3)
    assert [int(rank_of(logits, i)[0]) for i in range(3)] == [2, 1, 2]


def tiny_run(config, **parameters):
    """A run of one token; W_V and the first column of the output head select dimensions, all else is 0."""
    names = {name.replace(".", "__"): np.full(shape, float(name.endswith("scale")), np.float32)
             for name, shape in parameter_shapes(config).items()}  # fmt: skip
    fixed = {"layers__0__attention__value__kernel": np.eye(2), "output_head__kernel": [[1, 0], [0, 0]],
             "layers__0__mlp__up__kernel": [[0], [1]]}  # fmt: skip
    values = {name.replace("__", "."): np.array(value, float) for name, value in (names | fixed | parameters).items()}
    return Encoder.from_parameters(config, values).run(np.array([[0]]))


PRE_NORM = {
    "token_embedding": [[1, 2], [0, 0]],
    "layers__0__attention__out__kernel": [[2, 0], [0, 3]],
    "layers__0__attention__out__bias": [0.5, 0],
    "layers__0__mlp__down__kernel": [[4, 0]],
    "output_head__bias": [0.25, 0],
}


def test_pre_norm_by_hand():
    """x = [1, 2]; attention adds [-2, 3] + [1/2, 0], the network [4, 0]: dimension 0 is 1 - 2 + 1/2 + 4 = 3 1/2."""
    run = tiny_run(replace(TINY, norm="pre"), **PRE_NORM)
    assert [(c.name, c.value) for c in logit_attribution(run, 0, 0).contributions()] == [
        ("embedding", pytest.approx(1)),
        ("layer 1, head 1", pytest.approx(-2)),
        ("layer 1, attention bias", pytest.approx(0.5)),
        ("layer 1, FFN", pytest.approx(4)),
        ("output bias", pytest.approx(0.25)),
    ]
    assert run.trace.logits[0, 0, 0] == pytest.approx(3.75)
    np.testing.assert_allclose(logit_lens(run)[:, 0, 0], [1.25, 3.75], rtol=1e-6)


def test_the_final_norm_by_hand():
    """x = [3 1/2, 5] has mean 4 1/4 and deviation 3/4: each component has its mean subtracted and is divided by 3/4."""
    config = replace(TINY, norm="pre", final_norm=True)
    run = tiny_run(config, **PRE_NORM, final_norm__bias=[0.1, 0])
    attribution = logit_attribution(run, 0, 0)
    values = {c.name: c.value for c in attribution.contributions()}
    assert values == pytest.approx({
        "embedding": -2 / 3, "layer 1, head 1": -10 / 3, "layer 1, attention bias": 1 / 3, "layer 1, FFN": 8 / 3,
        "final norm shift": 0.1, "output bias": 0.25,
    })  # fmt: skip
    assert attribution.logit == pytest.approx(-1 + 0.1 + 0.25)
    np.testing.assert_allclose(logit_lens(run)[:, 0, 0], [-0.65, -0.65], rtol=1e-5)  # norm([1, 2]) = [-1, 1], too


def test_post_norm_by_hand():
    """[1, 3] + [0, 3] = [1, 6] -> [-1, 1] + [0, 1]; + [4, 0] = [3, 2] -> [2, -1] + [1/2, 0]: the logit is 2 1/2."""
    run = tiny_run(
        TINY,
        token_embedding=[[1, 3], [0, 0]],
        layers__0__attention__out__kernel=[[0, 0], [0, 1]],
        layers__0__norm1__bias=[0, 1],
        layers__0__mlp__down__kernel=[[2, 0]],
        layers__0__norm2__scale=[2, 1],
        layers__0__norm2__bias=[0.5, 0],
    )
    values = {c.name: c.value for c in logit_attribution(run, 0, 0).contributions()}
    assert values == pytest.approx({
        "embedding": -1.6, "layer 1, head 1": -2.4, "layer 1, FFN": 8, "layer 1, norm shifts": 0.5 - 2,
        "output bias": 0,
    })  # fmt: skip
    assert run.trace.logits[0, 0, 0] == pytest.approx(2.5)
    np.testing.assert_allclose(logit_lens(run)[:, 0, 0], [1, 2.5], rtol=1e-6)


EDITS = {
    "none": (),
    "head and residuals": (HeadFactor(1, 0, 0.0), ResidualFactor(1, "attention", 0.0), ResidualFactor(2, "mlp", -0.5)),
    "input": (SetEmbedded(1, 3, 2, 4.0),),
    "dropout": (Dropout(3), SetEmbedded(1, 3, 2, 4.0)),
}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("bias", [True, False])
def test_contributions_add_up_to_the_logit_and_the_lens_ends_at_it(norm, bias):
    for final_norm in (norm == "pre", norm == "post"):
        config = replace(SMALL, norm=norm, use_bias=bias, final_norm=final_norm, embedding_norm=final_norm)
        rng = np.random.default_rng(0)
        encoder = Encoder.from_parameters(config, random_parameters(config, rng))
        ids = rng.integers(0, 20, (2, 6))
        for edits in EDITS.values():
            run = encoder.run(ids, "causal", edits)
            logits = run.trace.logits[1]
            attribution = logit_attribution(run, 3, 7, 1)
            scale = np.abs([c.value for c in attribution.contributions()]).max()
            assert attribution.total == pytest.approx(attribution.logit, abs=1e-5 * scale)
            assert attribution.logit == logits[3, 7]
            assert ("edited input" in attribution.before) == any(isinstance(edit, SetEmbedded) for edit in edits)
            for layer in range(3):
                neurons, b = neuron_contributions(run, 3, 7, layer, 1)
                assert neurons.sum() + b == pytest.approx(attribution.mlps[layer], abs=1e-5 * scale)
            lens = logit_lens(run, 1)
            np.testing.assert_allclose(softmax(lens[-1]), run.trace.probabilities[1], atol=1e-5)
            derivation = derive(run, "logits.1.3.7", BY_CONTRIBUTION)
            assert derivation.result == pytest.approx(attribution.total)


def test_a_head_that_nothing_reads_after_it_contributes_its_effect():
    """Without a norm and a network after the head, its contribution is the change of the logit without it."""
    config = replace(SMALL, norm="pre", num_layers=1)
    rng = np.random.default_rng(1)
    parameters = random_parameters(config, rng)
    parameters["layers.0.mlp.down.kernel"][:] = 0
    encoder, ids = Encoder.from_parameters(config, parameters), rng.integers(0, 20, (1, 5))
    with_head = encoder.run(ids)
    without = encoder.trace(ids, edits=[HeadFactor(0, 2, 0.0)]).logits
    change = with_head.trace.logits[0, 4, 9] - without[0, 4, 9]
    assert logit_attribution(with_head, 4, 9).heads[0, 2] == pytest.approx(change, rel=1e-4)


def test_neurons_have_no_contributions_before_a_last_activation():
    run = Encoder.random(replace(SMALL, activation_after="second_linear")).run(np.array([[1, 2]]))
    assert neuron_contributions(run, 0, 0, 0) is None
    attribution = logit_attribution(run, 0, 0)
    assert attribution.total == pytest.approx(attribution.logit, abs=1e-5)


@pytest.mark.parametrize("function", [logit_lens, lambda run: logit_attribution(run, 0, 0)])
def test_models_without_predictions(function):
    ids = np.array([[1, 2]])
    with pytest.raises(ValueError, match="output_head=False is invalid: allowed are models with an output head"):
        function(Encoder.random(replace(SMALL, output_head=False)).run(ids))
    with pytest.raises(ValueError, match="attention_read_out='input' is invalid: allowed is 'stack'"):
        function(Encoder.random(replace(SMALL, attention_read_out="input")).run(ids))


def test_indices_that_do_not_exist():
    run = Encoder.random(SMALL).run(np.array([[1, 2]]))
    with pytest.raises(ValueError, match="token_id=20 is invalid: allowed are 0 to 19"):
        logit_attribution(run, 0, 20)
    with pytest.raises(ValueError, match="layer=3 is invalid: allowed are 0 to 2"):
        neuron_contributions(run, 0, 0, 3)


@pytest.mark.parametrize("logits", [np.array([False, True]), np.array([0, 1], np.uint8)])
def test_logits_that_are_no_floats(logits, unchecked):
    """The softmax of 0 and 1 is 1 / (1 + e) and e / (1 + e)."""
    ids, probabilities = top_tokens(logits, 2)
    assert ids.tolist() == [1, 0]
    np.testing.assert_allclose(probabilities, [np.e / (1 + np.e), 1 / (1 + np.e)])
    assert rank_of(logits, 0) == 2
