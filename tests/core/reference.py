"""Independent references: PyTorch's TransformerEncoder and Flax's MultiHeadAttention, with copied parameters."""

import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import torch
from flax import nnx

from encoder_core import EncoderConfig
from encoder_core.parameters import Parameters, parameter_shapes

_TORCH_ACTIVATIONS = {
    "relu": torch.nn.functional.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
}


def random_parameters(config: EncoderConfig, rng: np.random.Generator) -> Parameters:
    """Random parameters without trivial values: scales are not 1 and shifts are not 0.

    The embedded rows and the scores have magnitudes of about one in every configuration. With scores of hundreds, the
    weights of any library have an error in the fifth digit: float32 scores have seven digits, and softmax turns their
    absolute error into a relative one.
    """
    d_model = config.d_model
    table_size = {"none": 1.0, "sqrt_d": d_model**-0.5, "inv_sqrt_d": d_model**0.5}[config.embedding_scale]
    query_size = 1.0 if config.scale_scores else config.d_head**-0.5

    def draw(name: str, shape: tuple[int, ...]) -> np.ndarray:
        if name.endswith("scale"):
            return 1 + 0.2 * rng.standard_normal(shape, np.float32)
        if name.endswith("bias"):
            return 0.2 * rng.standard_normal(shape, np.float32)
        if name.endswith("embedding"):
            size = table_size if name == "token_embedding" else 1.0
            return np.float32(size) * rng.standard_normal(shape, np.float32)
        size = query_size if "query" in name else 1.0
        return np.float32(size / math.sqrt(shape[0])) * rng.standard_normal(shape, np.float32)

    return {name: draw(name, shape) for name, shape in parameter_shapes(config).items()}


def relative_difference(ours: np.ndarray, reference: np.ndarray) -> float:
    """The largest difference, divided by the largest magnitude of the reference."""
    assert ours.shape == reference.shape
    return float(np.abs(ours - reference).max() / max(np.abs(reference).max(), np.finfo(np.float32).tiny))


def sinusoid(position: int, dimension: int, d_model: int, layout: str) -> float:
    """One cell of the position encoding, from the formula of the paper (Vaswani et al. 2017, section 3.5)."""
    sines = math.ceil(d_model / 2)
    if layout == "interleaved":
        pair, is_cosine = divmod(dimension, 2)
    else:
        is_cosine, pair = (0, dimension) if dimension < sines else (1, dimension - sines)
    angle = position / 10_000 ** (2 * pair / d_model)
    return math.cos(angle) if is_cosine else math.sin(angle)


class TorchRun(NamedTuple):
    """The results of PyTorch as NumPy arrays of its precision."""

    embedded: np.ndarray
    first_pattern: np.ndarray
    resid_post: list[np.ndarray]
    output: np.ndarray
    logits: np.ndarray | None


def torch_encoder(config: EncoderConfig, parameters: Parameters, dtype: torch.dtype) -> torch.nn.TransformerEncoder:
    """PyTorch's encoder with these parameters. Its norms always have a shift, as in `encoder_core`."""
    sizes = (config.d_model, config.num_heads, config.d_ff, config.dropout)
    layer = torch.nn.TransformerEncoderLayer(
        *sizes,
        activation=_TORCH_ACTIVATIONS[config.activation],
        layer_norm_eps=config.norm_eps,
        batch_first=True,
        norm_first=config.norm == "pre",
        bias=config.use_bias,
    )
    layer.norm1 = torch.nn.LayerNorm(config.d_model, config.norm_eps)
    layer.norm2 = torch.nn.LayerNorm(config.d_model, config.norm_eps)
    final_norm = torch.nn.LayerNorm(config.d_model, config.norm_eps) if config.final_norm else None
    encoder = torch.nn.TransformerEncoder(layer, config.num_layers, final_norm, enable_nested_tensor=False)
    encoder.load_state_dict(_torch_state(config, parameters), strict=True)
    return encoder.to(dtype).eval()


def _torch_state(config: EncoderConfig, parameters: Parameters) -> dict[str, torch.Tensor]:
    # PyTorch always divides by sqrt(d_head). Without the division, the queries are multiplied by it.
    query_factor = 1.0 if config.scale_scores else math.sqrt(config.d_head)
    state: dict[str, np.ndarray] = {}
    for layer in range(config.num_layers):
        ours, theirs = f"layers.{layer}.", f"layers.{layer}."
        for kind, suffix in (("kernel", "weight"), ("bias", "bias"))[: 2 if config.use_bias else 1]:
            arrays = {name: parameters[f"{ours}attention.{name}.{kind}"] for name in ("query", "key", "value", "out")}
            in_proj = np.concatenate(
                [arrays["query"].astype(np.float64) * query_factor, arrays["key"], arrays["value"]], axis=-1
            )
            state[f"{theirs}self_attn.in_proj_{suffix}"] = in_proj.T
            state[f"{theirs}self_attn.out_proj.{suffix}"] = arrays["out"].T
            state[f"{theirs}linear1.{suffix}"] = parameters[f"{ours}mlp.up.{kind}"].T
            state[f"{theirs}linear2.{suffix}"] = parameters[f"{ours}mlp.down.{kind}"].T
        for norm in ("norm1", "norm2"):
            state[f"{theirs}{norm}.weight"] = parameters[f"{ours}{norm}.scale"]
            state[f"{theirs}{norm}.bias"] = parameters[f"{ours}{norm}.bias"]
    if config.final_norm:
        state |= {"norm.weight": parameters["final_norm.scale"], "norm.bias": parameters["final_norm.bias"]}
    return {name: torch.from_numpy(np.array(array)) for name, array in state.items()}


@torch.no_grad()
def run_torch(
    config: EncoderConfig, parameters: Parameters, ids: np.ndarray, mask: np.ndarray, dtype: torch.dtype = torch.float64
) -> TorchRun:
    """The forward pass in PyTorch; `mask` (batch, head, query, key) is True where a query may attend."""
    encoder = torch_encoder(config, parameters, dtype)
    table = torch.from_numpy(np.array(parameters["token_embedding"])).to(dtype)
    x = torch.nn.functional.embedding(torch.from_numpy(ids).long(), table)
    x = (
        x
        * {"none": 1, "sqrt_d": math.sqrt(config.d_model), "inv_sqrt_d": 1 / math.sqrt(config.d_model)}[
            config.embedding_scale
        ]
    )
    x = x + _torch_positions(config, parameters, ids.shape[1]).to(dtype)
    hidden = torch.from_numpy(~mask.reshape(-1, *mask.shape[2:]))
    resid_post: list[np.ndarray] = []
    for layer in encoder.layers:
        layer.register_forward_hook(lambda module, args, out: resid_post.append(out.numpy()))
    output = encoder(x, mask=hidden)
    first = encoder.layers[0]
    attn_in = first.norm1(x) if config.norm == "pre" else x
    _, pattern = first.self_attn(attn_in, attn_in, attn_in, attn_mask=hidden, average_attn_weights=False)
    logits = None
    if config.output_head:
        bias = parameters.get("output_head.bias", np.zeros(config.vocab_size))
        logits = output.numpy() @ parameters["output_head.kernel"].astype(np.float64) + bias
    return TorchRun(x.numpy(), pattern.numpy(), resid_post, output.numpy(), logits)


def _torch_positions(config: EncoderConfig, parameters: Parameters, seq: int) -> torch.Tensor:
    if config.positions == "none":
        return torch.zeros(seq, config.d_model)
    if config.positions == "learned":
        return torch.from_numpy(np.array(parameters["position_embedding"][:seq]))
    cells = [
        [sinusoid(position, dimension, config.d_model, config.position_layout) for dimension in range(config.d_model)]
        for position in range(seq)
    ]
    return torch.tensor(cells, dtype=torch.float64)


def run_flax_attention(
    config: EncoderConfig, parameters: Parameters, layer: int, x: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """What Flax's attention gives with the parameters of one layer."""
    return np.asarray(_attend(_flax_attention(config, parameters, layer), x, mask))


@nnx.jit  # as single operations it is 27 programs for each size
def _attend(attention: nnx.MultiHeadAttention, x: np.ndarray, mask: np.ndarray) -> jnp.ndarray:
    return attention(x, mask=mask)


def _flax_attention(config: EncoderConfig, parameters: Parameters, layer: int) -> nnx.MultiHeadAttention:
    heads, d_head, d = config.num_heads, config.d_head, config.d_model
    attention = nnx.eval_shape(  # drawing parameters that are replaced would compile programs for each shape
        lambda: nnx.MultiHeadAttention(
            num_heads=heads,
            in_features=d,
            qkv_features=config.qkv_width,
            use_bias=config.use_bias,
            decode=False,
            rngs=nnx.Rngs(0),
        )
    )
    for name in ("query", "key", "value", "out"):
        linear = getattr(attention, name)
        ours = f"layers.{layer}.attention.{name}"
        kernel_shape, bias_shape = (
            ((heads, d_head, d), (d,)) if name == "out" else ((d, heads, d_head), (heads, d_head))
        )
        linear.kernel = nnx.Param(jnp.asarray(parameters[f"{ours}.kernel"].reshape(kernel_shape)))
        if config.use_bias:
            linear.bias = nnx.Param(jnp.asarray(parameters[f"{ours}.bias"].reshape(bias_shape)))
    return attention
