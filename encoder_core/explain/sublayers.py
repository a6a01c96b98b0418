"""The sublayers of a layer in float64 NumPy, to recompute a trace and to apply them to other rows.

The code of the encoder itself is in `blocks`; `recompute` measures the difference between both.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import erf

from encoder_core.analysis import softmax_steps
from encoder_core.config import Activation, ActivationAfter, DropoutPlace, Norm
from encoder_core.edits import Sublayer
from encoder_core.parameters import Parameters
from encoder_core.support.read_only import compared_by_identity
from encoder_core.trace import Run

NormName = Literal["norm1", "norm2", "final_norm"]

PROJECTIONS = ("query", "key", "value")

# The sublayer of each norm inside the layers.
SUBLAYER_OF_NORM: dict[NormName, Sublayer] = {"norm1": "attention", "norm2": "mlp"}


@compared_by_identity
class AddAndNorm(NamedTuple):
    """A norm and the residual sum of the same sublayer; the first three tensors are None for the final norm.

    residual  residual of the sublayer          norm_in   input of the norm
    sublayer  output of the sublayer            norm_out  output of the norm
    total     residual + sublayer; the residual is multiplied by its factor where an edit sets one
    """

    residual: Float[np.ndarray, "*batch seq d_model"] | None
    sublayer: Float[np.ndarray, "*batch seq d_model"] | None
    total: Float[np.ndarray, "*batch seq d_model"] | None
    norm_in: Float[np.ndarray, "*batch seq d_model"]
    norm_out: Float[np.ndarray, "*batch seq d_model"]

    def for_sentence(self, sentence: int) -> "AddAndNorm":
        """The tensors of one sentence of the batch."""
        residual, sublayer, total = (None if x is None else x[sentence] for x in self[:3])
        return AddAndNorm(residual, sublayer, total, self.norm_in[sentence], self.norm_out[sentence])


class NormTensorNames(NamedTuple):
    """The names of the tensors of an `AddAndNorm` in the trace; None for a tensor that the trace does not have."""

    residual: str
    sublayer: str
    total: str | None
    norm_in: str | None
    norm_out: str


# The names of the tensors of each norm in post-norm and pre-norm layers.
NORM_TENSORS: dict[tuple[Norm, NormName], NormTensorNames] = {
    ("post", "norm1"): NormTensorNames("resid_pre", "attn_out", "resid_mid", "resid_mid", "mlp_in"),
    ("post", "norm2"): NormTensorNames("mlp_in", "mlp_out", None, None, "resid_post"),
    ("pre", "norm1"): NormTensorNames("resid_pre", "attn_out", "resid_mid", "resid_pre", "attn_in"),
    ("pre", "norm2"): NormTensorNames("resid_mid", "mlp_out", "resid_post", "resid_mid", "mlp_in"),
}


def add_and_norm(run: Run, layer: int, name: NormName) -> AddAndNorm:
    """The tensors of the trace for one norm: "norm1" of attention, "norm2" of the feed-forward network, "final_norm".

    With norm="post" the input of the norm is the sum, with norm="pre" the residual.
    """
    trace, steps = run.trace, run.trace.layers[layer]
    if name == "final_norm":
        return AddAndNorm(None, None, None, trace.layers[-1].resid_post, trace.output)
    factor = np.float32(run.residual_factor(layer, SUBLAYER_OF_NORM[name]))
    total = factor * steps.mlp_in + steps.mlp_out  # of norm2 with "post": this sum is not in the trace
    names = NORM_TENSORS[run.config.norm, name]
    return AddAndNorm(*(total if tensor is None else getattr(steps, tensor) for tensor in names))


Rows = Float[np.ndarray, "seq d_model"]


def encoder_layer(x: Rows, run: Run, layer: int, sentence: int) -> Rows:
    """The output of one layer for other rows of a sentence, with the mask, edits and dropout of that sentence.

    For both sublayers norm(x + sublayer(x)) with norm="post", x + sublayer(norm(x)) with norm="pre".
    """
    config, parameters = run.config, run.edited_parameters
    apply_dropout = partial(run.apply_dropout, layer=layer, sentence=sentence)
    sublayers: dict[NormName, Callable[[Rows], Rows]] = {
        "norm1": lambda rows: attention(rows, run, layer, sentence),
        "norm2": lambda rows: (
            feed_forward_steps(rows, parameters, layer, config.activation, config.activation_after, apply_dropout).out
        ),
    }
    for name, sublayer in sublayers.items():
        residual = run.residual_factor(layer, SUBLAYER_OF_NORM[name]) * x.astype(float)
        norm = partial(_norm, name, run=run, layer=layer)
        x = norm(residual + sublayer(x)) if config.norm == "post" else residual + sublayer(norm(x))
    return x


def _norm(name: NormName, rows: Rows, run: Run, layer: int) -> Rows:
    return layer_norm_steps(rows, *norm_parameters(run.edited_parameters, layer, name), run.config.norm_eps).output


def norm_parameters(
    parameters: Parameters, layer: int, name: NormName
) -> tuple[Float[np.ndarray, "d_model"], Float[np.ndarray, "d_model"]]:
    """The scale (gamma) and shift (beta) of one norm."""
    prefix = name if name == "final_norm" else f"layers.{layer}.{name}"
    return parameters[f"{prefix}.scale"], parameters[f"{prefix}.bias"]


@compared_by_identity
class NormSteps(NamedTuple):
    """The steps of layer normalisation.

    mean, variance  of each row
    normalised      (x - mean) / sqrt(variance + eps)
    output          normalised * scale + shift
    """

    mean: Float[np.ndarray, "*row"]
    variance: Float[np.ndarray, "*row"]
    normalised: Float[np.ndarray, "*row d_model"]
    output: Float[np.ndarray, "*row d_model"]


def layer_norm_steps(
    x: Float[np.ndarray, "*row d_model"],
    scale: Float[np.ndarray, "d_model"],
    shift: Float[np.ndarray, "d_model"],
    eps: float,
) -> NormSteps:
    """Layer normalisation of each row over its features (Ba, Kiros & Hinton 2016, equations 3 and 4)."""
    rows = x.astype(float)
    mean, variance = rows.mean(axis=-1), rows.var(axis=-1)
    normalised = (rows - mean[..., None]) / np.sqrt(variance[..., None] + eps)
    return NormSteps(mean, variance, normalised, normalised * scale + shift)


@compared_by_identity
class FeedForwardSteps(NamedTuple):
    """The steps of the feed-forward network.

    pre  x W_up + bias
    act  activation of pre; with activation_after="second_linear" pre itself
    out  act W_down + bias; with "second_linear" the activation of that
    """

    pre: Float[np.ndarray, "*row d_ff"]
    act: Float[np.ndarray, "*row d_ff"]
    out: Float[np.ndarray, "*row d_model"]


ApplyDropout = Callable[[Float[np.ndarray, "..."], DropoutPlace], Float[np.ndarray, "..."]]


def feed_forward_steps(
    x: Float[np.ndarray, "*row d_model"],
    parameters: Parameters,
    layer: int,
    activation: Activation,
    after: ActivationAfter = "first_linear",
    apply_dropout: ApplyDropout = lambda numbers, place: numbers,
) -> FeedForwardSteps:
    """The feed-forward network of one layer, applied to each row.

    after          the linear layer that the activation follows
    apply_dropout  dropout of the named tensor in training mode
    """
    pre = _linear(x, parameters, f"layers.{layer}.mlp.up")
    act = apply_dropout(activate(pre, activation) if after == "first_linear" else pre, "mlp_act")
    out = _linear(act, parameters, f"layers.{layer}.mlp.down")
    if after == "second_linear":
        out = activate(out, activation)
    return FeedForwardSteps(pre, act, apply_dropout(out, "mlp_out"))


def activate(x: Float[np.ndarray, "*shape"], activation: Activation) -> Float[np.ndarray, "*shape"]:
    """ReLU max(0, x), GELU x Phi(x), or its tanh approximation (Hendrycks & Gimpel 2016, section 2)."""
    match activation:
        case "relu":
            return np.maximum(x, 0)
        case "gelu":
            return 0.5 * x * (1 + erf(x / math.sqrt(2), dtype=float))
        case "gelu_tanh":
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(x: Rows, run: Run, layer: int, sentence: int) -> Rows:
    """The attention sublayer of one layer for other rows of a sentence, with its mask, edits and dropout.

    softmax(scale Q K^T) V W_O of all heads.
    """
    sentences = slice(sentence, sentence + 1)
    q, k, v = (projection(x[None], run, layer, part) for part in PROJECTIONS)
    scores = masked_scores(q @ k.swapaxes(-2, -1), run, layer, sentences)
    z = weighted_values(attention_weights(scores, run, layer, sentences), v, run, layer)
    out = _linear(z[0].swapaxes(0, 1).reshape(len(x), -1), run.edited_parameters, f"layers.{layer}.attention.out")
    return run.apply_dropout(out, "attn_out", layer, sentence)


# The steps of attention. `sentences` selects the mask, edits and dropout of some sentences of the batch.


def projection(
    x: Float[np.ndarray, "batch seq d_model"], run: Run, layer: int, part: str
) -> Float[np.ndarray, "batch head seq d_head"]:
    """The queries, keys or values of all heads, x W + b; `part` is one of PROJECTIONS."""
    rows = _linear(x, run.edited_parameters, f"layers.{layer}.attention.{part}")
    return rows.reshape(*x.shape[:2], run.config.num_heads, -1).swapaxes(1, 2)


def masked_scores(
    dot_products: Float[np.ndarray, "batch head query key"], run: Run, layer: int, sentences: slice = slice(None)
) -> Float[np.ndarray, "batch head query key"]:
    """The dot products times the score scale, -inf where masked, and the scores that edits set."""
    scores = np.where(run.trace.mask[sentences], dot_products * run.score_scale, -np.inf)
    for (batch, *cell), value in run.effects.cell_values("scores", layer).items():
        row = batch - (sentences.start or 0)
        if 0 <= row < len(scores):
            scores[row, *cell] = value
    return scores


def attention_weights(
    scores: Float[np.ndarray, "batch head query key"], run: Run, layer: int, sentences: slice = slice(None)
) -> Float[np.ndarray, "batch head query key"]:
    """Softmax of the scores divided by the temperature, then dropout."""
    weights = softmax_steps(scores, run.effects.temperature).weights
    return run.apply_dropout(weights, "pattern", layer, sentences)


def weighted_values(
    weights: Float[np.ndarray, "batch head query key"],
    v: Float[np.ndarray, "batch head key d_head"],
    run: Run,
    layer: int,
) -> Float[np.ndarray, "batch head query d_head"]:
    """The weights times V, times the factor of each head."""
    return weights.astype(float) @ v.astype(float) * run.head_factors(layer)[:, None, None]


def _linear(
    x: Float[np.ndarray, "*row inputs"], parameters: Parameters, name: str
) -> Float[np.ndarray, "*row outputs"]:
    return x.astype(float) @ parameters[f"{name}.kernel"] + parameters.get(f"{name}.bias", 0.0)
