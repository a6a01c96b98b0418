"""What an encoder is made of: one frozen, validated description."""

from dataclasses import dataclass, fields
from numbers import Integral
from typing import Literal, get_args

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
_SIZES = ("vocab_size", "max_len", "d_model", "num_heads", "d_ff", "num_layers")
_SWITCHES = ("final_norm", "use_bias", "qkv_bias", "scale_scores", "output_head", "embedding_norm")


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """The sizes and the choices of a Transformer encoder (Vaswani et al. 2017, section 3).

    vocab_size        rows of the embedding table; ids are below it.
    max_len           longest sequence; rows of a learned position table.
    d_model           width of the residual stream.
    num_heads         attention heads; must divide `qkv_dim` (that is `d_model`, if not set).
    qkv_dim           width of q, k and v over all heads together; None means `d_model`.
    d_ff              hidden width of the feed-forward network.
    num_layers        number of encoder blocks.
    norm              "post": norm after the residual sum (the paper); "pre": norm before each sublayer.
    final_norm        one more norm after the last block (usual with "pre").
    norm_eps          added to the variance before the square root; 1e-12 <= norm_eps < 1.
    activation        "relu", "gelu" (exact, with erf) or "gelu_tanh" (its tanh approximation).
    activation_after  "first_linear": between the two linear layers (the paper, section 3.3); "second_linear": once,
                      after the second linear layer, with none between them: the two linear layers are then one affine
                      map (see `recipes.collapse`).
    positions         "sinusoidal" (section 3.5), "learned" or "none".
    position_layout   sinusoids: "interleaved" sine, cosine, sine, ... or "concatenated" sines, then cosines.
    position_frequencies  "pairs": dimensions 2i and 2i + 1 share 10000^(-2i / d_model) (the paper); "dimensions":
                      dimension j has one of its own, 10000^(-2j / d_model), and a sine no cosine to go with it.
    embedding_scale   looked-up rows times 1, sqrt(d_model) ("sqrt_d") or 1/sqrt(d_model) ("inv_sqrt_d").
    use_bias          biases on the linear layers (the norms keep their shift either way).
    qkv_bias          biases on the query, key and value layers, too; they need `use_bias`.
    dropout           rate in training, 0 <= rate < 1; a trace is in evaluation mode unless the edit `Dropout` is given.
    dropout_at        what loses numbers in training, as the trace names it: any of "embedded", "pattern", "attn_out",
                      "mlp_act" and "mlp_out" (the paper, section 5.4: what enters, and the outputs of both sublayers).
    scale_scores      divide q . k by sqrt(d_head); False leaves the division out.
    output_head       a final linear layer from d_model to vocab_size that gives logits.
    attention_read_out  "stack": a trace shows each block at work on what the block before it gave; "input": it shows
                      each block applied to the embedded input, as if it were the first. `output` and `logits` are
                      those of the stack either way.
    embedding_norm    a norm of embedding plus position, before dropout and the first block (BERT; Devlin et al. 2019).

    Raises ValueError naming the field, the value and what is allowed.
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
        for name in _SIZES if self.qkv_dim is None else (*_SIZES, "qkv_dim"):
            # An integer of NumPy becomes Python's, so that equal configs are one key.
            object.__setattr__(self, name, _positive_int(name, getattr(self, name)))
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                choices = ", ".join(repr(choice) for choice in allowed)
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {choices}.")
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False.")
        _require_number("norm_eps", self.norm_eps, 1e-12 <= _as_float(self.norm_eps) < 1, "at least 1e-12 and below 1")
        _require_number("dropout", self.dropout, 0 <= _as_float(self.dropout) < 1, "at least 0 and below 1")
        _require_places(self.dropout_at)
        if self.qkv_width % self.num_heads:
            name = "d_model" if self.qkv_dim is None else "qkv_dim"
            raise ValueError(
                f"num_heads={self.num_heads} does not divide {name}={self.qkv_width}: "
                f"{name} must be a multiple of num_heads."
            )

    @property
    def qkv_width(self) -> int:
        """Width of q, k and v over all heads together: `qkv_dim`, or `d_model` where it is None."""
        return self.d_model if self.qkv_dim is None else self.qkv_dim

    @property
    def d_head(self) -> int:
        """Width of one head: qkv_width / num_heads."""
        return self.qkv_width // self.num_heads


def embedding_factors(d_model: int) -> dict[EmbeddingScale, float]:
    """What looked-up rows are multiplied by, for each embedding scale (Vaswani et al. 2017, section 3.4: sqrt_d)."""
    return {"inv_sqrt_d": d_model**-0.5, "none": 1.0, "sqrt_d": d_model**0.5}


def field_names() -> tuple[str, ...]:
    """The names of all fields of `EncoderConfig`, in order."""
    return tuple(field.name for field in fields(EncoderConfig))


def _positive_int(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number of at least 1.")
    return int(value)


def _require_number(name: str, value: object, allowed: bool, limits: str) -> None:
    if not allowed:
        raise ValueError(f"{name}={value!r} must be a number {limits}.")


def _require_places(places: object) -> None:
    allowed = get_args(DropoutPlace)
    if not isinstance(places, tuple) or any(place not in allowed for place in places) or len(set(places)) < len(places):
        raise ValueError(f"dropout_at={places!r} must be a tuple of any of {', '.join(map(repr, allowed))}, each once.")


def _as_float(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")
