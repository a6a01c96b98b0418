"""Gradients of a forward pass: backpropagation through its trace, in float64 and without a compiler."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from encoder_core.trace import LayerTrace, Run

Rows = Float[np.ndarray, "batch seq _"]
Rule = Callable[[Rows], Rows]  # gradient at the output of a part of the block -> gradient at its input


class BlockGradients(NamedTuple):
    """The gradients of one block.

    resid_pre  (batch, seq, d_model) with respect to the input of the block
    kernels    name ("attention.query", "mlp.up", ...) -> with respect to the kernel
    """

    resid_pre: Rows
    kernels: dict[str, Float[np.ndarray, "input output"]]

    @property
    def kernel_norm(self) -> float:
        """The length of the gradient of all kernels of the block, taken as one vector."""
        return math.sqrt(sum(float((gradient**2).sum()) for gradient in self.kernels.values()))


def block_gradients(run: Run, d_output: Rows) -> tuple[BlockGradients, ...]:
    """The gradients of a loss in every block, first block first.

    d_output  gradient of the loss with respect to `trace.output`, (batch, seq, d_model)

    The run may have edits of the type `ResidualFactor`, but no others. The chain rule through the tensors of the trace:
    Rumelhart, Hinton & Williams 1986; through a layer norm: Ba, Kiros & Hinton 2016; placement of the norms: Xiong et
    al. 2020, figure 1.
    """
    gradient = d_output.astype(float)
    if run.config.final_norm:
        gradient = _norm(run, "final_norm", run.trace.layers[-1].resid_post)(gradient)
    blocks: list[BlockGradients] = []
    for index in reversed(range(run.config.num_layers)):
        blocks.append(_block(run, index, gradient))
        gradient = blocks[-1].resid_pre
    return tuple(reversed(blocks))


def _block(run: Run, index: int, d_post: Rows) -> BlockGradients:
    layer, name = run.trace.layers[index], f"layers.{index}"
    kernels: dict[str, Float[np.ndarray, "input output"]] = {}
    first, second = (run.residual_factor(index, "attention"), run.residual_factor(index, "mlp"))
    attention, feed_forward = _attention(run, index, kernels), _feed_forward(run, index, kernels)
    if run.config.norm == "post":
        d_sum = _norm(run, f"{name}.norm2", second * layer.mlp_in + layer.mlp_out)(d_post)
        d_mlp_in = second * d_sum + feed_forward(d_sum)
        d_mid = _norm(run, f"{name}.norm1", layer.resid_mid)(d_mlp_in)
        return BlockGradients(first * d_mid + attention(d_mid), kernels)
    d_mid = second * d_post + _norm(run, f"{name}.norm2", layer.resid_mid)(feed_forward(d_post))
    d_pre = first * d_mid + _norm(run, f"{name}.norm1", layer.resid_pre)(attention(d_mid))
    return BlockGradients(d_pre, kernels)


def _norm(run: Run, name: str, x: Rows) -> Rule:
    """d_x = (d_n - mean d_n - n mean(d_n n)) / sigma with n the normalised row and d_n = scale d_y."""
    x = x.astype(float)
    sigma = np.sqrt(x.var(-1, keepdims=True) + run.config.norm_eps)
    normalised = (x - x.mean(-1, keepdims=True)) / sigma

    def backward(d_y: Rows) -> Rows:
        d_n = d_y * run.edited_parameters[f"{name}.scale"]
        along = (d_n * normalised).mean(-1, keepdims=True)
        return (d_n - d_n.mean(-1, keepdims=True) - normalised * along) / sigma

    return backward


def _feed_forward(run: Run, index: int, kernels: dict[str, np.ndarray]) -> Rule:
    layer, name = run.trace.layers[index], f"layers.{index}.mlp"
    up, down = (run.edited_parameters[f"{name}.{part}.kernel"].astype(float) for part in ("up", "down"))
    bias = run.edited_parameters.get(f"{name}.down.bias", 0.0)
    is_last = run.config.activation_after == "second_linear"

    def backward(d_out: Rows) -> Rows:
        if is_last:
            d_out = d_out * _slope(layer.mlp_act @ down + bias, run.config.activation)
        d_act = d_out @ down.T
        d_pre = d_act if is_last else d_act * _slope(layer.mlp_pre, run.config.activation)
        kernels["mlp.down"] = _kernel(layer.mlp_act, d_out)
        kernels["mlp.up"] = _kernel(layer.mlp_in, d_pre)
        return d_pre @ up.T

    return backward


def _attention(run: Run, index: int, kernels: dict[str, np.ndarray]) -> Rule:
    layer, name = run.trace.layers[index], f"layers.{index}.attention"

    def backward(d_out: Rows) -> Rows:
        kernels["attention.out"] = _kernel(layer.concat, d_out)
        d_z = _split(d_out @ layer.out_kernel.astype(float).T, layer)
        d_pattern = d_z @ layer.v.swapaxes(-1, -2)
        d_scores = layer.pattern * (d_pattern - (d_pattern * layer.pattern).sum(-1, keepdims=True))
        d_dots = d_scores * run.score_scale
        gradients = {"query": d_dots @ layer.k, "key": d_dots.swapaxes(-1, -2) @ layer.q,
                     "value": layer.pattern.swapaxes(-1, -2) @ d_z}  # fmt: skip
        d_in = np.zeros(layer.attn_in.shape)
        for part, by_head in gradients.items():
            merged = by_head.swapaxes(1, 2).reshape(*layer.attn_in.shape[:2], -1)
            kernels[f"attention.{part}"] = _kernel(layer.attn_in, merged)
            d_in += merged @ run.edited_parameters[f"{name}.{part}.kernel"].astype(float).T
        return d_in

    return backward


def _split(concat: Rows, layer: LayerTrace) -> Float[np.ndarray, "batch head seq d_head"]:
    batch, heads, seq, d_head = layer.z.shape
    return concat.reshape(batch, seq, heads, d_head).swapaxes(1, 2)


def _kernel(inputs: Rows, d_outputs: Rows) -> Float[np.ndarray, "input output"]:
    return np.einsum("bsi,bso->io", inputs.astype(float), d_outputs)


def _slope(x: Rows, activation: str) -> Rows:
    """The derivative of the activation. GELU(x) = x Φ(x), or its tanh approximation (Hendrycks & Gimpel 2016)."""
    x = np.asarray(x, float)
    if activation == "relu":
        return (x > 0).astype(float)
    if activation == "gelu":
        return ndtr(x) + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    t = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
