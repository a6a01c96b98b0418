"""Direct logit attribution: the contribution of each component of the model to one logit.

A logit is a sum over the components that write to the residual stream (Elhage et al. 2021, "A Mathematical Framework
for Transformer Circuits"), because a layer norm with the mean and the standard deviation of this run is an affine map:

    norm(c_1 + ... + c_n) = sum_i (c_i - mean c_i) / sigma * gamma + beta

The deviation from the mean is linear in each component, sigma is the number of this run, and the shift beta is a
component of its own. With norm="pre" a component passes through the final norm alone, with norm="post" through every
later norm. TransformerLens has the same convention for pre-norm models: `ActivationCache.logit_attrs` applies the final
norm with the scale of the run.

A contribution is not the effect of removing the component: without it, sigma and the inputs of the later layers would
be different.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis.output_head import require_output_head
from encoder_core.config import DropoutPlace
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import require_index
from encoder_core.trace import Run, require_run

Direction = Float[np.ndarray, "d_model"]


class Contribution(NamedTuple):
    """The contribution of one component. Layer and head count from 0; None where the component is in no layer or is no
    head. In the name they count from 1, as on screen."""

    name: str
    value: float
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True, eq=False)
class LogitAttribution:
    """The contributions to one logit, in float64; their sum is the logit up to rounding.

    logit            the number in the trace
    before           of components before the first layer: "embedding" and, where the model has them, "position",
                     "edited input" (cells that `SetEmbedded` sets) and "embedding norm shift"
    heads            (layer, head) z_h W_O,h; the bias of the values is a part of it
    attention_biases (layer,) the bias of W_O; zeros without biases
    mlps             (layer,) output of the feed-forward network, with its bias
    norm_shifts      (layer,) the shifts beta of the norms of the layer; zeros with norm="pre", where the norms of a
                     layer do not write to the residual stream
    after            "final norm shift" and "output bias", where the model has them
    """

    logit: float
    before: Mapping[str, float]
    heads: Float[np.ndarray, "layer head"]
    attention_biases: Float[np.ndarray, "layer"]
    mlps: Float[np.ndarray, "layer"]
    norm_shifts: Float[np.ndarray, "layer"]
    after: Mapping[str, float]

    @property
    def total(self) -> float:
        """The sum of all contributions."""
        return sum(contribution.value for contribution in self.contributions())

    def contributions(self) -> Iterator[Contribution]:
        """All contributions in the order of the forward pass, without biases and shifts that are 0 in every layer."""
        yield from (Contribution(name, value) for name, value in self.before.items())
        for layer, heads in enumerate(self.heads.tolist()):
            place = f"layer {layer + 1}"
            for head, value in enumerate(heads):
                yield Contribution(f"{place}, head {head + 1}", value, layer, head)
            if self.attention_biases.any():
                yield Contribution(f"{place}, attention bias", float(self.attention_biases[layer]), layer)
            yield Contribution(f"{place}, FFN", float(self.mlps[layer]), layer)
            if self.norm_shifts.any():
                yield Contribution(f"{place}, norm shifts", float(self.norm_shifts[layer]), layer)
        yield from (Contribution(name, value) for name, value in self.after.items())


@compared_by_identity
class NeuronContributions(NamedTuple):
    """The contributions of one feed-forward network to a logit: of each neuron, and of the bias (0 without one)."""

    neurons: Float[np.ndarray, "d_ff"]
    bias: float


def logit_attribution(run: Run, token: int, token_id: int, sentence: int = 0) -> LogitAttribution:
    """The contribution of every component to the logit of the output token `token_id` at a position.

    Edits and dropout of the run are part of the components that they change. Raises ValueError for a model without an
    output head or with attention_read_out="input", and for a position or an id that does not exist.
    """
    readers = _readers(run, token, token_id, sentence)
    parameters, layers = run.edited_parameters, range(run.config.num_layers)
    heads, biases, mlps = [], [], []
    for layer in layers:
        tensors, name = run.trace.layers[layer], f"layers.{layer}.attention.out.bias"
        reader = readers.apply_dropout(readers.attention[layer], "attn_out", layer)
        z = tensors.z[sentence, :, token].astype(float)
        heads.append((z * (tensors.out_kernel @ reader).reshape(z.shape)).sum(axis=-1))
        biases.append(float(parameters[name] @ reader) if name in parameters else 0.0)
        mlps.append(float(tensors.mlp_out[sentence, token] @ readers.mlp[layer]))
    assert run.trace.logits is not None
    return LogitAttribution(
        logit=float(run.trace.logits[sentence, token, token_id]),
        before=_before_layers(readers),
        heads=np.stack(heads),
        attention_biases=np.array(biases),
        mlps=np.array(mlps),
        norm_shifts=np.array(readers.norm_shifts),
        after=readers.after,
    )


def neuron_contributions(
    run: Run, token: int, token_id: int, layer: int, sentence: int = 0
) -> NeuronContributions | None:
    """The contribution of each neuron of one feed-forward network to a logit: activation times its row of W_down.

    Neurons and bias add up to the contribution of the network. None with activation_after="second_linear": an
    activation of their sum follows, so the output is not a sum over neurons. Raises ValueError like
    `logit_attribution`, and for a layer that does not exist.
    """
    require_run(run)
    require_index("layer", layer, run.config.num_layers)
    readers = _readers(run, token, token_id, sentence)
    if run.config.activation_after == "second_linear":
        return None
    name, parameters = f"layers.{layer}.mlp.down", run.edited_parameters
    reader = readers.apply_dropout(readers.mlp[layer], "mlp_out", layer)
    activations = run.trace.layers[layer].mlp_act[sentence, token].astype(float)
    bias = float(parameters[f"{name}.bias"] @ reader) if f"{name}.bias" in parameters else 0.0
    return NeuronContributions(activations * (parameters[f"{name}.kernel"] @ reader), bias)


@dataclass(frozen=True, eq=False)
class _Readers:
    """For each place in the residual stream, the direction g that the logit reads: a vector c that is added there
    contributes c . g.

    attention, mlp  at the outputs of both sublayers of each layer
    embedded        at the input of the first layer
    norm_shifts     the contribution of the shifts of the norms of each layer
    after           the contributions after the last layer
    """

    run: Run
    token: int
    sentence: int
    attention: tuple[Direction, ...]
    mlp: tuple[Direction, ...]
    embedded: Direction
    norm_shifts: tuple[float, ...]
    after: Mapping[str, float]

    def apply_dropout(self, reader: Direction, place: DropoutPlace, layer: int | None = None) -> Direction:
        """The direction that is read before dropout: (c * m) . g = c . (m * g). Unchanged in evaluation mode."""
        seq = self.run.trace.real.shape[1]
        rows = np.broadcast_to(reader, (seq, len(reader)))
        return self.run.apply_dropout(rows, place, layer, self.sentence)[self.token].astype(float)


def _readers(run: Run, token: int, token_id: int, sentence: int) -> _Readers:
    """The directions from the logit backwards to the input of the first layer."""
    require_run(run)
    config, trace, parameters = run.config, run.trace, run.edited_parameters
    require_output_head(config)
    for name, value, size in (
        ("sentence", sentence, len(trace.real)), ("token", token, trace.real.shape[1]),
        ("token_id", token_id, config.vocab_size),
    ):  # fmt: skip
        require_index(name, value, size)
    reader = parameters["output_head.kernel"][:, token_id].astype(float)
    after = {}
    if config.final_norm:
        after["final norm shift"], reader = _through_norm(
            run, "final_norm", trace.layers[-1].resid_post[sentence, token], reader
        )
    if "output_head.bias" in parameters:
        after["output bias"] = float(parameters["output_head.bias"][token_id])
    attention, mlp, shifts = [], [], []
    for layer in reversed(range(config.num_layers)):
        tensors, shift = trace.layers[layer], 0.0
        attention_factor, mlp_factor = (run.residual_factor(layer, part) for part in ("attention", "mlp"))
        if config.norm == "post":
            total = mlp_factor * tensors.mlp_in[sentence, token].astype(float) + tensors.mlp_out[sentence, token]
            shift, reader = _through_norm(run, f"layers.{layer}.norm2", total, reader)
        mlp.append(reader)
        reader = mlp_factor * reader
        if config.norm == "post":
            first, reader = _through_norm(run, f"layers.{layer}.norm1", tensors.resid_mid[sentence, token], reader)
            shift += first
        attention.append(reader)
        shifts.append(shift)
        reader = attention_factor * reader
    return _Readers(
        run, token, sentence, tuple(attention[::-1]), tuple(mlp[::-1]), reader, tuple(shifts[::-1]), after
    )  # fmt: skip


def _through_norm(run: Run, name: str, x: Float[np.ndarray, "d_model"], reader: Direction) -> tuple[float, Direction]:
    """The contribution beta . g of the norm's shift, and the direction that is read at its input x.

    ((c - mean c) / sigma * gamma) . g = c . (gamma g - mean(gamma g)) / sigma
    """
    scale, shift = (run.edited_parameters[f"{name}.{part}"].astype(float) for part in ("scale", "bias"))
    sigma = np.sqrt(x.astype(float).var() + run.config.norm_eps)
    scaled = scale * reader
    return float(shift @ reader), (scaled - scaled.mean()) / sigma


def _before_layers(readers: _Readers) -> dict[str, float]:
    """The contributions of embedding and position, and of what else sets the input of the first layer."""
    run, sentence, token = readers.run, readers.sentence, readers.token
    config, trace = run.config, run.trace
    set_by_edit = {cell[2]: value for cell, value in run.effects.embedded.items() if cell[:2] == (sentence, token)}
    edited = sum((value * readers.embedded[dimension] for dimension, value in set_by_edit.items()), 0.0)
    reader = readers.embedded.copy()
    reader[list(set_by_edit)] = 0.0
    reader = readers.apply_dropout(reader, "embedded")
    shift = 0.0
    if config.embedding_norm:
        assert trace.embedding_sum is not None
        shift, reader = _through_norm(run, "embedding_norm", trace.embedding_sum[sentence, token], reader)
    contributions = {"embedding": float(trace.scaled_embedding[sentence, token] @ reader)}
    if config.positions != "none":
        contributions["position"] = float(trace.position_encoding[token] @ reader)
    if config.embedding_norm:
        contributions["embedding norm shift"] = shift
    if set_by_edit:
        contributions["edited input"] = float(edited)
    return contributions
