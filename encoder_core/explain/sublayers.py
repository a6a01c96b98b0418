"""The sublayers of a block in float64 NumPy, on rows of any number: for the badge, and to try them on changed rows.

The encoder's own code is in `blocks`; the badge of every page says how far the two are apart.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import softmax_steps
from encoder_core.config import Activation, ActivationAfter, DropoutPlace, Norm
from encoder_core.edits import Sublayer
from encoder_core.parameters import Parameters
from encoder_core.trace import Run

NormName = Literal["norm1", "norm2", "final_norm"]

PROJECTIONS = ("query", "key", "value")

# The sublayer whose sum each norm belongs to; the final norm belongs to none.
SUBLAYERS: dict[NormName, Sublayer] = {"norm1": "attention", "norm2": "mlp"}


class AddAndNorm(NamedTuple):
    """One of the sums of a block and the norm that belongs to it; the final norm stands alone, without a sum.

    residual  what flows past the sublayer      norm_in   what the norm reads
    sublayer  what the sublayer adds to it      norm_out  what the norm gives
    total     residual + sublayer, the residual times the factor that an edit gives it
    """

    residual: Float[np.ndarray, "*batch seq d_model"] | None
    sublayer: Float[np.ndarray, "*batch seq d_model"] | None
    total: Float[np.ndarray, "*batch seq d_model"] | None
    norm_in: Float[np.ndarray, "*batch seq d_model"]
    norm_out: Float[np.ndarray, "*batch seq d_model"]

    def of(self, sentence: int) -> "AddAndNorm":
        """The same for one sentence of the batch."""
        residual, sublayer, total = (None if x is None else x[sentence] for x in self[:3])
        return AddAndNorm(residual, sublayer, total, self.norm_in[sentence], self.norm_out[sentence])


class Names(NamedTuple):
    """What the trace calls the tensors around a norm; None where it has none."""

    residual: str
    sublayer: str
    total: str | None
    norm_in: str | None
    norm_out: str


# The tensors of the trace around each norm, by where the norms stand.
TENSORS: dict[tuple[Norm, NormName], Names] = {
    ("post", "norm1"): Names("resid_pre", "attn_out", "resid_mid", "resid_mid", "mlp_in"),
    ("post", "norm2"): Names("mlp_in", "mlp_out", None, None, "resid_post"),
    ("pre", "norm1"): Names("resid_pre", "attn_out", "resid_mid", "resid_pre", "attn_in"),
    ("pre", "norm2"): Names("resid_mid", "mlp_out", "resid_post", "resid_mid", "mlp_in"),
}


def add_and_norm(run: Run, layer: int, name: NormName) -> AddAndNorm:
    """The tensors of the trace around one norm: "norm1" is that of attention, "norm2" that of the feed-forward network.

    With "post" the norm reads the sum; with "pre" it reads the residual, and the sum comes last.
    """
    trace, steps = run.trace, run.trace.layers[layer]
    if name == "final_norm":
        return AddAndNorm(None, None, None, trace.layers[-1].resid_post, trace.output)
    factor = np.float32(run.residual_factor(layer, SUBLAYERS[name]))
    total = factor * steps.mlp_in + steps.mlp_out  # of norm2 with "post", which no tensor of the trace holds
    fields = TENSORS[run.config.norm, name]
    return AddAndNorm(*(total if field is None else getattr(steps, field) for field in fields))


Rows = Float[np.ndarray, "seq d_model"]


def block(x: Rows, run: Run, layer: int, sentence: int) -> Rows:
    """One block on these rows, in the place of the sentence's own, with the edits and the dropout of that sentence:
    norm(x + sublayer(x)) of both sublayers with "post", x + sublayer(norm(x)) with "pre"."""
    config, parameters = run.config, run.edited_parameters
    dropped = partial(run.dropped, layer=layer, sentence=sentence)
    sublayers: dict[NormName, Callable[[Rows], Rows]] = {
        "norm1": lambda rows: attention(rows, run, layer, sentence),
        "norm2": lambda rows: (
            feed_forward(rows, parameters, layer, config.activation, config.activation_after, dropped).out
        ),
    }
    for name, sublayer in sublayers.items():
        residual = run.residual_factor(layer, SUBLAYERS[name]) * x.astype(float)
        norm = partial(_norm_named, name, run=run, layer=layer)
        x = norm(residual + sublayer(x)) if config.norm == "post" else residual + sublayer(norm(x))
    return x


def _norm_named(name: NormName, rows: Rows, run: Run, layer: int) -> Rows:
    return layer_norm(rows, *norm_parameters(run.edited_parameters, layer, name), run.config.norm_eps).output


def norm_parameters(
    parameters: Parameters, layer: int, name: NormName
) -> tuple[Float[np.ndarray, "d_model"], Float[np.ndarray, "d_model"]]:
    """The scale and shift of one norm, gamma and beta."""
    prefix = name if name == "final_norm" else f"layers.{layer}.{name}"
    return parameters[f"{prefix}.scale"], parameters[f"{prefix}.bias"]


class NormSteps(NamedTuple):
    """LayerNorm step by step: the mean and the variance of each row, (x - mean) / sqrt(variance + eps), the output."""

    mean: Float[np.ndarray, "*row"]
    variance: Float[np.ndarray, "*row"]
    normalised: Float[np.ndarray, "*row d_model"]
    output: Float[np.ndarray, "*row d_model"]


def layer_norm(
    x: Float[np.ndarray, "*row d_model"],
    scale: Float[np.ndarray, "d_model"],
    shift: Float[np.ndarray, "d_model"],
    eps: float,
) -> NormSteps:
    """Each row over its own features: normalised * scale + shift (Ba, Kiros & Hinton 2016, equations 3 and 4)."""
    rows = x.astype(float)
    mean, variance = rows.mean(axis=-1), rows.var(axis=-1)
    normalised = (rows - mean[..., None]) / np.sqrt(variance[..., None] + eps)
    return NormSteps(mean, variance, normalised, normalised * scale + shift)


class FeedForwardSteps(NamedTuple):
    """x W_up + bias; its activation; that times W_down + bias. With "second_linear" the activation follows the last."""

    pre: Float[np.ndarray, "*row d_ff"]
    act: Float[np.ndarray, "*row d_ff"]
    out: Float[np.ndarray, "*row d_model"]


Dropped = Callable[[Float[np.ndarray, "..."], DropoutPlace], Float[np.ndarray, "..."]]


def feed_forward(
    x: Float[np.ndarray, "*row d_model"],
    parameters: Parameters,
    layer: int,
    activation: Activation,
    after: ActivationAfter = "first_linear",
    dropped: Dropped = lambda numbers, place: numbers,
) -> FeedForwardSteps:
    """The feed-forward network of one block, on rows of any number and order.

    after    the linear layer that the activation follows; after "second_linear" `act` is `pre` (less what is dropped)
    dropped  dropout in training mode
    """
    pre = _linear(x, parameters, f"layers.{layer}.mlp.up")
    act = dropped(activate(pre, activation) if after == "first_linear" else pre, "mlp_act")
    out = _linear(act, parameters, f"layers.{layer}.mlp.down")
    if after == "second_linear":
        out = activate(out, activation)
    return FeedForwardSteps(pre, act, dropped(out, "mlp_out"))


def activate(x: Float[np.ndarray, "*shape"], activation: Activation) -> Float[np.ndarray, "*shape"]:
    """max(0, x), x Phi(x), or its tanh approximation (Hendrycks & Gimpel 2016, section 2)."""
    match activation:
        case "relu":
            return np.maximum(x, 0)
        case "gelu":
            return 0.5 * x * (1 + np.asarray(np.frompyfunc(math.erf, 1, 1)(x / math.sqrt(2)), float))
        case "gelu_tanh":
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def attention(x: Rows, run: Run, layer: int, sentence: int) -> Rows:
    """The attention sublayer of one block on these rows, in the place of the sentence's own: softmax(Q K^T scale) V W_O
    of all heads, with the mask, the edits and the dropout of that sentence."""
    only = slice(sentence, sentence + 1)
    q, k, v = (projection(x[None], run, layer, part) for part in PROJECTIONS)
    scores = masked_scores(q @ k.swapaxes(-2, -1), run, layer, only)
    z = weighted_values(attention_weights(scores, run, layer, only), v, run, layer)
    out = _linear(z[0].swapaxes(0, 1).reshape(len(x), -1), run.edited_parameters, f"layers.{layer}.attention.out")
    return run.dropped(out, "attn_out", layer, sentence)


# The steps of attention, each on the arrays given; `sentences`: whose mask, edits and dropout are applied.


def projection(
    x: Float[np.ndarray, "batch seq d_model"], run: Run, layer: int, part: str
) -> Float[np.ndarray, "batch head seq d_head"]:
    """x W + b, split into heads; `part` is one of PROJECTIONS."""
    rows = _linear(x, run.edited_parameters, f"layers.{layer}.attention.{part}")
    return rows.reshape(*x.shape[:2], run.config.num_heads, -1).swapaxes(1, 2)


def masked_scores(
    dot_products: Float[np.ndarray, "batch head query key"], run: Run, layer: int, sentences: slice = slice(None)
) -> Float[np.ndarray, "batch head query key"]:
    """q . k times its scale, -inf where masked; then the scores that edits set."""
    scores = np.where(run.trace.mask[sentences], dot_products * run.score_scale, -np.inf)
    for (batch, *cell), value in run.effects.of_tensor("scores", layer).items():
        place = batch - (sentences.start or 0)
        if 0 <= place < len(scores):
            scores[place, *cell] = value
    return scores


def attention_weights(
    scores: Float[np.ndarray, "batch head query key"], run: Run, layer: int, sentences: slice = slice(None)
) -> Float[np.ndarray, "batch head query key"]:
    """Softmax of scores / temperature, then dropout."""
    weights = softmax_steps(scores, run.effects.temperature).weights
    return run.dropped(weights, "pattern", layer, sentences)


def weighted_values(
    weights: Float[np.ndarray, "batch head query key"],
    v: Float[np.ndarray, "batch head key d_head"],
    run: Run,
    layer: int,
) -> Float[np.ndarray, "batch head query d_head"]:
    """weights V, times the factor of each head."""
    return weights.astype(float) @ v.astype(float) * run.head_factors(layer)[:, None, None]


def _linear(
    x: Float[np.ndarray, "*row inputs"], parameters: Parameters, name: str
) -> Float[np.ndarray, "*row outputs"]:
    return x.astype(float) @ parameters[f"{name}.kernel"] + parameters.get(f"{name}.bias", 0.0)
