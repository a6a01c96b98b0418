"""The badge finds what is equal equal, whatever the edits, and what was changed different."""

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

SMALL = EncoderConfig(vocab_size=9, d_model=12, num_heads=3, d_ff=16, num_layers=2, embedding_scale="sqrt_d")
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
    "what enters": [SetEmbedded(0, 1, 2, 1e6), SetEmbedded(0, 1, 2, 0.7), SetEmbedded(1, 3, 0, -4.0)],
    "unscaled": [Unscaled()],
    "scores": [SetScore(0, 1, 2, 3, 4, 2.0), SetScore(1, 1, 0, 0, 4, -1.0), SetScore(0, 0, 1, 2, 2, 0.1)],
    "temperature": [Temperature(0.5), Temperature(0.8)],
    "head factors": [HeadFactor(1, 0, -1.5), HeadFactor(1, 0, 2.0), HeadFactor(0, 2)],
    "residual factors": [ResidualFactor(1, "attention", 0.3), ResidualFactor(1, "mlp", -2.0), ResidualFactor(0, "mlp")],
    "training": [Dropout(5, 0.4)],
}
EDITS["all at once"] = [edit for edits in EDITS.values() for edit in edits]


def run_with(config: str, edits: list[Edit]) -> Run:
    return ENCODERS[config].run(IDS, "causal", edits)


def badges(run: Run, layer: int) -> dict[str, float]:
    """All of them, by the name of their function."""
    of_layer = ("projections", "scores", "softmax", "weighted_values", "multi_head", "add_and_norm", "feed_forward")
    found = {name: getattr(recompute, name)(run, layer) for name in of_layer}
    blocks = [recompute.block(run, layer, sentence) for sentence in range(len(IDS))]
    return found | {
        "embedding": recompute.embedding(run),
        "positions": recompute.positions(run),
        "block": max(blocks),
    }


def changed(run: Run, tensor: str, array: np.ndarray, layer: int | None = None) -> Run:
    """The same with another tensor in the trace."""
    if layer is None:
        return replace(run, trace=run.trace._replace(**{tensor: array}))
    layers = list(run.trace.layers)
    layers[layer] = layers[layer]._replace(**{tensor: array})
    return replace(run, trace=run.trace._replace(layers=tuple(layers)))


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", EDITS)
def test_every_badge_is_green_with_every_edit(config, edits):
    run = run_with(config, EDITS[edits])
    for layer in range(2):
        found = badges(run, layer)
        assert max(found.values()) < 1e-5, found


def test_every_kind_of_edit_is_tried():
    assert {type(edit) for edits in EDITS.values() for edit in edits} == set(get_args(Edit))


# Which badges notice that an edit was left out.
NOTICE = {
    "a row of the table": {"embedding"},
    "weights": {"projections", "multi_head", "block"},
    "what enters": {"positions"},
    "unscaled": {"scores", "block"},
    "scores": {"scores", "block"},
    "temperature": {"softmax", "block"},
    "head factors": {"weighted_values", "block"},
    "residual factors": {"add_and_norm", "block"},
}


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", NOTICE)
def test_an_edit_that_is_left_out_is_noticed(config, edits):
    run = replace(run_with(config, EDITS[edits]), effects=NO_EFFECTS)
    assert {name for name, apart in badges(run, 1).items() if apart > 1e-3} == NOTICE[edits]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("edits", ["none", "all at once"])
@pytest.mark.parametrize(
    ("tensor", "badge", "of_layer"),
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
        ("resid_post", "block", True),
    ],
)
def test_one_number_that_was_changed_is_noticed(config, edits, tensor, badge, of_layer):
    run = run_with(config, EDITS[edits])
    layer = 1 if of_layer else None
    array = np.array(getattr(run.trace.layers[1] if of_layer else run.trace, tensor))
    array.flat[0] += 0.1 * np.abs(array[np.isfinite(array)]).max()
    assert badges(changed(run, tensor, array, layer), 1)[badge] > 0.01


def test_what_was_set_is_compared_with_what_was_set_and_hides_no_other_difference():
    one_score, one_input = (
        run_with("post", [edit]) for edit in (SetScore(0, 0, 1, 2, 2, 1e6), SetEmbedded(0, 1, 2, 1e6))
    )
    for index, by in [((0, 1, 2, 2), 2e4), ((0, 0, 0, 0), 1.0)]:
        wrong = np.array(one_score.trace.layers[0].scores)
        wrong[index] += by
        assert recompute.scores(changed(one_score, "scores", wrong, 0), 0) > 0.01
    for index, by in [((0, 1, 2), 2e4), ((0, 0, 0), 1.0)]:
        wrong = np.array(one_input.trace.embedded)
        wrong[index] += by
        assert recompute.positions(changed(one_input, "embedded", wrong)) > 0.01


@pytest.mark.parametrize("edits", ["none", "what enters", "training", "all at once"])
@pytest.mark.parametrize("tensor", ["embedding_sum", "embedded"])
def test_the_sum_and_its_norm_are_both_compared(tensor, edits):
    """One number in the sum changes its own row of the norm only: each is compared with what the other one shows."""
    run = run_with("embedding norm", EDITS[edits])
    array = np.array(getattr(run.trace, tensor))
    array[1, 0, 3] += 0.1 * np.abs(array).max()
    assert recompute.positions(changed(run, tensor, array)) > 0.01
    for name in ("scale", "bias"):
        other = run.parameters | {f"embedding_norm.{name}": run.parameters[f"embedding_norm.{name}"] + 0.1}
        assert recompute.positions(replace(run, parameters=other)) > 0.01
    without = replace(run, trace=run.trace._replace(embedding_sum=None, embedded=run.trace.embedding_sum))
    assert recompute.positions(without) > 0.1


def test_a_hidden_token_that_is_seen_is_noticed():
    """And one that is hidden where the mask lets it be seen."""
    hidden, seen = run_with("post", [HideToken(0, 1)]), run_with("post", [])
    assert recompute.scores(replace(seen, trace=seen.trace._replace(mask=hidden.trace.mask)), 0) == np.inf
    assert recompute.scores(replace(hidden, trace=hidden.trace._replace(mask=seen.trace.mask)), 0) == np.inf


def test_embedding_is_recomputed_as_a_one_hot_product_and_its_scale():
    config = EncoderConfig(d_model=9, num_heads=3, embedding_scale="sqrt_d")
    encoder = Encoder.random(config)
    run = encoder.run(np.array([[4, 1, 4]]))
    assert recompute.embedding(run) < 1e-6
    # What is shown is three times what no scale gives: 2 / 1 apart.
    assert recompute.embedding(replace(run, config=replace(config, embedding_scale="none"))) == pytest.approx(2)
    assert recompute.embedding(changed(run, "ids", np.array([[1, 4, 1]]))) > 0.1
    rows = encoder.trace(np.random.default_rng(0).standard_normal((1, 3, 9), np.float32))
    assert recompute.embedding(replace(run, trace=rows)) < 1e-6
