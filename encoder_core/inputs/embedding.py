"""The computation before the first layer: lookup, positions, embedding norm, dropout, and the edits of these."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.blocks import embed, layer_norm
from encoder_core.config import EncoderConfig, embedding_factors
from encoder_core.edits import Effects
from encoder_core.edits.apply import edited_mask, set_embedded
from encoder_core.inputs.dropout import DropoutDraw, apply_dropout, draw_dropout
from encoder_core.inputs.masks import MaskSpec, attention_mask
from encoder_core.inputs.parsing import ParsedInputs, edit_inputs
from encoder_core.inputs.positions import position_encoding
from encoder_core.parameters import Parameters


class EmbeddedInput(NamedTuple):
    """The input of the first layer and the tensors that it is computed from, with the names of `EncoderTrace`."""

    inputs: ParsedInputs
    mask: Bool[np.ndarray, "batch head seq seq"]
    scaled: Float[np.ndarray, "batch seq d_model"]
    position_encoding: Float[np.ndarray, "seq d_model"]
    embedding_sum: Float[np.ndarray, "batch seq d_model"] | None
    embedded: Float[np.ndarray, "batch seq d_model"]
    kept: DropoutDraw | None

    @property
    def arrays(self) -> tuple[Float[np.ndarray, "..."] | None, ...]:
        """All tensors that are computed before the first layer."""
        return self.scaled, self.position_encoding, self.embedding_sum, self.embedded


def embed_inputs(
    inputs: ParsedInputs,
    mask: MaskSpec,
    effects: Effects,
    config: EncoderConfig,
    parameters: Parameters,
) -> EmbeddedInput:
    """The input of the first layer. Raises ValueError for a mask that does not fit the inputs."""
    batch, seq, d_model = inputs.rows.shape
    if isinstance(mask, str) and "padding" in mask and not inputs.tokens:
        raise ValueError(
            f"mask={mask!r} is invalid: ids and embeddings do not say which tokens are padding. Allowed are text, a "
            "TokenBatch, other masks, and an array of shape (batch, 1, seq) that is False for padding."
        )
    inputs = edit_inputs(inputs, effects, parameters["token_embedding"])
    allowed = edited_mask(attention_mask(mask, inputs.real, config.num_heads), effects)
    encoding = position_encoding(config, parameters, seq)
    scaled, embedded = embed(inputs.rows, embedding_factors(d_model)[config.embedding_scale], encoding)
    embedding_sum = embedded if config.embedding_norm else None
    if embedding_sum is not None:
        gamma, beta = parameters["embedding_norm.scale"], parameters["embedding_norm.bias"]
        embedded = layer_norm(embedding_sum, gamma, beta, config.norm_eps)
    kept = draw_dropout(config, effects.dropout, batch, seq)
    if kept is not None:
        embedded = apply_dropout(embedded, kept.embedded, kept.scale)
    embedded = set_embedded(embedded, effects)
    return EmbeddedInput(inputs, allowed, scaled, encoding, embedding_sum, embedded, kept)
