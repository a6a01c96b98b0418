"""The trace of a forward pass, and a run: the trace with the inputs of its computation.

Tensors are read-only NumPy arrays of float32 without padding to capacity. Names are those of TransformerLens where it
has the same tensor. Layers, heads and tokens count from 0.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Edit, Sublayer, edited_parameters
from encoder_core.edits.effects import NO_EFFECTS, Effects
from encoder_core.inputs.dropout import DropoutDraw, apply_dropout
from encoder_core.parameters import Parameters
from encoder_core.support.read_only import compared_by_identity, reduce_to_read_only
from encoder_core.support.validation import invalid_item, invalid_value, require_choice, require_index, require_type


@compared_by_identity
class LayerTrace(NamedTuple):
    """Every tensor of one encoder layer.

    The formulas below are those of evaluation mode without edits. In training mode, dropped numbers are 0 and the
    others are divided by 1 - rate.

    resid_pre     (batch, seq, d_model) residual stream at the input of the layer
    attn_in       (batch, seq, d_model) input of attention: resid_pre, or its norm with norm="pre"
    q, k, v       (batch, head, seq, d_head) queries, keys and values of each head
    dot_products  (batch, head, query, key) Q K^T
    scores        (batch, head, query, key) dot products / sqrt(d_head), -inf where masked
    pattern       (batch, head, query, key) softmax of the scores: rows add up to one,
                  or to zero where every key is masked
    z             (batch, head, seq, d_head) pattern V
    concat        (batch, seq, qkv_dim) z of all heads side by side
    attn_out      (batch, seq, d_model) concat W_O + bias
    resid_mid     (batch, seq, d_model) resid_pre + attn_out
    mlp_in        (batch, seq, d_model) norm of resid_mid (norm1 with "post", norm2 with "pre")
    mlp_pre       (batch, seq, d_ff) mlp_in W_up + bias
    mlp_act       (batch, seq, d_ff) activation of mlp_pre; with activation_after="second_linear" mlp_pre itself
    mlp_out       (batch, seq, d_model) mlp_act W_down + bias; with "second_linear" the activation of that
    resid_post    (batch, seq, d_model) output of the layer: norm2(mlp_in + mlp_out) with "post",
                  resid_mid + mlp_out with "pre"
    out_kernel    (qkv_dim, d_model) W_O; `head_contributions` is computed from it on access
    """

    resid_pre: Float[np.ndarray, "batch seq d_model"]
    attn_in: Float[np.ndarray, "batch seq d_model"]
    q: Float[np.ndarray, "batch head seq d_head"]
    k: Float[np.ndarray, "batch head seq d_head"]
    v: Float[np.ndarray, "batch head seq d_head"]
    dot_products: Float[np.ndarray, "batch head seq seq"]
    scores: Float[np.ndarray, "batch head seq seq"]
    pattern: Float[np.ndarray, "batch head seq seq"]
    z: Float[np.ndarray, "batch head seq d_head"]
    concat: Float[np.ndarray, "batch seq qkv_dim"]
    attn_out: Float[np.ndarray, "batch seq d_model"]
    resid_mid: Float[np.ndarray, "batch seq d_model"]
    mlp_in: Float[np.ndarray, "batch seq d_model"]
    mlp_pre: Float[np.ndarray, "batch seq d_ff"]
    mlp_act: Float[np.ndarray, "batch seq d_ff"]
    mlp_out: Float[np.ndarray, "batch seq d_model"]
    resid_post: Float[np.ndarray, "batch seq d_model"]
    out_kernel: Float[np.ndarray, "qkv_dim d_model"]

    def __repr__(self) -> str:
        batch, heads, seq, _ = self.pattern.shape
        return f"LayerTrace(batch={batch}, seq={seq}, d_model={self.resid_pre.shape[-1]}, num_heads={heads})"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_to_read_only(self)

    @property
    def head_contributions(self) -> Float[np.ndarray, "batch head seq d_model"]:
        """z_h W_O,h of each head h. Without dropout, the sum over all heads plus the bias is `attn_out`."""
        heads, d_head = self.z.shape[1], self.z.shape[3]
        kernels = self.out_kernel.reshape(heads, d_head, -1)
        contributions = np.einsum("bhsd,hdm->bhsm", self.z, kernels, optimize=True)
        contributions.setflags(write=False)  # as all other arrays of a trace
        return contributions


@compared_by_identity
class EncoderTrace(NamedTuple):
    """Every tensor of a forward pass.

    tokens             token strings, batch x seq; empty where the input is ids or embeddings
    ids                (batch, seq), or None where the input is embeddings
    real               (batch, seq) False where a token is padding
    mask               (batch, head, query, key) True where the query may attend to the key, in every layer
    token_embedding    (batch, seq, d_model) looked-up rows of the embedding table
    scaled_embedding   (batch, seq, d_model) token_embedding times the embedding scale
    position_encoding  (seq, d_model)
    embedded           (batch, seq, d_model) input of the first layer: scaled_embedding + position_encoding, or the norm
                       of that sum with embedding_norm
    layers             one LayerTrace per layer
    output             (batch, seq, d_model) output of the last layer of the stack, after the final norm if there is one
    logits             (batch, seq, vocab_size), or None where the model has no output head
    kept               the numbers that dropout keeps in training mode; None in evaluation mode
    embedding_sum      (batch, seq, d_model) scaled_embedding + position_encoding, the input of the embedding norm; None
                       where the model has no embedding norm
    """

    tokens: tuple[tuple[str, ...], ...]
    ids: Int[np.ndarray, "batch seq"] | None
    real: Bool[np.ndarray, "batch seq"]
    mask: Bool[np.ndarray, "batch head seq seq"]
    token_embedding: Float[np.ndarray, "batch seq d_model"]
    scaled_embedding: Float[np.ndarray, "batch seq d_model"]
    position_encoding: Float[np.ndarray, "seq d_model"]
    embedded: Float[np.ndarray, "batch seq d_model"]
    layers: tuple[LayerTrace, ...]
    output: Float[np.ndarray, "batch seq d_model"]
    logits: Float[np.ndarray, "batch seq vocab"] | None
    kept: DropoutDraw | None = None
    embedding_sum: Float[np.ndarray, "batch seq d_model"] | None = None

    def __repr__(self) -> str:
        (batch, heads, seq, _), d_model = self.mask.shape, self.output.shape[-1]
        layers = len(self.layers)
        return f"EncoderTrace(batch={batch}, seq={seq}, d_model={d_model}, num_heads={heads}, num_layers={layers})"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_to_read_only(self)

    @property
    def probabilities(self) -> Float[np.ndarray, "batch seq vocab"] | None:
        """The softmax of the logits over the vocabulary; None where the model has no output head."""
        if self.logits is None:
            return None
        probabilities: Float[np.ndarray, "batch seq vocab"] = softmax(self.logits, axis=-1)
        probabilities.setflags(write=False)  # as all other arrays of a trace
        return probabilities


@compared_by_identity
class SentenceTrace(NamedTuple):
    """What `Encoder.trace_sentences` computes of one sentence.

    tokens    its token strings
    stages    (stage, seq, d_model) the residual stream at the input of the first layer and after each layer
    patterns  (layer, head, query, key) attention weights
    visible   (query, key) True where the query may attend to the key
    """

    tokens: tuple[str, ...]
    stages: Float[np.ndarray, "stage seq d_model"]
    patterns: Float[np.ndarray, "layer head seq seq"]
    visible: Bool[np.ndarray, "seq seq"]

    def __repr__(self) -> str:
        (layers, heads, seq, _), d_model = self.patterns.shape, self.stages.shape[-1]
        return f"SentenceTrace(seq={seq}, d_model={d_model}, num_heads={heads}, num_layers={layers})"

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_to_read_only(self)


AnyTrace = TypeVar("AnyTrace", EncoderTrace, SentenceTrace)


@dataclass(frozen=True, eq=False)
class Run:
    """A trace together with the inputs of its computation; `Encoder.run` returns one.

    trace       every tensor of the forward pass
    config      configuration of the encoder
    parameters  parameters of the encoder, before the edits
    effects     the combined edits of the forward pass (see `combine_edits`)
    """

    trace: EncoderTrace
    config: EncoderConfig
    parameters: Parameters
    effects: Effects = NO_EFFECTS

    def __repr__(self) -> str:
        return f"Run({self.trace!r}, edits={len(self.edits)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.trace, self.config, self.parameters, self.effects)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the forward pass, in order."""
        return self.effects.edits

    @cached_property
    def edited_parameters(self) -> Parameters:
        """The parameters after the edits. Arrays without edits are those of `parameters`, not copies."""
        return edited_parameters(self.parameters, self.effects)

    @property
    def score_scale(self) -> float:
        """The factor on q . k: 1 / sqrt(d_head), or 1 for unscaled scores."""
        return self.effects.score_scale(self.config)

    @property
    def scales_scores(self) -> bool:
        """Whether q . k is divided by sqrt(d_head), which can be 1."""
        return self.effects.scales_scores(self.config)

    def head_factors(self, layer: int) -> Float[np.ndarray, "head"]:
        """The factor on z of each head of a layer. Raises ValueError where there is no such layer."""
        require_index("layer", layer, self.config.num_layers)
        heads = range(self.config.num_heads)
        return np.array([self.effects.head_factors.get((layer, head), 1.0) for head in heads])

    def residual_factor(self, layer: int, sublayer: Sublayer) -> float:
        """The factor on the residual of a sublayer. Raises ValueError where there is no such sublayer."""
        require_index("layer", layer, self.config.num_layers)
        require_choice("sublayer", sublayer, get_args(Sublayer))
        return self.effects.residual_factors.get((layer, sublayer), 1.0)

    def residual_factors(self, layer: int) -> tuple[float, float]:
        """The factors on the residuals around attention and feed-forward."""
        return self.residual_factor(layer, "attention"), self.residual_factor(layer, "mlp")

    def apply_dropout(
        self,
        numbers: Float[np.ndarray, "..."],
        place: DropoutPlace,
        layer: int | None = None,
        sentence: int | slice = slice(None),
    ) -> Float[np.ndarray, "..."]:
        """The numbers after dropout in this place; unchanged in evaluation mode and where no dropout is applied.

        numbers  of the shape of the tensor in the trace; without the batch axis where `sentence` is an index

        Raises ValueError in training mode for a place or a layer that the encoder does not have.
        """
        kept = self.trace.kept
        if kept is None:
            return numbers
        mask = kept.mask(place, layer)
        return apply_dropout(numbers, None if mask is None else mask[sentence], kept.scale)


def require_trace(trace: object, name: str = "trace") -> None:
    """Raises ValueError unless the value is a trace of a whole forward pass."""
    require_type(name, trace, EncoderTrace, "traces, such as encoder.trace(text)")


def require_run(run: object) -> None:
    """Raises ValueError unless the value is a run."""
    require_type("run", run, Run, "runs, such as encoder.run(text)")


def checked_traces(traces: Iterable[AnyTrace], kind: type[AnyTrace]) -> Iterator[AnyTrace]:
    """The traces of any iterable, one after another, so that a generator has one of them in memory at a time.

    Raises ValueError for a single trace and for anything else than traces of this kind.
    """
    examples = {EncoderTrace: "[encoder.trace(text)]", SentenceTrace: "encoder.trace_sentences(batches)"}
    allowed = f"lists and generators of traces, such as {examples[kind]}"
    if not isinstance(traces, Iterable) or isinstance(traces, str | EncoderTrace | SentenceTrace | np.ndarray):
        raise invalid_value("traces", traces, allowed)
    for index, trace in enumerate(traces):
        if not isinstance(trace, kind):
            raise invalid_item("traces", index, trace, allowed)
        yield trace
