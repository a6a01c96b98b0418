"""The recomputation agrees with every trace, whatever its edits, and disagrees with changed traces."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from encoder_core import (
    Dropout,
    Edit,
    Encoder,
    EncoderConfig,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    Run,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
)
from encoder_core.config import DropoutPlace
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.explain import recompute
from tests.core.reference import random_parameters


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.0])
def test_a_cell_that_is_not_minus_infinity_differs(wrong):
    """By hand: the first cell is right, the second has to be masked."""
    right = np.array([1.0, -np.inf])
    assert recompute.difference(np.array([1.0, -np.inf], np.float32), right) == 0
    assert recompute.difference(np.array([1.0, wrong], np.float32), right) == np.inf
    assert recompute.difference(right.astype(np.float32), np.array([1.0, wrong])) == np.inf


SMALL = EncoderConfig(
    vocab_size=9,
    d_model=12,
    num_heads=3,
    d_ff=16,
    num_layers=2,
    embedding_scale="sqrt_d",
    output_head=True,
)
CONFIGS = {
    "post": replace(SMALL, dropout=0.3, dropout_at=get_args(DropoutPlace)),
    "pre": replace(SMALL, norm="pre", final_norm=True, activation="gelu", use_bias=False),
    "embedding norm": replace(
        SMALL, embedding_norm=True, norm_eps=1e-12, positions="learned", dropout=0.3, dropout_at=("embedded",)
    ),
}
ENCODERS = {
    name: Encoder.from_parameters(config, random_parameters(config, np.random.default_rng(2)))
    for name, config in CONFIGS.items()
}
IDS = np.array([[4, 1, 4, 7, 2], [3, 3, 8, 1, 5]])
EDITS: dict[str, list[Edit]] = {
    "none": [],
    "a row of the table": [SetTokenEmbedding(4, 3, -2.5)],
    "weights": [SetWeight(name, 1, 2, 1, 3, 2.0) for name in ("W_Q", "W_K", "W_V", "W_O")],
    "another token": [ReplaceToken(1, 2, 0), ReplaceToken(1, 2, 6)],
    "a hidden token": [HideToken(0, 1)],
    "the embedded input": [SetEmbedded(0, 1, 2, 1e6), SetEmbedded(0, 1, 2, 0.7), SetEmbedded(1, 3, 0, -4.0)],
    "unscaled": [Unscaled()],
    "scores": [SetScore(0, 1, 2, 3, 4, 2.0), SetScore(1, 1, 0, 0, 4, -1.0), SetScore(0, 0, 1, 2, 2, 0.1)],
    "temperature": [Temperature(0.5), Temperature(0.8)],
    "head factors": [HeadFactor(1, 0, -1.5), HeadFactor(1, 0, 2.0), HeadFactor(0, 2)],
    "residual factors": [ResidualFactor(1, "attention", 0.3), ResidualFactor(1, "mlp", -2.0), ResidualFactor(0, "mlp")],
    "training": [Dropout(5, 0.4)],
}
EDITS["all edits"] = [edit for edits in EDITS.values() for edit in edits]


def run_with(config: str, edits: list[Edit]) -> Run:
    return ENCODERS[config].run(IDS, "causal", edits)


def differences(run: Run, layer: int) -> dict[str, float]:
    """The differences of all stages, by function name."""
    layer_stages = ("projections", "scores", "softmax", "weighted_values", "multi_head", "add_and_norm", "feed_forward")
    result = {name: getattr(recompute, name)(run, layer) for name in layer_stages}
    sentences, last = range(len(IDS)), len(run.trace.layers) - 1
    differences = [recompute.encoder_layer(run, layer, sentence) for sentence in sentences]
    of_stack = {
        "all weights": recompute.stack_weights,
        "output": recompute.output,
        "logits": recompute.logits,
        "lens": recompute.lens_logits,
    }
    if layer == last:
        result |= {name: max(function(run, sentence) for sentence in sentences) for name, function in of_stack.items()}
    return result | {
        "embedding": recompute.embedding(run),
        "positions": recompute.positions(run),
        "layer": max(differences),
    }


def changed(run: Run, tensor: str, array: np.ndarray, layer: int | None = None) -> Run:
    """The run with another tensor in the trace."""
    if layer is None:
        return replace(run, trace=run.trace._replace(**{tensor: array}))
    layers = list(run.trace.layers)
    layers[layer] = layers[layer]._replace(**{tensor: array})
    return replace(run, trace=run.trace._replace(layers=tuple(layers)))


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", EDITS)
def test_every_stage_agrees_with_every_edit(config, edits):
    run = run_with(config, EDITS[edits])
    for layer in range(2):
        result = differences(run, layer)
        assert max(result.values()) < 1e-5, result
        stages = ("embedding", "positions", "projections", "scores", "softmax", "weighted_values", "multi_head")
        expected = max(result[stage] for stage in (*stages, "add_and_norm", "feed_forward"))
        assert recompute.input_and_layer(run, layer) == expected


def test_every_type_of_edit_is_tested():
    assert {type(edit) for edits in EDITS.values() for edit in edits} == set(get_args(Edit))


# The stages that disagree where the recomputation does not apply the edits.
DISAGREEING_STAGES = {
    "a row of the table": {"embedding"},
    "weights": {"projections", "multi_head", "layer", "output"},
    "the embedded input": {"positions"},
    "unscaled": {"scores", "layer", "output"},
    "scores": {"scores", "layer", "output"},
    "temperature": {"softmax", "layer", "all weights", "output"},
    "head factors": {"weighted_values", "layer", "output"},
    "residual factors": {"add_and_norm", "layer", "output"},
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", DISAGREEING_STAGES)
def test_stages_disagree_without_the_edits(config, edits):
    run = replace(run_with(config, EDITS[edits]), effects=NO_EFFECTS)
    assert {name for name, value in differences(run, 1).items() if value > 1e-3} == DISAGREEING_STAGES[edits]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", ["none", "all edits"])
@pytest.mark.parametrize(
    ("tensor", "stage", "in_layer"),
    [
        ("token_embedding", "embedding", False),
        ("scaled_embedding", "embedding", False),
        ("embedded", "positions", False),
        *((tensor, "projections", True) for tensor in "qkv"),
        ("dot_products", "scores", True),
        ("scores", "scores", True),
        ("pattern", "softmax", True),
        ("z", "weighted_values", True),
        ("concat", "multi_head", True),
        ("attn_out", "multi_head", True),
        ("resid_mid", "add_and_norm", True),
        ("mlp_in", "add_and_norm", True),
        *((tensor, "feed_forward", True) for tensor in ("mlp_pre", "mlp_act", "mlp_out")),
        ("resid_post", "add_and_norm", True),
        ("resid_post", "layer", True),
        ("pattern", "all weights", True),
        ("output", "output", False),
        ("logits", "logits", False),
    ],
)
def test_a_stage_disagrees_with_one_changed_number(config, edits, tensor, stage, in_layer):
    run = run_with(config, EDITS[edits])
    layer = 1 if in_layer else None
    array = np.array(getattr(run.trace.layers[1] if in_layer else run.trace, tensor))
    array.flat[0] += 0.1 * np.abs(array[np.isfinite(array)]).max()
    assert differences(changed(run, tensor, array, layer), 1)[stage] > 0.01


def test_edited_cells_are_compared_separately():
    one_score, one_input = (
        run_with("post", [edit]) for edit in (SetScore(0, 0, 1, 2, 2, 1e6), SetEmbedded(0, 1, 2, 1e6))
    )
    for index, offset in [((0, 1, 2, 2), 2e4), ((0, 0, 0, 0), 1.0)]:
        wrong = np.array(one_score.trace.layers[0].scores)
        wrong[index] += offset
        assert recompute.scores(changed(one_score, "scores", wrong, 0), 0) > 0.01
    for index, offset in [((0, 1, 2), 2e4), ((0, 0, 0), 1.0)]:
        wrong = np.array(one_input.trace.embedded)
        wrong[index] += offset
        assert recompute.positions(changed(one_input, "embedded", wrong)) > 0.01


@pytest.mark.parametrize("edits", ["none", "the embedded input", "training", "all edits"])
@pytest.mark.parametrize("tensor", ["embedding_sum", "embedded"])
def test_the_sum_and_the_embedding_norm_are_both_compared(tensor, edits):
    """The sum is compared with its terms, and the norm with the norm of the sum in the trace."""
    run = run_with("embedding norm", EDITS[edits])
    array = np.array(getattr(run.trace, tensor))
    array[1, 0, 3] += 0.1 * np.abs(array).max()
    assert recompute.positions(changed(run, tensor, array)) > 0.01
    for name in ("scale", "bias"):
        other = run.parameters | {f"embedding_norm.{name}": run.parameters[f"embedding_norm.{name}"] + 0.1}
        assert recompute.positions(replace(run, parameters=other)) > 0.01
    without = replace(run, trace=run.trace._replace(embedding_sum=None, embedded=run.trace.embedding_sum))
    assert recompute.positions(without) > 0.1


def test_scores_disagree_with_another_mask():
    """A hidden token that has finite scores, and a visible token that has none."""
    hidden, visible = run_with("post", [HideToken(0, 1)]), run_with("post", [])
    assert recompute.scores(replace(visible, trace=visible.trace._replace(mask=hidden.trace.mask)), 0) == np.inf
    assert recompute.scores(replace(hidden, trace=hidden.trace._replace(mask=visible.trace.mask)), 0) == np.inf


def test_embedding_is_recomputed_as_a_one_hot_product_and_its_scale():
    config = EncoderConfig(d_model=9, num_heads=3, embedding_scale="sqrt_d")
    encoder = Encoder.random(config)
    run = encoder.run(np.array([[4, 1, 4]]))
    assert recompute.embedding(run) < 1e-6
    # The trace has three times the numbers without a scale: the relative difference is 2.
    assert recompute.embedding(replace(run, config=replace(config, embedding_scale="none"))) == pytest.approx(2)
    assert recompute.embedding(changed(run, "ids", np.array([[1, 4, 1]]))) > 0.1
    rows = encoder.trace(np.random.default_rng(0).standard_normal((1, 3, 9), np.float32))
    assert recompute.embedding(replace(run, trace=rows)) < 1e-6
