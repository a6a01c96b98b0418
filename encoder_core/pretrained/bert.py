"""BERT (Devlin et al. 2019): its config.json as an `EncoderConfig`, and the tensor of each parameter."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from encoder_core.config import Activation, DropoutPlace, EncoderConfig

_ACTIVATIONS: Mapping[str, Activation] = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
}


class PretrainedError(ValueError):
    """A trained model cannot be found, downloaded or read; the message is one sentence."""


_LINEAR = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.out": "attention.output.dense",
    "mlp.up": "intermediate.dense",
    "mlp.down": "output.dense",
}
_NORMS = {"norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm"}
_TYPES = "embeddings.token_type_embeddings.weight"


class Stored(NamedTuple):
    """A tensor of the file, and how it is read.

    name, shape  of the tensor in the file
    rows         how many of its first rows are read; None: all
    transposed   True for a kernel, which is (outputs, inputs) in the file and (inputs, outputs) here
    """

    name: str
    shape: tuple[int, ...]
    rows: int | None = None
    transposed: bool = False


def encoder_config(bert: Mapping[str, Any], max_len: int) -> EncoderConfig:
    """The encoder that a BERT's config.json describes, for texts of up to `max_len` pieces.

    Raises PretrainedError if it describes another architecture or lacks a setting.
    """
    model_type = bert.get("model_type")
    if model_type != "bert":
        raise PretrainedError(
            f"config.json describes a model of type {model_type!r}; only BERT encoders can be read ('bert')."
        )
    positions = bert.get("position_embedding_type") or "absolute"
    if positions != "absolute":
        raise PretrainedError(
            f"position_embedding_type={positions!r} in config.json is not supported, only 'absolute'."
        )
    if bert.get("is_decoder") or bert.get("add_cross_attention"):
        raise PretrainedError("config.json describes a decoder; only encoders can be read.")
    activation = bert.get("hidden_act", "gelu")
    if activation not in list(_ACTIVATIONS):  # a list, because it may be unhashable
        raise PretrainedError(f"hidden_act={activation!r} in config.json is not one of {', '.join(_ACTIVATIONS)}.")
    drops_pattern = bert.get("attention_probs_dropout_prob", 0.1) == bert.get("hidden_dropout_prob", 0.1)
    places: tuple[DropoutPlace, ...] = ("embedded", "attn_out", "mlp_out")
    try:
        return EncoderConfig(
            vocab_size=bert["vocab_size"],
            max_len=min(max_len, bert["max_position_embeddings"]),
            d_model=bert["hidden_size"],
            num_heads=bert["num_attention_heads"],
            d_ff=bert["intermediate_size"],
            num_layers=bert["num_hidden_layers"],
            norm="post",
            norm_eps=bert.get("layer_norm_eps", 1e-12),
            activation=_ACTIVATIONS[activation],
            positions="learned",
            embedding_norm=True,
            dropout=bert.get("hidden_dropout_prob", 0.1),
            dropout_at=("pattern", *places) if drops_pattern else places,
        )
    except KeyError as missing:
        raise PretrainedError(f"config.json has no {missing.args[0]!r}.") from None
    except (TypeError, ValueError) as error:
        raise PretrainedError(f"config.json is not valid ({str(error).rstrip('.')}).") from error


def stored_parameters(config: EncoderConfig, bert: Mapping[str, Any]) -> dict[str, tuple[Stored, ...]]:
    """Parameter -> the tensors of the file whose sum it is.

    The walkthrough has no segments: every token belongs to the first one, and the first row of the segment table is
    added to every token. That row is part of `position_embedding`, so scaled_embedding + position_encoding is the input
    of the embedding norm, as in an encoder without segments.
    """
    d, max_positions = config.d_model, bert["max_position_embeddings"]
    positions = Stored("embeddings.position_embeddings.weight", (max_positions, d), rows=config.max_len)
    segment = Stored(_TYPES, (bert.get("type_vocab_size", 2), d), rows=1)
    stored: dict[str, tuple[Stored, ...]] = {
        "token_embedding": (Stored("embeddings.word_embeddings.weight", (config.vocab_size, d)),),
        "position_embedding": (positions, segment),
        "embedding_norm.scale": (Stored("embeddings.LayerNorm.weight", (d,)),),
        "embedding_norm.bias": (Stored("embeddings.LayerNorm.bias", (d,)),),
    }
    for layer in range(config.num_layers):
        our_layer, their_layer = f"layers.{layer}", f"encoder.layer.{layer}"
        for ours, theirs in _LINEAR.items():
            outputs = config.d_ff if ours == "mlp.up" else d
            inputs = config.d_ff if ours == "mlp.down" else d
            kernel = Stored(f"{their_layer}.{theirs}.weight", (outputs, inputs), transposed=True)
            stored[f"{our_layer}.{ours}.kernel"] = (kernel,)
            stored[f"{our_layer}.{ours}.bias"] = (Stored(f"{their_layer}.{theirs}.bias", (outputs,)),)
        for ours, theirs in _NORMS.items():
            stored[f"{our_layer}.{ours}.scale"] = (Stored(f"{their_layer}.{theirs}.weight", (d,)),)
            stored[f"{our_layer}.{ours}.bias"] = (Stored(f"{their_layer}.{theirs}.bias", (d,)),)
    return stored


def names_in_file(name: str) -> tuple[str, ...]:
    """The possible names of a tensor. A file with an output head puts "bert." in front; old files name the scale and
    the bias of a norm gamma and beta."""
    old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    return name, f"bert.{name}", old, f"bert.{old}"
