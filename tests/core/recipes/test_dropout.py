"""Training mode: the rate is respected, the seed decides, evaluation drops nothing."""

import numpy as np
import pytest

from benchmarks.measure import CompilationCounter
from encoder_core import RECIPES, Dropout, Encoder, EncoderConfig
from tests.core.reference import relative_difference

EVERYWHERE = ("embedded", "pattern", "attn_out", "mlp_act", "mlp_out")
CONFIG = EncoderConfig(d_model=32, num_heads=4, d_ff=48, num_layers=2, dropout=0.3, dropout_at=EVERYWHERE)
ENCODER = Encoder.random(CONFIG, seed=2)
IDS = np.random.default_rng(0).integers(0, 128, (2, 8))


def kept_arrays(trace) -> dict[str, np.ndarray]:
    arrays = {"embedded": trace.kept.embedded}
    for index, layer in enumerate(trace.kept.layers):
        arrays |= {f"{index}.{name}": array for name, array in layer._asdict().items()}
    return arrays


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.75])
def test_the_rate_is_respected_everywhere_over_many_seeds(rate):
    """Of n numbers, n rate are dropped, give or take five standard deviations sqrt(n rate (1 - rate))."""
    totals: dict[str, list[int]] = {}
    for seed in range(40):
        for name, kept in kept_arrays(ENCODER.trace(IDS, None, [Dropout(seed, rate)])).items():
            counted = totals.setdefault(name, [0, 0])
            counted[0] += int((~kept).sum())
            counted[1] += kept.size
    assert len(totals) == 1 + 2 * 4
    for name, (dropped, total) in totals.items():
        assert abs(dropped - rate * total) < 5 * np.sqrt(total * rate * (1 - rate)), name


def test_what_is_kept_grows_so_that_the_mean_stays():
    """The mean of the embedded rows over 200 seeds is the rows in evaluation, within five standard errors."""
    plain = ENCODER.trace(IDS[:1, :2]).embedded
    config = EncoderConfig(d_model=32, num_heads=4, d_ff=1, num_layers=1, dropout=0.3, dropout_at=("embedded",))
    table = {"token_embedding": ENCODER.parameters()["token_embedding"]}
    encoder = Encoder.from_parameters(config, Encoder.random(config).parameters() | table)
    draws = np.stack([encoder.trace(IDS[:1, :2], None, [Dropout(seed)]).embedded for seed in range(200)])
    error = np.abs(plain) * np.sqrt(0.3 / 0.7 / 200)
    assert (np.abs(draws.mean(0) - plain) < 5 * error + 1e-6).all()
    kept = draws[0] != 0
    np.testing.assert_allclose(draws[0][kept], (plain / 0.7)[kept], rtol=1e-6)


def test_the_mask_that_is_shown_is_the_one_that_was_applied():
    trace = ENCODER.trace(IDS, "causal", [Dropout(5)])
    parameters = ENCODER.parameters()
    assert trace.kept.rate == 0.3
    summed = trace.scaled_embedding + trace.position_encoding
    np.testing.assert_allclose(trace.embedded, np.where(trace.kept.embedded, summed / 0.7, 0), rtol=1e-6)
    for index, (layer, kept) in enumerate(zip(trace.layers, trace.kept.layers, strict=True)):
        exp = np.exp(layer.scores.astype(float))
        weights = np.where(kept.pattern, exp / exp.sum(-1, keepdims=True) / 0.7, 0)
        assert relative_difference(layer.pattern, weights) < 1e-5
        assert relative_difference(layer.z, layer.pattern @ layer.v) < 1e-5
        name = f"layers.{index}.attention.out"
        out = layer.concat.astype(float) @ parameters[f"{name}.kernel"] + parameters[f"{name}.bias"]
        assert relative_difference(layer.attn_out, np.where(kept.attn_out, out / 0.7, 0)) < 1e-5
        assert relative_difference(layer.resid_mid, layer.resid_pre + layer.attn_out) < 1e-6
        act = np.where(kept.mlp_act, np.maximum(layer.mlp_pre, 0) / 0.7, 0)
        assert relative_difference(layer.mlp_act, act) < 1e-5
        name = f"layers.{index}.mlp.down"
        out = layer.mlp_act.astype(float) @ parameters[f"{name}.kernel"] + parameters[f"{name}.bias"]
        assert relative_difference(layer.mlp_out, np.where(kept.mlp_out, out / 0.7, 0)) < 1e-5


@pytest.mark.parametrize("place", EVERYWHERE)
def test_only_where_it_is_asked_for(place):
    """Elsewhere nothing is dropped, and nothing grows."""
    config = EncoderConfig(d_model=32, num_heads=4, d_ff=48, num_layers=1, dropout=0.5, dropout_at=(place,))
    encoder = Encoder.random(config, seed=2)
    plain, trained = encoder.trace(IDS), encoder.trace(IDS, None, [Dropout(1)])
    kept = kept_arrays(trained)
    assert [name.split(".")[-1] for name, array in kept.items() if array is not None] == [place]
    before = {"pattern": ["embedded"], "attn_out": ["embedded", "pattern"], "mlp_act": ["attn_out"]}
    before["mlp_out"] = ["attn_out", "mlp_act"]
    for name in before.get(place, []):
        ours, theirs = (getattr(trace if name == "embedded" else trace.layers[0], name) for trace in (trained, plain))
        np.testing.assert_array_equal(ours, theirs)
    assert (trained.output != plain.output).any()


def test_a_seed_draws_the_same_and_another_one_others():
    one, same, other = (ENCODER.trace(IDS, None, [Dropout(seed)]) for seed in (3, 3, 4))
    for ours, theirs in zip(one.layers, same.layers, strict=True):
        for left, right in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(left, right)
    masks, others = kept_arrays(one), kept_arrays(other)
    for name, mask in masks.items():
        assert (mask != others[name]).any()
        assert not mask.flags.writeable
    assert (masks["0.attn_out"] != masks["1.attn_out"]).any()
    assert (masks["0.attn_out"] != masks["0.mlp_out"]).any()
    assert (masks["embedded"][0] != masks["embedded"][1]).any()  # each sentence has its own


def test_a_higher_rate_drops_what_a_lower_one_drops_and_more():
    low, high = (kept_arrays(ENCODER.trace(IDS, None, [Dropout(3, rate)])) for rate in (0.2, 0.6))
    for name, kept in high.items():
        assert (low[name] >= kept).all()
        assert kept.sum() < low[name].sum()


def test_off_in_evaluation_and_at_rate_zero():
    plain = ENCODER.trace(IDS)
    assert plain.kept is None
    nothing = ENCODER.trace(IDS, None, [Dropout(3, 0.0)])
    assert all(kept.all() for kept in kept_arrays(nothing).values())
    np.testing.assert_array_equal(plain.output, nothing.output)
    np.testing.assert_array_equal(ENCODER.trace(IDS, None, [Dropout(3)]).kept.rate, 0.3)
    np.testing.assert_array_equal(ENCODER.trace(IDS).output, plain.output)


def test_neither_seed_nor_rate_nor_place_compiles_anything():
    recipe = RECIPES["haiku"]
    batch, encoder = recipe.inputs(), Encoder.recipe("haiku")
    encoder.trace(batch.inputs, batch.mask)
    Encoder.recipe("nanolm").trace(RECIPES["nanolm"].inputs().inputs, "causal")
    with CompilationCounter() as counter:
        for seed in range(3):
            encoder.trace(batch.inputs, batch.mask, [Dropout(seed, 0.1 + seed / 4)])
            Encoder.recipe("nanolm", "as written").trace(RECIPES["nanolm"].inputs(seed).inputs, "causal", [Dropout(1)])
            Encoder.recipe("nnx", "as written").trace(RECIPES["nnx"].inputs(seed).inputs, None, [Dropout(seed)])
    assert counter.count == 0


@pytest.mark.parametrize(
    ("dropouts", "message"),
    [
        ([(-1,)], ["seed=-1", "whole numbers from 0"]),
        ([(1.5,)], ["seed=1.5", "whole numbers from 0"]),
        ([(True,)], ["seed=True", "whole numbers from 0"]),
        ([(1, 1.0)], ["rate=1.0", "below 1"]),
        ([(1, -0.1)], ["rate=-0.1", "from 0 to below 1"]),
        ([(1, float("nan"))], ["rate=nan", "below 1"]),
        ([(1, "0.1")], ["rate='0.1'", "below 1"]),
        ([(1,), (2,)], ["2 Dropout edits"]),
    ],
)
def test_anything_else_is_refused(dropouts, message, unchecked):
    with pytest.raises(ValueError, match="Dropout") as error:
        ENCODER.trace(IDS, None, [Dropout(*arguments) for arguments in dropouts])
    assert all(part in str(error.value) for part in message)
