"""The configuration of an encoder: a frozen, validated dataclass."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from encoder_core.support.validation import (
    invalid_value,
    python_value,
    require_choice,
    require_integer,
    require_number,
    require_type,
)

Norm = Literal["post", "pre"]
Activation = Literal["relu", "gelu", "gelu_tanh"]
Positions = Literal["sinusoidal", "learned", "none"]
PositionLayout = Literal["interleaved", "concatenated"]
EmbeddingScale = Literal["none", "sqrt_d", "inv_sqrt_d"]
ActivationAfter = Literal["first_linear", "second_linear"]
PositionFrequencies = Literal["pairs", "dimensions"]
AttentionReadOut = Literal["stack", "input"]
DropoutPlace = Literal["embedded", "pattern", "attn_out", "mlp_act", "mlp_out"]

_CHOICES = {
    "norm": get_args(Norm),
    "activation": get_args(Activation),
    "activation_after": get_args(ActivationAfter),
    "positions": get_args(Positions),
    "position_layout": get_args(PositionLayout),
    "position_frequencies": get_args(PositionFrequencies),
    "embedding_scale": get_args(EmbeddingScale),
    "attention_read_out": get_args(AttentionReadOut),
}
MAX_SIZE = 1_000_000  # far beyond any encoder; NumPy's own errors begin at arrays of 2**63 numbers
_LARGEST = dict.fromkeys(("vocab_size", "max_len", "d_model", "num_heads", "qkv_dim", "d_ff"), MAX_SIZE) | {
    "num_layers": 1_000  # as many as the deepest known one has (Wang et al. 2022, "DeepNet")
}
_FLAGS = ("final_norm", "use_bias", "qkv_bias", "scale_scores", "output_head", "embedding_norm")


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Sizes and options of a Transformer encoder (Vaswani et al. 2017, section 3).

    Sizes are at most 1,000,000, and layers at most 1,000.

    vocab_size        rows of the embedding table; every token id is smaller.
    max_len           longest sequence; rows of a learned position table.
    d_model           width of the residual stream.
    num_heads         attention heads; must divide `qkv_dim` (`d_model` where `qkv_dim` is None).
    qkv_dim           width of q, k and v over all heads together; None means `d_model`.
    d_ff              hidden width of the feed-forward network.
    num_layers        number of encoder layers.
    norm              "post": norm after the residual sum (the paper); "pre": norm before each sublayer.
    final_norm        an additional norm after the last layer (usual with "pre").
    norm_eps          added to the variance before the square root; 1e-12 <= norm_eps < 1.
    activation        "relu", "gelu" (exact, with erf) or "gelu_tanh" (its tanh approximation).
    activation_after  "first_linear": activation between the two linear layers (the paper, section 3.3);
                      "second_linear": activation after the second linear layer and none between them. The two linear
                      layers are then equal to one affine map (see `recipes.collapse`).
    positions         "sinusoidal" (section 3.5), "learned" or "none".
    position_layout   "interleaved" sinusoids: sine, cosine, sine, ...; or "concatenated": all sines, then all cosines.
    position_frequencies  "pairs": dimensions 2i and 2i + 1 share the frequency 10000^(-2i / d_model) (the paper);
                      "dimensions": dimension j has the frequency 10000^(-2j / d_model), which no other dimension has.
    embedding_scale   factor on the looked-up rows: 1 ("none"), sqrt(d_model) ("sqrt_d") or 1/sqrt(d_model)
                      ("inv_sqrt_d").
    use_bias          biases in the linear layers (norms have a shift in either case).
    qkv_bias          biases in the query, key and value layers; has no effect without `use_bias`.
    dropout           dropout rate in training, 0 <= rate < 1. A trace is in evaluation mode unless it has the edit
                      `Dropout`.
    dropout_at        tensors of the trace that dropout is applied to in training: any of "embedded", "pattern",
                      "attn_out", "mlp_act" and "mlp_out". The default is that of the paper (section 5.4): the embedded
                      input and the outputs of both sublayers. A list, as in JSON, becomes a tuple.
    scale_scores      divide q . k by sqrt(d_head).
    output_head       a final linear layer from d_model to vocab_size, which computes logits.
    attention_read_out  "stack": the trace shows each layer applied to the output of the previous layer; "input": it
                      shows each layer applied to the embedded input. `output` and `logits` are those of the stack in
                      both cases.
    embedding_norm    a norm of embedding plus position, before dropout and the first layer (BERT; Devlin et al. 2019).

    Raises ValueError that names the field, its value and the allowed values.
    """

    vocab_size: int = 128
    max_len: int = 64
    d_model: int = 64
    num_heads: int = 4
    qkv_dim: int | None = None
    d_ff: int = 256
    num_layers: int = 2
    norm: Norm = "post"
    final_norm: bool = False
    norm_eps: float = 1e-5
    activation: Activation = "relu"
    activation_after: ActivationAfter = "first_linear"
    positions: Positions = "sinusoidal"
    position_layout: PositionLayout = "interleaved"
    position_frequencies: PositionFrequencies = "pairs"
    embedding_scale: EmbeddingScale = "none"
    use_bias: bool = True
    qkv_bias: bool = True
    dropout: float = 0.0
    dropout_at: tuple[DropoutPlace, ...] = ("embedded", "attn_out", "mlp_out")
    scale_scores: bool = True
    output_head: bool = False
    attention_read_out: AttentionReadOut = "stack"
    embedding_norm: bool = False

    def __post_init__(self) -> None:
        for name, high in _LARGEST.items():
            if name != "qkv_dim" or self.qkv_dim is not None:
                # Numbers of NumPy become numbers of Python, so that equal configurations have the same cache key.
                object.__setattr__(self, name, require_integer(name, getattr(self, name), 1, high))
        for name, choices in (_CHOICES | dict.fromkeys(_FLAGS, (True, False))).items():
            object.__setattr__(self, name, require_choice(name, getattr(self, name), choices))
        for name, low in (("norm_eps", 1e-12), ("dropout", 0)):
            object.__setattr__(self, name, require_number(name, getattr(self, name), low, 1, below_high=True))
        object.__setattr__(self, "dropout_at", _require_dropout_places(self.dropout_at))
        if self.qkv_width % self.num_heads:
            width = "d_model" if self.qkv_dim is None else "qkv_dim"
            raise invalid_value("num_heads", self.num_heads, f"divisors of {width}={self.qkv_width}")

    @property
    def qkv_width(self) -> int:
        """Width of q, k and v over all heads together: `qkv_dim`, or `d_model` where it is None."""
        return self.d_model if self.qkv_dim is None else self.qkv_dim

    @property
    def d_head(self) -> int:
        """Width of one head: qkv_width / num_heads."""
        return self.qkv_width // self.num_heads

    @property
    def has_chained_layers(self) -> bool:
        """Whether each layer of a trace reads the output of the layer before it."""
        return self.attention_read_out == "stack" or self.num_layers == 1

    @property
    def has_qkv_bias(self) -> bool:
        """Whether the query, key and value layers have biases."""
        return self.use_bias and self.qkv_bias


def embedding_factors(d_model: int) -> dict[EmbeddingScale, float]:
    """The factor on looked-up rows for each embedding scale (Vaswani et al. 2017, section 3.4: "sqrt_d").

    Raises ValueError unless the width is a whole number from 1.
    """
    d_model = require_integer("d_model", d_model, 1, MAX_SIZE)
    return {"inv_sqrt_d": d_model**-0.5, "none": 1.0, "sqrt_d": d_model**0.5}


def require_config(config: object) -> None:
    """Raises ValueError unless the value is a configuration."""
    require_type("config", config, EncoderConfig, "configurations, such as EncoderConfig(d_model=64)")


def require_chained_layers(config: EncoderConfig) -> None:
    """Raises ValueError where the layers of a trace are not those that compute the output."""
    if not config.has_chained_layers:
        raise ValueError(f"attention_read_out={config.attention_read_out!r} is invalid: allowed is 'stack'.")


def field_names() -> tuple[str, ...]:
    """The names of all fields of `EncoderConfig`, in order."""
    return tuple(field.name for field in fields(EncoderConfig))


def _require_dropout_places(places: Any) -> tuple[DropoutPlace, ...]:
    """The places as a tuple. Raises ValueError unless they are a tuple or list of different places."""
    allowed = get_args(DropoutPlace)
    are_places = isinstance(places, tuple | list) and all(isinstance(each, str) and each in allowed for each in places)
    if not are_places or len(set(places)) < len(places):
        raise invalid_value(
            "dropout_at", places, f"tuples and lists of {', '.join(map(repr, allowed))}, each at most once"
        )
    return tuple(map(python_value, places))
