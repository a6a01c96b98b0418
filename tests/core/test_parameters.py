"""Parameters: random initialisation, validation, and reading them from an encoder."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from encoder_core import RECIPES, Encoder, EncoderConfig
from encoder_core.parameters import DrawnParameters, draw_parameters, parameter_shapes
from tests.core.reference import random_parameters
from tests.core.strategies import configs, seeds

FULL = EncoderConfig(positions="learned", final_norm=True, output_head=True, num_layers=1)


def test_names_and_shapes():
    config = EncoderConfig(
        vocab_size=7,
        max_len=5,
        d_model=6,
        num_heads=2,
        qkv_dim=4,
        d_ff=3,
        num_layers=1,
        positions="learned",
        final_norm=True,
        output_head=True,
    )
    assert parameter_shapes(config) == {
        "token_embedding": (7, 6),
        "position_embedding": (5, 6),
        "layers.0.attention.query.kernel": (6, 4),
        "layers.0.attention.query.bias": (4,),
        "layers.0.attention.key.kernel": (6, 4),
        "layers.0.attention.key.bias": (4,),
        "layers.0.attention.value.kernel": (6, 4),
        "layers.0.attention.value.bias": (4,),
        "layers.0.attention.out.kernel": (4, 6),
        "layers.0.attention.out.bias": (6,),
        "layers.0.mlp.up.kernel": (6, 3),
        "layers.0.mlp.up.bias": (3,),
        "layers.0.mlp.down.kernel": (3, 6),
        "layers.0.mlp.down.bias": (6,),
        "layers.0.norm1.scale": (6,),
        "layers.0.norm1.bias": (6,),
        "layers.0.norm2.scale": (6,),
        "layers.0.norm2.bias": (6,),
        "final_norm.scale": (6,),
        "final_norm.bias": (6,),
        "output_head.kernel": (6, 7),
        "output_head.bias": (7,),
    }


def test_parameters_of_a_random_encoder_are_drawn_when_they_are_asked_for():
    encoder = Encoder.random(FULL, seed=0)
    run = encoder.run("The black cat")
    tables = {"token_embedding", "position_embedding"}
    outside_layers = {name for name in parameter_shapes(FULL) if not name.startswith("layers.")}
    assert tables <= {name for name, _ in run.parameters._drawn} <= outside_layers
    query = run.parameters["layers.0.attention.query.kernel"]
    assert query is encoder.parameters()["layers.0.attention.query.kernel"]
    assert not query.flags.writeable


@given(configs(), seeds)
def test_drawn_parameters_are_those_of_a_draw_of_all(config, seed):
    drawn, all_of_them = DrawnParameters(config, seed), draw_parameters(config, seed)
    assert list(drawn) == list(all_of_them)
    assert len(drawn) == len(all_of_them)
    assert "layers.0.mlp.up.kernel" in drawn
    assert "layers.9999.mlp.up.kernel" not in drawn
    assert drawn._drawn == {}  # until now, nothing was asked for
    for name in reversed(all_of_them):
        np.testing.assert_array_equal(drawn[name], all_of_them[name])
    norm = np.zeros(config.d_model, np.float32)
    assert (drawn | {"layers.0.norm1.scale": norm}).keys() == all_of_them.keys()
    assert (drawn | {"layers.0.norm1.scale": norm})["layers.0.norm1.scale"] is norm
    with pytest.raises(KeyError):
        drawn["layers.9999.mlp.up.kernel"]


def test_without_biases_only_norms_have_a_shift():
    config = EncoderConfig(use_bias=False, output_head=True, num_layers=2)
    biases = [name for name in parameter_shapes(config) if name.endswith("bias")]
    assert biases == [f"layers.{layer}.norm{i}.bias" for layer in (0, 1) for i in (1, 2)]


def test_the_same_seed_draws_the_same_parameters():
    first, second = Encoder.random(FULL, seed=3).parameters(), Encoder.random(FULL, seed=3).parameters()
    assert list(first) == list(parameter_shapes(FULL))
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name])


def test_known_values_of_seed_0():
    """A link contains the seed, and must give the same numbers on every machine."""
    parameters = Encoder.random(EncoderConfig(), seed=0).parameters()
    np.testing.assert_allclose(parameters["token_embedding"][1, :3], [-0.27983332, -0.16199641, 1.1078722], rtol=1e-6)
    np.testing.assert_allclose(
        parameters["layers.1.mlp.down.kernel"][2, :3], [-0.028697636, 0.018144948, 0.047099199], rtol=1e-6
    )


def test_seeds_and_tensors_have_different_numbers():
    first, second = Encoder.random(FULL, seed=0).parameters(), Encoder.random(FULL, seed=1).parameters()
    drawn = [name for name in first if "norm" not in name]
    for name in drawn:
        assert (first[name] != second[name]).all()
    corners = {tuple(first[name].flat[:3]) for name in drawn}
    assert len(corners) == len(drawn)


def test_standard_deviations():
    config = EncoderConfig(d_model=256, num_heads=4, d_ff=1024, vocab_size=400, num_layers=1)
    parameters = Encoder.random(config).parameters()
    expected = {"token_embedding": 1, "layers.0.attention.query.kernel": 1 / 16, "layers.0.mlp.up.kernel": 1 / 16}
    expected |= {"layers.0.mlp.down.kernel": 1 / 32, "layers.0.mlp.up.bias": 0.02}
    for name, deviation in expected.items():
        assert parameters[name].std() == pytest.approx(deviation, rel=0.1)
        assert abs(parameters[name].mean()) < 0.15 * deviation
    assert (parameters["layers.0.norm1.scale"] == 1).all()
    assert (parameters["layers.0.norm1.bias"] == 0).all()


@pytest.mark.parametrize("seed", [-1, 1.5, "1", None, True])
def test_invalid_seeds(seed, unchecked):
    with pytest.raises(ValueError, match=r"seed=.* is invalid: allowed are whole numbers from 0") as error:
        Encoder.random(EncoderConfig(), seed)
    assert repr(seed) in str(error.value)


widths = st.integers(1, 128).map(lambda half: 2 * half)


@given(
    widths, widths, st.integers(1, 1024), st.integers(1, 1024), st.lists(st.integers(1, 300), min_size=4, max_size=4)
)
def test_another_size_does_not_change_the_other_numbers(d, other_d, ff, other_ff, rows):
    """Numbers that both encoders have are equal, up to the fan-in factor of kernels."""
    vocab, other_vocab, length, other_length = rows
    sizes = {"positions": "learned", "num_heads": 2}
    one = EncoderConfig(vocab_size=vocab, max_len=length, d_model=d, d_ff=ff, num_layers=1, **sizes)
    two = EncoderConfig(
        vocab_size=other_vocab, max_len=other_length, d_model=other_d, d_ff=other_ff, num_layers=2, **sizes
    )
    ours, theirs = Encoder.random(one, 5).parameters(), Encoder.random(two, 5).parameters()
    for name, array in ours.items():
        other = theirs[name]
        shared = tuple(slice(min(sizes)) for sizes in zip(array.shape, other.shape, strict=True))
        fan_in = (array.shape[0], other.shape[0]) if name.endswith("kernel") else (1, 1)
        np.testing.assert_allclose(array[shared] * fan_in[0] ** 0.5, other[shared] * fan_in[1] ** 0.5, rtol=1e-5)


@given(configs(max_layers=2, free_qkv_dim=True), seeds)
def test_parameters_of_an_encoder_are_those_it_is_made_from(config, seed):
    original = random_parameters(config, np.random.default_rng(seed))
    encoder = Encoder.from_parameters(config, dict(reversed(original.items())))
    again = Encoder.from_parameters(config, encoder.parameters()).parameters()
    assert list(again) == list(parameter_shapes(config))
    for name, array in again.items():
        np.testing.assert_array_equal(array, original[name])
        assert array.dtype == np.float32
        assert not array.flags.writeable
    ids = np.array([[0, 1, 2]])
    drawn = Encoder.random(config, 1)
    copied = Encoder.from_parameters(config, drawn.parameters())
    np.testing.assert_array_equal(copied.trace(ids).output, drawn.trace(ids).output)


def test_an_encoder_does_not_share_arrays_with_the_caller():
    arrays = {name: array.copy() for name, array in Encoder.random(FULL).parameters().items()}
    encoder = Encoder.from_parameters(FULL, arrays)
    before = encoder.trace(np.array([[1, 2]])).output
    arrays["token_embedding"][:] = 7
    encoder.parameters().pop("token_embedding")
    again = Encoder.from_parameters(FULL, encoder.parameters())
    np.testing.assert_array_equal(encoder.trace(np.array([[1, 2]])).output, before)
    np.testing.assert_array_equal(again.trace(np.array([[1, 2]])).output, before)


def changed(**parameters: np.ndarray | None) -> dict[str, np.ndarray]:
    """The parameters of FULL with some replaced, added or (None) removed."""
    mixed = Encoder.random(FULL).parameters() | parameters
    return {name: array for name, array in mixed.items() if array is not None}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (changed(token_embedding=None), ["1 missing", "token_embedding"]),
        (
            changed(token_embedding=None, **{"final_norm.scale": None}),
            ["2 missing", "final_norm.scale, token_embedding"],
        ),
        ({}, ["22 missing", ", ..."]),
        (changed(extra=np.zeros(3)), ["1 unknown", "extra"]),
        (changed(token_embedding=np.zeros((3, 64))), ["token_embedding", "(3, 64)", "(128, 64)"]),
        (changed(**{"output_head.kernel": np.zeros((128, 64))}), ["output_head.kernel", "(128, 64)", "(64, 128)"]),
        (changed(**{"final_norm.bias": np.full(64, np.nan)}), ["final_norm.bias", "not finite"]),
        (changed(**{"final_norm.bias": np.full(64, np.inf)}), ["final_norm.bias", "not finite"]),
        (changed(**{"final_norm.bias": torch.zeros(64, requires_grad=True)}), ["final_norm.bias", "detach"]),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match="parameter") as error:
        Encoder.from_parameters(FULL, parameters)
    assert all(part in str(error.value) for part in message)


def test_drawn_parameters_are_read_only():
    names = [*draw_parameters(FULL, 0)]
    assert {"token_embedding", "layers.0.attention.query.kernel", "layers.0.norm1.scale"} <= set(names)
    demo = next(demo for recipe in RECIPES.values() for demo in recipe.demos.values() if not demo.projects)
    for parameters in (draw_parameters(FULL, 0), RECIPES["haiku"].parameters(), demo.parameters()):
        assert [name for name, array in parameters.items() if array.flags.writeable] == []
