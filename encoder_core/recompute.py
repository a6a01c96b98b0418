"""The badge's arithmetic: each stage computed again in float64 NumPy from the tensors shown, and compared with them.

Every function returns the largest difference, as a fraction of the largest magnitude of the result.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from encoder_core import sublayers
from encoder_core.analysis import softmax_steps
from encoder_core.config import EncoderConfig
from encoder_core.parameters import Parameters
from encoder_core.sublayers import FeedForwardSteps, NormName
from encoder_core.trace import EncoderTrace, LayerTrace


def difference(shown: Float[np.ndarray, "..."], again: Float[np.ndarray, "..."]) -> float:
    """max |shown - again| / max |again| over the finite cells; infinite where the infinite cells are not the same."""
    finite = np.isfinite(again)
    if not np.array_equal(finite, np.isfinite(shown)):
        return float("inf")
    if not finite.any():
        return 0.0
    scale = np.abs(again[finite]).max() or 1.0
    return float(np.abs(shown[finite] - again[finite]).max() / scale)


def embedding(
    trace: EncoderTrace,
    one_hot: Float[np.ndarray, "batch seq vocab"],
    table: Float[np.ndarray, "vocab d_model"],
    scale: float,
) -> float:
    """The looked-up rows as one-hot vectors times the table, and the rows times the scale."""
    rows = one_hot @ table.astype(float)
    return max(difference(trace.token_embedding, rows), difference(trace.scaled_embedding, rows * scale))


def positions(trace: EncoderTrace) -> float:
    """The scaled embedding plus the position encoding."""
    return difference(trace.embedded, trace.scaled_embedding.astype(float) + trace.position_encoding)


def projections(
    layer: LayerTrace,
    kernels: Sequence[Float[np.ndarray, "d_model qkv_dim"]],
    biases: Sequence[Float[np.ndarray, "qkv_dim"]] = (),
) -> float:
    """x W + b for the queries, keys and values of all heads; `biases` is empty where there are none."""
    batch, heads, seq, d_head = layer.q.shape
    differences = []
    for index, (shown, kernel) in enumerate(zip((layer.q, layer.k, layer.v), kernels, strict=True)):
        again = layer.attn_in.astype(float) @ kernel
        if biases:
            again += biases[index]
        differences.append(difference(shown, again.reshape(batch, seq, heads, d_head).swapaxes(1, 2)))
    return max(differences)


def scores(layer: LayerTrace, scale: float) -> float:
    """q . k and its scaled and masked form, of all heads."""
    dots = np.einsum("bhqd,bhkd->bhqk", layer.q.astype(float), layer.k.astype(float))
    scaled = np.where(np.isfinite(layer.scores), dots * scale, -np.inf)
    return max(difference(layer.dot_products, dots), difference(layer.scores, scaled))


def softmax(layer: LayerTrace, temperature: float = 1.0) -> float:
    """exp of the scores, divided by their sum along the row, of all heads."""
    return difference(layer.pattern, softmax_steps(layer.scores, temperature).weights)


def weighted_values(layer: LayerTrace) -> float:
    """pattern V, of all heads."""
    return difference(layer.z, np.einsum("bhqk,bhkd->bhqd", layer.pattern.astype(float), layer.v.astype(float)))


def multi_head(layer: LayerTrace, bias: Float[np.ndarray, "d_model"] | None = None) -> float:
    """z of all heads side by side, and the sum over the heads of z_h W_O,h, plus the bias."""
    batch, heads, seq, d_head = layer.z.shape
    concat = layer.z.swapaxes(1, 2).reshape(batch, seq, heads * d_head).astype(float)
    kernels = layer.out_kernel.reshape(heads, d_head, -1).astype(float)
    attn_out = np.einsum("bhsd,hdm->bsm", layer.z.astype(float), kernels) + (0 if bias is None else bias)
    return max(difference(layer.concat, concat), difference(layer.attn_out, attn_out))


def add_and_norm(trace: EncoderTrace, layer: int, parameters: Parameters, config: EncoderConfig) -> float:
    """Both residual sums and both norms of a block; of the last block, also the final norm if there is one."""
    names: list[NormName] = ["norm1", "norm2"]
    if config.final_norm and layer == len(trace.layers) - 1:
        names.append("final_norm")
    found = []
    for name in names:
        shown = sublayers.add_and_norm(trace, layer, name, config.norm)
        scale, shift = sublayers.norm_parameters(parameters, layer, name)
        again = sublayers.layer_norm(shown.norm_in, scale, shift, config.norm_eps).output
        found.append(difference(shown.norm_out, again))
        if shown.residual is not None and shown.sublayer is not None and shown.total is not None:
            found.append(difference(shown.total, shown.residual.astype(float) + shown.sublayer))
    return max(found)


def feed_forward(layer: LayerTrace, again: FeedForwardSteps) -> float:
    """Of all three steps of the feed-forward network."""
    return max(
        difference(layer.mlp_pre, again.pre),
        difference(layer.mlp_act, again.act),
        difference(layer.mlp_out, again.out),
    )


def block(
    trace: EncoderTrace, layer: int, sentence: int, parameters: Parameters, config: EncoderConfig, scale: float
) -> float:
    """What leaves a block, from what enters it: every step of the block for one sentence."""
    x = trace.layers[layer].resid_pre[sentence].astype(float)

    def norm(x: Float[np.ndarray, "seq d_model"], name: NormName) -> Float[np.ndarray, "seq d_model"]:
        gamma, beta = sublayers.norm_parameters(parameters, layer, name)
        return sublayers.layer_norm(x, gamma, beta, config.norm_eps).output

    def attend(x: Float[np.ndarray, "seq d_model"]) -> Float[np.ndarray, "seq d_model"]:
        return sublayers.attention(x, parameters, layer, trace.mask[sentence], scale)

    def mlp(x: Float[np.ndarray, "seq d_model"]) -> Float[np.ndarray, "seq d_model"]:
        return sublayers.feed_forward(x, parameters, layer, config.activation, config.activation_after).out

    if config.norm == "post":
        x = norm(x + attend(x), "norm1")
        x = norm(x + mlp(x), "norm2")
    else:
        x = x + attend(norm(x, "norm1"))
        x = x + mlp(norm(x, "norm2"))
    return difference(trace.layers[layer].resid_post[sentence], x)
