"""The ends of an encoder: lookup of token embeddings, their sum with the position encoding, and the output head."""

from collections.abc import Mapping

from jaxtyping import Float, Int

from encoder_core.support.any_array import AnyArray


def lookup(
    table: Float[AnyArray, "vocab d_model"], ids: Int[AnyArray, "*batch seq"]
) -> Float[AnyArray, "*batch seq d_model"]:
    """Row `id` of the embedding table for each token, which is equal to a one-hot vector times the table."""
    return table[ids]


def embed(
    token_embedding: Float[AnyArray, "*batch seq d_model"],
    scale: float,
    position_encoding: Float[AnyArray, "seq d_model"],
) -> tuple[Float[AnyArray, "*batch seq d_model"], Float[AnyArray, "*batch seq d_model"]]:
    """The rows times `scale`, and that plus the position encoding (Vaswani et al. 2017, sections 3.4 and 3.5)."""
    scaled = token_embedding * scale
    embedded = scaled + position_encoding
    return scaled, embedded


def output_logits(
    output: Float[AnyArray, "*batch d_model"], parameters: Mapping[str, Float[AnyArray, "..."]]
) -> Float[AnyArray, "*batch vocab"]:
    """output W_head + b: one logit for each token of the vocabulary."""
    logits = output @ parameters["output_head.kernel"]
    return logits + parameters["output_head.bias"] if "output_head.bias" in parameters else logits
