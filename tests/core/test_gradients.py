"""Gradients of every layer, compared with PyTorch and with finite differences in float64."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks.measure import CompilationCounter
from encoder_core import Dropout, Encoder, EncoderConfig, HeadFactor, ResidualFactor, SetScore
from encoder_core.engine.gradients import LayerGradients, layer_gradients
from encoder_core.explain import sublayers
from tests.core.reference import random_parameters, relative_difference, torch_encoder

_TORCH_KERNELS = {
    "attention.out": "self_attn.out_proj.weight",
    "mlp.up": "linear1.weight",
    "mlp.down": "linear2.weight",
}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh"])
def test_gradients_are_those_of_torch(norm, activation):
    config = EncoderConfig(d_model=12, num_heads=3, d_ff=20, num_layers=3, norm=norm, final_norm=norm == "pre",
                           activation=activation, positions="none")  # fmt: skip
    rng = np.random.default_rng(0)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    x = rng.standard_normal((2, 7, 12)).astype(np.float32)
    direction = rng.standard_normal((2, 7, 12))
    ours = layer_gradients(encoder.run(x), direction)
    reference = torch_encoder(config, encoder.parameters(), torch.float64)
    inputs = []
    for layer in reference.layers:
        layer.register_forward_pre_hook(lambda module, args: (args[0].retain_grad(), inputs.append(args[0]))[0])
    start = torch.from_numpy(x.astype(float)).requires_grad_()
    (reference(start) * torch.from_numpy(direction)).sum().backward()
    for index, (gradients, entering) in enumerate(zip(ours, inputs, strict=True)):
        assert relative_difference(gradients.resid_pre, entering.grad.numpy()) < 1e-5
        theirs = dict(reference.layers[index].named_parameters())
        for name, kernel in _TORCH_KERNELS.items():
            assert relative_difference(gradients.kernels[name], theirs[kernel].grad.numpy().T) < 1e-5
        joined = np.concatenate([gradients.kernels[f"attention.{part}"] for part in ("query", "key", "value")], axis=1)
        assert relative_difference(joined, theirs["self_attn.in_proj_weight"].grad.numpy().T) < 1e-5


def loss(run, rows, direction, sentence=0):
    """The sum of the output times `direction` in float64, for other rows at the input of the first layer."""
    for layer in range(run.config.num_layers):
        rows = sublayers.encoder_layer(rows, run, layer, sentence)
    if run.config.final_norm:
        parameters = sublayers.norm_parameters(run.edited_parameters, 0, "final_norm")
        rows = sublayers.layer_norm_steps(rows, *parameters, run.config.norm_eps).output
    return float((rows * direction).sum())


EDITS = {
    "none": (),
    "residuals": (ResidualFactor(0, "attention", 0.5), ResidualFactor(1, "mlp", 0.0)),
    "heads, scores and dropout": (HeadFactor(1, 0, -0.5), SetScore(0, 0, 1, 3, 2, 0.7), Dropout(2, 0.3)),
}


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_gradients_are_slopes_in_float64(norm, edits):
    """Central differences along random directions, of the rows and of one kernel of each layer."""
    config = EncoderConfig(d_model=8, num_heads=2, d_ff=12, num_layers=2, activation="gelu", norm=norm,
                           final_norm=norm == "pre", activation_after="second_linear" if edits else "first_linear",
                           dropout_at=("pattern", "attn_out", "mlp_act", "mlp_out"))  # fmt: skip
    rng = np.random.default_rng(1)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    run = encoder.run(rng.integers(0, config.vocab_size, (1, 5)), "causal", edits)
    rows, direction = run.trace.embedded[0].astype(float), rng.standard_normal((5, 8))
    gradients, step = layer_gradients(run, direction[None]), 1e-5
    change = rng.standard_normal(rows.shape)
    ends = [loss(run, rows + sign * step * change, direction) for sign in (1, -1)]
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx((gradients[0].resid_pre[0] * change).sum(), rel=1e-4)
    for layer, part in ((0, "attention.key"), (1, "mlp.up")):
        name = f"layers.{layer}.{part}.kernel"
        kernel = run.parameters[name].astype(float)
        change = rng.standard_normal(kernel.shape)
        moved = [replace(run, parameters=run.parameters | {name: kernel + sign * step * change}) for sign in (1, -1)]
        ends = [loss(other, rows, direction) for other in moved]
        slope = (gradients[layer].kernels[part] * change).sum()
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("edits", [(SetScore(1, 1, 1, 3, 2, 5.0),), (Dropout(2, 0.5),)], ids=["score", "dropout"])
def test_each_sentence_has_the_edits_and_the_dropout_of_its_own(edits):
    """Central differences of two sentences that differ in these only."""
    config = EncoderConfig(d_model=8, num_heads=2, d_ff=12, num_layers=2, activation="gelu",
                           dropout_at=("pattern", "attn_out", "mlp_act", "mlp_out"))  # fmt: skip
    rng = np.random.default_rng(1)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    run = encoder.run(np.repeat(rng.integers(0, config.vocab_size, (1, 5)), 2, axis=0), "causal", edits)
    direction, change, step = rng.standard_normal((5, 8)), rng.standard_normal((5, 8)), 1e-5
    gradients = layer_gradients(run, np.stack([direction] * 2))
    for sentence in (0, 1):
        rows = run.trace.embedded[sentence].astype(float)
        ends = [loss(run, rows + sign * step * change, direction, sentence) for sign in (1, -1)]
        slope = (gradients[0].resid_pre[sentence] * change).sum()
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, rel=1e-4)
    assert not np.allclose(*gradients[0].resid_pre)


def test_other_sizes_depths_and_norms_compile_nothing():
    config = EncoderConfig(d_model=16, num_heads=2, d_ff=32, num_layers=1, norm="pre", final_norm=True)
    other_sizes = replace(config, d_model=24, num_heads=3, num_layers=3)
    first, *others = [
        Encoder.random(other).run(np.zeros((1, seq), np.int32))
        for other, seq in ((config, 3), (other_sizes, 9), (replace(config, norm="post", activation="gelu"), 4))
    ]
    layer_gradients(first, np.ones(first.trace.output.shape))
    with CompilationCounter() as counter:
        for run in others:
            layer_gradients(run, np.ones(run.trace.output.shape))
    assert counter.count == 0


RUN = Encoder.random(EncoderConfig(d_model=16, num_heads=2, d_ff=32, num_layers=1)).run(np.zeros((1, 3), np.int32))
SHAPE = (1, 3, 16)


@pytest.mark.parametrize(
    ("d_output", "message"),
    [
        (np.zeros((1, 2, 16)), r"d_output of shape=\(1, 2, 16\) is invalid: allowed is \(1, 3, 16\)"),
        (RUN.trace, "d_output: a value of type EncoderTrace is invalid: allowed are numbers of shape"),
        ("ones", r"d_output='ones' is invalid: allowed are numbers of shape \(batch, seq, d_model\)"),
        (None, "d_output=None is invalid: allowed are numbers of shape"),
        ([1.0, 2.0], r"d_output: shape=\(2,\) is invalid: allowed are numbers of shape"),
        (np.full(SHAPE, np.nan), "d_output contains values that are not finite in float32"),
        (np.full(SHAPE, 1e300), "d_output contains values that are not finite in float32"),
    ],
)
def test_what_is_no_gradient_of_the_output(unchecked, d_output, message):
    with pytest.raises(ValueError, match=message):
        layer_gradients(RUN, d_output)


def test_gradients_are_those_of_a_run(unchecked):
    with pytest.raises(ValueError, match=r"run=.* is invalid: allowed are runs"):
        layer_gradients(RUN.trace, np.zeros(SHAPE))


def test_results_are_read_only_and_a_list_is_read_as_an_array(unchecked):
    (gradients,) = layer_gradients(RUN, np.ones(SHAPE, int).tolist())
    assert [array.flags.writeable for array in (gradients.resid_pre, *gradients.kernels.values())] == [False] * 7
    assert repr(gradients) == "LayerGradients(batch=1, seq=3, d_model=16, kernels=6)"
    np.testing.assert_array_equal(gradients.resid_pre, layer_gradients(RUN, np.ones(SHAPE))[0].resid_pre)


def test_the_norm_of_all_kernels_by_hand():
    """Kernels of gradients 3 and 4 have together the length 5."""
    kernels = {"mlp.up": np.array([[3.0]]), "mlp.down": np.array([[4.0]])}
    assert LayerGradients(np.zeros((1, 1, 1)), kernels).kernel_norm == 5
