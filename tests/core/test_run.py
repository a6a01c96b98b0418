"""Runs: a trace with configuration, parameters and combined edits."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from encoder_core import RECIPES, Dropout, Encoder, EncoderConfig, HeadFactor, ResidualFactor, Run, SetWeight, Unscaled
from encoder_core.edits import combine_edits, edited_parameters
from encoder_core.explain import derive
from encoder_core.parameters import DrawnParameters, draw_parameters
from encoder_core.parameters import draw as draw_module
from encoder_core.tutorials import examine_all

CONFIG = EncoderConfig(vocab_size=9, d_model=8, num_heads=2, d_ff=8, num_layers=2, dropout=0.5)
ENCODER = Encoder.random(CONFIG)
IDS = np.array([[1, 2, 3], [4, 5, 6]])
EDITS = [
    HeadFactor(1, 0, -2.0),
    HeadFactor(1, 0, 3.0),
    ResidualFactor(0, "mlp", 0.5),
    SetWeight("W_V", 0, 1, 2, 3, 9.0),
    Unscaled(),
]


def test_combined_edits():
    run = ENCODER.run(IDS, "causal", EDITS)
    assert run.edits == tuple(EDITS)
    assert run.head_factors(1).tolist() == [-6, 1]
    assert run.head_factors(0).tolist() == [1, 1]
    assert (run.residual_factor(0, "mlp"), run.residual_factor(0, "attention")) == (0.5, 1)
    assert (run.score_scale, ENCODER.run(IDS).score_scale) == (1, 0.5)  # d_head 4


def test_the_trace_of_a_run():
    run, trace = ENCODER.run(IDS, "causal", EDITS), ENCODER.trace(IDS, "causal", EDITS)
    np.testing.assert_array_equal(run.trace.output, trace.output)
    assert run.config is CONFIG
    assert np.abs(trace.output - ENCODER.trace(IDS, "causal").output).max() > 0.1


def test_parameters_before_and_after_the_edits():
    run, name = ENCODER.run(IDS, None, EDITS), "layers.0.attention.value.kernel"
    assert run.edited_parameters[name][2, 7] == 9
    assert (run.edited_parameters[name] != run.parameters[name]).sum() == 1
    assert not run.edited_parameters[name].flags.writeable
    assert all(run.edited_parameters[other] is run.parameters[other] for other in run.parameters if other != name)
    assert ENCODER.parameters()[name][2, 7] != 9
    with pytest.raises(TypeError):
        run.edited_parameters[name] = run.parameters[name]


def test_only_the_edited_parameter_of_a_random_encoder_is_drawn(monkeypatch, unchecked):
    drawn, draw = [], draw_module._draw
    monkeypatch.setattr(draw_module, "_draw", lambda name, *rest, **options: drawn.append(name) or draw(name, *rest))
    name = "layers.0.attention.value.kernel"
    parameters = DrawnParameters(CONFIG, 7)
    effects = combine_edits([SetWeight("W_V", 0, 1, 2, 3, 9.0)], CONFIG, 2, 3)
    edited = edited_parameters(parameters, effects)
    assert list(edited) == list(parameters)
    assert (len(edited), "layers.9" in edited) == (len(parameters), False)
    assert "token_embedding" in edited
    assert drawn == [name]
    assert edited[name][2, 7] == 9
    assert parameters[name][2, 7] != 9
    changed = edited | {"token_embedding": parameters["token_embedding"] + 1}
    assert changed[name] is edited[name]
    assert (changed["token_embedding"] != edited["token_embedding"]).all()
    assert repr(edited).startswith("ReadOnlyOverlay(<encoder_core.parameters.draw.DrawnParameters")


def test_apply_dropout():
    run = ENCODER.run(IDS, None, [Dropout(3)])
    ones = np.ones((2, 3, 8), np.float32)
    np.testing.assert_array_equal(run.apply_dropout(ones, "attn_out", 1), 2.0 * run.trace.kept.layers[1].attn_out)
    np.testing.assert_array_equal(run.apply_dropout(ones[0], "embedded", sentence=1), 2.0 * run.trace.kept.embedded[1])
    assert ENCODER.run(IDS).apply_dropout(ones, "attn_out", 1) is ones


@pytest.mark.parametrize(
    ("place", "layer", "message"),
    [
        ("x", None, "place='x' is invalid: allowed are 'embedded', 'pattern'"),
        ("attn_out", None, "layer of attn_out=None is invalid: allowed are layers from 0"),
        ("embedded", 0, "layer of embedded=0 is invalid: allowed are None"),
        ("attn_out", 9, "layer=9 is invalid: allowed are 0 to 1"),
    ],
)
def test_a_place_without_dropout(unchecked, place, layer, message):
    with pytest.raises(ValueError, match=message):
        ENCODER.run(IDS, None, [Dropout(3)]).apply_dropout(np.ones((2, 3, 8), np.float32), place, layer)


def test_derivations_use_the_edits_of_the_run():
    run = ENCODER.run(IDS, None, EDITS)
    edited, plain = derive(run, "z.1.0.0.1.2"), derive(Run(run.trace, CONFIG, run.parameters), "z.1.0.0.1.2")
    assert edited.result == pytest.approx(-6 * plain.result)
    assert edited.difference < 1e-6 < plain.difference


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_ff": 16}, r"d_ff=16 is invalid: allowed is that of this encoder, 32"),
        ({"num_layers": 3}, r"needs a parameter 'layers.2.*' of shape"),
        ({"d_model": 32}, r"d_model=32 is invalid"),
        ({"vocab_size": 500}, r"vocab_size=500 is invalid"),
        ({"positions": "learned"}, r"needs a parameter 'position_embedding' of shape \(64, 16\)"),
    ],
)
def test_a_configuration_of_other_sizes_is_refused(changes, message):
    config = EncoderConfig(vocab_size=50, d_model=16, num_heads=2, d_ff=32, num_layers=2)
    encoder = Encoder.from_parameters(config, draw_parameters(config, 0))
    with pytest.raises(ValueError, match=message):
        encoder.with_config(replace(config, **changes))
    assert encoder.with_config(replace(config, num_heads=4)).trace(np.array([[2, 3]])).layers[0].pattern.shape == (
        1,
        4,
        2,
        2,
    )


_STACKED = EncoderConfig(vocab_size=50, d_model=16, num_heads=2, d_ff=32, num_layers=2)


@pytest.mark.parametrize(
    ("changes", "shares"),
    [
        ({"positions": "none", "embedding_scale": "sqrt_d"}, True),
        ({"norm": "pre", "scale_scores": False, "norm_eps": 1e-3, "num_heads": 4}, True),
        ({"num_layers": 1}, False),
        ({"use_bias": False}, False),
        ({"qkv_bias": False}, False),
        ({"final_norm": True}, False),
    ],
)
def test_configurations_of_the_same_layers_share_the_stacked_parameters(changes, shares):
    """Stacking those of all-MiniLM-L6-v2 takes three times as long as running it."""
    encoder = Encoder.from_parameters(_STACKED, Encoder.random(_STACKED, 1).parameters())
    ids = np.array([[2, 3]])
    encoder.trace(ids)
    extra = {name: np.full(16, 0.5, np.float32) for name in ("final_norm.scale", "final_norm.bias")}
    other = encoder.with_config(replace(_STACKED, **changes), extra)
    alone = Encoder.from_parameters(other.config, other.parameters())
    np.testing.assert_array_equal(other.trace(ids).output, alone.trace(ids).output)
    assert (other._stacked.states[0] is encoder._stacked.states[0]) == shares


@pytest.mark.parametrize("seed", [-1, "a", 1.5, True])
def test_the_seed_of_a_tutorial_is_a_whole_number(unchecked, seed):
    for draw in (RECIPES["nanolm"].inputs, partial(examine_all, "nnx")):
        with pytest.raises(ValueError, match=r"seed=.* is invalid: allowed are whole numbers from 0"):
            draw(seed)


@pytest.mark.parametrize("name", [None, 5])
def test_the_name_of_a_trained_encoder_is_text(unchecked, name):
    with pytest.raises(ValueError, match="neither a folder nor the name of a model"):
        Encoder.pretrained(name, offline=True)
