"""A run of an encoder as one value: everything the forward pass computed, with all that it was computed from.

Tensors have their exact size and are read-only NumPy float32. Their names are those of TransformerLens where it has
one.
Layers, heads and tokens count from 0.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Edit, Sublayer, edited_parameters
from encoder_core.edits.effects import NO_EFFECTS, Effects
from encoder_core.inputs.dropout import Kept, drop
from encoder_core.parameters import Parameters


class LayerTrace(NamedTuple):
    """Every step of one encoder block. In training mode, what is dropped is 0 and the rest has grown. Where
    an edit sets a number or drops a residual, it is what the edit says, not what its line below says.

    resid_pre     (batch, seq, d_model) the stream that enters the block
    attn_in       (batch, seq, d_model) what attention reads: resid_pre, or its norm with norm="pre"
    q, k, v       (batch, head, seq, d_head) queries, keys and values of each head
    dot_products  (batch, head, query, key) Q K^T
    scores        (batch, head, query, key) dot products / sqrt(d_head), -inf where masked
    pattern       (batch, head, query, key) softmax of the scores (divided by the temperature): rows add up to one,
                  or to zero where every key is masked
    z             (batch, head, seq, d_head) pattern V, times the head's factor
    concat        (batch, seq, qkv_dim) z of all heads side by side
    attn_out      (batch, seq, d_model) concat W_O + bias
    resid_mid     (batch, seq, d_model) resid_pre + attn_out
    mlp_in        (batch, seq, d_model) norm of resid_mid (norm1 with "post", norm2 with "pre")
    mlp_pre       (batch, seq, d_ff) mlp_in W_up + bias
    mlp_act       (batch, seq, d_ff) the activation of mlp_pre; with activation_after="second_linear" mlp_pre itself
    mlp_out       (batch, seq, d_model) mlp_act W_down + bias; with "second_linear" the activation of that
    resid_post    (batch, seq, d_model) what leaves the block: norm2(mlp_in + mlp_out) with "post",
                  resid_mid + mlp_out with "pre"
    out_kernel    (qkv_dim, d_model) W_O, from which `head_contributions` is computed when asked for
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

    @property
    def head_contributions(self) -> Float[np.ndarray, "batch head seq d_model"]:
        """z_h W_O,h of each head h: over all heads they add up to `attn_out` less its bias."""
        heads, d_head = self.z.shape[1], self.z.shape[3]
        kernels = self.out_kernel.reshape(heads, d_head, -1)
        return np.einsum("bhsd,hdm->bhsm", self.z, kernels, optimize=True)


class EncoderTrace(NamedTuple):
    """Every step of a forward pass.

    tokens             token strings, batch x seq; empty where ids or embeddings were given
    ids                (batch, seq), or None where embeddings were given
    real               (batch, seq) False where a token is padding
    mask               (batch, head, query, key) True where the query may attend to the key, in every layer
    token_embedding    (batch, seq, d_model) the looked-up rows
    scaled_embedding   (batch, seq, d_model) times the embedding scale
    position_encoding  (seq, d_model)
    embedded           (batch, seq, d_model) their sum, or its norm with embedding_norm, which enters the first block
    layers             one LayerTrace a block
    output             (batch, seq, d_model) of the stack's last block, after the final norm if there is one
    logits             (batch, seq, vocab_size), or None where the model has no output head
    kept               which numbers dropout kept in training mode; None in evaluation
    embedding_sum      (batch, seq, d_model) scaled_embedding + position_encoding, which the embedding norm reads; None
                       where there is no such norm
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
    kept: Kept | None = None
    embedding_sum: Float[np.ndarray, "batch seq d_model"] | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """A trace, and what it was made with; `Encoder.run` returns one.

    trace       every step of the forward pass
    config      sizes and choices of the encoder
    parameters  those of the encoder, before the edits
    effects     the edits of the forward pass, combined and validated (see `effects_of`)
    """

    trace: EncoderTrace
    config: EncoderConfig
    parameters: Parameters
    effects: Effects = NO_EFFECTS

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the forward pass, in order."""
        return self.effects.edits

    @cached_property
    def edited_parameters(self) -> Parameters:
        """The parameters that the trace was computed with; arrays that no edit changes are those of the encoder."""
        return edited_parameters(self.parameters, self.effects)

    @property
    def score_scale(self) -> float:
        """What q . k is multiplied by: 1 / sqrt(d_head), or 1."""
        return self.effects.score_scale(self.config)

    def head_factors(self, layer: int) -> Float[np.ndarray, "head"]:
        """The factor on z of each head of a layer."""
        heads = range(self.config.num_heads)
        return np.array([self.effects.head_factors.get((layer, head), 1.0) for head in heads])

    def residual_factor(self, layer: int, sublayer: Sublayer) -> float:
        """The factor on the residual of a sublayer."""
        return self.effects.residual_factors.get((layer, sublayer), 1.0)

    def dropped(
        self,
        numbers: Float[np.ndarray, "..."],
        place: DropoutPlace,
        layer: int | None = None,
        sentence: int | slice = slice(None),
    ) -> Float[np.ndarray, "..."]:
        """The numbers after dropout in this place; unchanged in evaluation mode, and where it is not applied.

        Shapes as in the trace, without the first axis where `sentence` is one.
        """
        kept = self.trace.kept
        if kept is None:
            return numbers
        stays = getattr(kept if layer is None else kept.layers[layer], place)
        return drop(numbers, None if stays is None else stays[sentence], kept.scale)
