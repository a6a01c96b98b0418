"""Gradients of every block, compared with PyTorch's automatic differentiation."""

import numpy as np
import pytest
import torch

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis.gradients import block_gradients
from encoder_core.edits import ResidualFactor
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
    ours = block_gradients(encoder.run(x), direction)
    reference = torch_encoder(config, encoder.parameters(), torch.float64)
    inputs = []
    for layer in reference.layers:
        layer.register_forward_pre_hook(lambda module, args: (args[0].retain_grad(), inputs.append(args[0]))[0])
    start = torch.from_numpy(x.astype(float)).requires_grad_()
    (reference(start) * torch.from_numpy(direction)).sum().backward()
    for index, (block, entering) in enumerate(zip(ours, inputs, strict=True)):
        assert relative_difference(block.resid_pre, entering.grad.numpy()) < 5e-6
        theirs = dict(reference.layers[index].named_parameters())
        for name, kernel in _TORCH_KERNELS.items():
            assert relative_difference(block.kernels[name], theirs[kernel].grad.numpy().T) < 5e-6
        joined = np.concatenate([block.kernels[f"attention.{part}"] for part in ("query", "key", "value")], axis=1)
        assert relative_difference(joined, theirs["self_attn.in_proj_weight"].grad.numpy().T) < 5e-6


@pytest.mark.parametrize("choices", [{"activation_after": "second_linear"}, {"scale_scores": False}])
def test_gradients_are_slopes_of_the_output(choices):
    """Moved by ε along its gradient g, the input changes the loss by ε |g|²; also without residual connections."""
    config = EncoderConfig(
        d_model=8, num_heads=2, d_ff=12, num_layers=2, positions="none", activation="gelu", **choices
    )
    rng = np.random.default_rng(1)
    encoder = Encoder.from_parameters(config, random_parameters(config, rng))
    x, direction = rng.standard_normal((1, 4, 8)).astype(np.float32), rng.standard_normal((1, 4, 8))
    for edits in ([], [ResidualFactor(0, "attention", 0.5), ResidualFactor(1, "mlp", 0.0)]):
        gradient = block_gradients(encoder.run(x, edits=edits), direction)[0].resid_pre
        step = 1e-2 * gradient / np.linalg.norm(gradient)
        ends = [(encoder.trace(x + sign * step, edits=edits).output * direction).sum() for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-2 == pytest.approx(np.linalg.norm(gradient), rel=5e-3)


def test_the_norm_of_all_kernels_by_hand():
    """Kernels of gradients 3 and 4 have together the length 5."""
    from encoder_core.analysis.gradients import BlockGradients

    kernels = {"mlp.up": np.array([[3.0]]), "mlp.down": np.array([[4.0]])}
    assert BlockGradients(np.zeros((1, 1, 1)), kernels).kernel_norm == 5
