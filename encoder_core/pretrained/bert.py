"""BERT (Devlin et al. 2019), in this project's words: its config.json, and which tensor is which parameter."""

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
    """A trained model cannot be found, downloaded or read; the message is a sentence for the user."""


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
    """Where a parameter is in the file.

    name         of the tensor
    shape        of the tensor
    rows         only the first rows of it are read; None reads all
    transposed   a kernel: (outputs, inputs) in the file, (inputs, outputs) here
    """

    name: str
    shape: tuple[int, ...]
    rows: int | None = None
    transposed: bool = False


def encoder_config(found: Mapping[str, Any], max_len: int) -> EncoderConfig:
    """The encoder that a BERT's config.json describes, for texts of up to `max_len` pieces.

    Raises PretrainedError where it describes something else, or leaves something out.
    """
    kind = found.get("model_type")
    if kind != "bert":
        raise PretrainedError(
            f"config.json describes a model of type {kind!r}; only BERT encoders can be read ('bert')."
        )
    positions = found.get("position_embedding_type") or "absolute"
    if positions != "absolute":
        raise PretrainedError(
            f"position_embedding_type={positions!r} in config.json is not supported, only 'absolute'."
        )
    if found.get("is_decoder") or found.get("add_cross_attention"):
        raise PretrainedError("config.json describes a decoder; only encoders can be read.")
    activation = found.get("hidden_act", "gelu")
    if activation not in list(_ACTIVATIONS):  # of whatever type it is
        raise PretrainedError(f"hidden_act={activation!r} in config.json is not one of {', '.join(_ACTIVATIONS)}.")
    in_pattern = found.get("attention_probs_dropout_prob", 0.1) == found.get("hidden_dropout_prob", 0.1)
    places: tuple[DropoutPlace, ...] = ("embedded", "attn_out", "mlp_out")
    try:
        return EncoderConfig(
            vocab_size=found["vocab_size"],
            max_len=min(max_len, found["max_position_embeddings"]),
            d_model=found["hidden_size"],
            num_heads=found["num_attention_heads"],
            d_ff=found["intermediate_size"],
            num_layers=found["num_hidden_layers"],
            norm="post",
            norm_eps=found.get("layer_norm_eps", 1e-12),
            activation=_ACTIVATIONS[activation],
            positions="learned",
            embedding_norm=True,
            dropout=found.get("hidden_dropout_prob", 0.1),
            dropout_at=("pattern", *places) if in_pattern else places,
        )
    except KeyError as missing:
        raise PretrainedError(f"config.json has no {missing.args[0]!r}.") from None
    except (TypeError, ValueError) as error:
        raise PretrainedError(f"config.json cannot be used ({str(error).rstrip('.')}).") from error


def stored_parameters(config: EncoderConfig, found: Mapping[str, Any]) -> dict[str, tuple[Stored, ...]]:
    """Of each parameter, the tensors of the file that it is the sum of.

    The walkthrough has no segments: every token is of the first one, whose row of the segment table is added to every
    token whatever its position. That row is part of `position_embedding`, so that scaled_embedding + position_encoding
    is what the embedding norm reads, as without segments.
    """
    d, last = config.d_model, found["max_position_embeddings"]
    positions = Stored("embeddings.position_embeddings.weight", (last, d), rows=config.max_len)
    segment = Stored(_TYPES, (found.get("type_vocab_size", 2), d), rows=1)
    places: dict[str, tuple[Stored, ...]] = {
        "token_embedding": (Stored("embeddings.word_embeddings.weight", (config.vocab_size, d)),),
        "position_embedding": (positions, segment),
        "embedding_norm.scale": (Stored("embeddings.LayerNorm.weight", (d,)),),
        "embedding_norm.bias": (Stored("embeddings.LayerNorm.bias", (d,)),),
    }
    for layer in range(config.num_layers):
        here, there = f"layers.{layer}", f"encoder.layer.{layer}"
        for ours, theirs in _LINEAR.items():
            outputs = config.d_ff if ours == "mlp.up" else d
            inputs = config.d_ff if ours == "mlp.down" else d
            kernel = Stored(f"{there}.{theirs}.weight", (outputs, inputs), transposed=True)
            places[f"{here}.{ours}.kernel"] = (kernel,)
            places[f"{here}.{ours}.bias"] = (Stored(f"{there}.{theirs}.bias", (outputs,)),)
        for ours, theirs in _NORMS.items():
            places[f"{here}.{ours}.scale"] = (Stored(f"{there}.{theirs}.weight", (d,)),)
            places[f"{here}.{ours}.bias"] = (Stored(f"{there}.{theirs}.bias", (d,)),)
    return places


def names_in_file(name: str) -> tuple[str, ...]:
    """What a tensor may be called: with "bert." in front where the file also has a head; old files name the scale and
    shift of a norm gamma and beta."""
    old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
    return name, f"bert.{name}", old, f"bert.{old}"
