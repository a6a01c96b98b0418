"""What the person chose: one frozen value, from the sidebar's widgets or a link, always valid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dashboard.appearance import sentence
from dashboard.trained.offered import OFFERED
from encoder_core import RECIPES, EncoderConfig
from encoder_core.config import Activation, EmbeddingScale, Norm
from encoder_core.figures.base import shorten
from encoder_core.masks import MaskName
from encoder_core.recipes import VARIANTS, Recipe, Variant
from encoder_core.tokenizer import split_words

# Of sinusoids, the layout and the frequencies are chosen with them.
PositionChoice = Literal["sinusoidal", "concatenated", "per_dimension", "learned", "none"]

DEFAULT_TEXT = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
MAX_CHARACTERS, MAX_SENTENCES, MAX_TOKENS = 2_000, 8, 64
MOST_QUOTED = 20  # characters of what a link says, where it is said that it cannot be had

RANDOM = "random"  # the encoder with parameters drawn from the seed, sizes and text as chosen

# Every control in the sidebar: its key is its parameter in the URL.
DEFAULTS: dict[str, Any] = {
    "encoder": RANDOM,
    "variant": "as intended",
    "text": DEFAULT_TEXT,
    "seed": 0,
    "d_model": 64,
    "heads": 4,
    "d_ff": 256,
    "layers": 4,
    "norm": "post",
    "activation": "relu",
    "positions": "sinusoidal",
    "scale": "none",
    "mask": "padding",
    "scaled": True,
    "bias": True,
}
OPTIONS: dict[str, Sequence[Any]] = {
    "encoder": (RANDOM, *OFFERED, *RECIPES),
    "variant": VARIANTS,
    "seed": range(100),
    "d_model": range(4, 257, 4),
    "heads": range(1, 17),
    "d_ff": range(8, 1025, 8),
    "layers": range(1, 13),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu", "gelu_tanh"),
    "positions": ("sinusoidal", "concatenated", "learned", "none"),
    "scale": ("none", "sqrt_d", "inv_sqrt_d"),
    "mask": ("none", "padding", "causal", "both"),
    "scaled": (True, False),
    "bias": (True, False),
}
OF_RECIPES = ("encoder", "variant", "seed")  # all that can be chosen with a recipe: the rest is the recipe's own
_MOST_SPOKEN = 12  # options in a sentence
OF_TRAINED = ("encoder", "text", "mask")  # all that can be chosen with a trained encoder

_POSITIONS: dict[PositionChoice, dict[str, Any]] = {
    "sinusoidal": {"positions": "sinusoidal"},
    "concatenated": {"positions": "sinusoidal", "position_layout": "concatenated"},
    "per_dimension": {"positions": "sinusoidal", "position_frequencies": "dimensions"},
    "learned": {"positions": "learned"},
    "none": {"positions": "none"},
}


def with_positions(config: EncoderConfig, choice: PositionChoice) -> EncoderConfig:
    """The same encoder with other positions."""
    plain = {"position_layout": "interleaved", "position_frequencies": "pairs"}
    return replace(config, **plain | _POSITIONS[choice])


def positions_of(config: EncoderConfig) -> PositionChoice:
    """The positions of an encoder as one choice."""
    return next(choice for choice in _POSITIONS if with_positions(config, choice) == config)


@dataclass(frozen=True)
class Settings:
    """The sidebar as one value: every field is among its OPTIONS, and `heads` divides `d_model`.

    With a recipe or a trained encoder, the fields that are not chosen with it have their defaults.
    """

    encoder: str
    variant: Variant
    text: str
    seed: int
    d_model: int
    heads: int
    d_ff: int
    layers: int
    norm: Norm
    activation: Activation
    positions: PositionChoice
    scale: EmbeddingScale
    mask: Literal["none", "padding", "causal", "both"]
    scaled: bool
    bias: bool

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Settings":
        """The settings in the widgets' state; what is missing or not allowed there takes its default."""
        chosen = dict(DEFAULTS)
        for key, options in OPTIONS.items():
            if key in state and state[key] in options:
                chosen[key] = state[key]
        text, _ = fit_text(str(state.get("text", DEFAULT_TEXT)))
        chosen["text"] = text if split_words(text) else DEFAULT_TEXT
        if chosen["encoder"] != RANDOM:
            return cls(**DEFAULTS | {key: chosen[key] for key in chosen_with(chosen["encoder"])})
        chosen["variant"] = DEFAULTS["variant"]
        chosen["d_model"] = nearest_width(chosen["d_model"], chosen["heads"])
        return cls(**chosen)

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that is chosen, if one is."""
        return RECIPES.get(self.encoder)

    @property
    def trained(self) -> str | None:
        """The name of the trained encoder that is chosen, if one is."""
        return OFFERED.get(self.encoder)

    @property
    def sentences(self) -> list[str]:
        """One sentence a line of the text; blank lines do not count."""
        return [line.strip() for line in self.text.splitlines() if line.strip()]

    @property
    def mask_name(self) -> MaskName | None:
        """The mask as `Encoder.trace` names it."""
        if self.mask == "none":
            return None
        return "causal+padding" if self.mask == "both" else self.mask

    def config(self, vocab_size: int) -> EncoderConfig:
        """The encoder these settings describe, for a vocabulary of this size."""
        return EncoderConfig(
            vocab_size=vocab_size,
            max_len=MAX_TOKENS,
            d_model=self.d_model,
            num_heads=self.heads,
            d_ff=self.d_ff,
            num_layers=self.layers,
            norm=self.norm,
            final_norm=self.norm == "pre",
            activation=self.activation,
            embedding_scale=self.scale,
            scale_scores=self.scaled,
            use_bias=self.bias,
            **_POSITIONS[self.positions],
        )


def chosen_with(encoder: str) -> Sequence[str]:
    """The settings that can be chosen with an encoder."""
    if encoder in OFFERED:
        return OF_TRAINED
    return OF_RECIPES if encoder in RECIPES else list(DEFAULTS)


def nearest_width(d_model: int, heads: int, direction: int = 0) -> int:
    """The allowed d_model nearest to this one that `heads` divides; above it with direction 1, below with -1."""
    valid = [width for width in OPTIONS["d_model"] if width % heads == 0]
    ahead = [width for width in valid if (width - d_model) * direction >= 0] or valid
    return min(ahead, key=lambda width: (abs(width - d_model), width))


def fit_text(text: str) -> tuple[str, str | None]:
    """The text within the limits, and a sentence that says what was cut, if anything was."""
    lines = [line for line in text[:MAX_CHARACTERS].splitlines() if line.strip()]
    if len(text) > MAX_CHARACTERS:
        return "\n".join(lines[:MAX_SENTENCES]), (
            f"The text had {len(text):,} characters; the first {MAX_CHARACTERS:,} are used."
        )
    if len(lines) > MAX_SENTENCES:
        return "\n".join(lines[:MAX_SENTENCES]), (
            f"The text had {len(lines)} lines; the first {MAX_SENTENCES} are used, one sentence a line."
        )
    return text, None


def link_problems(params: Mapping[str, Sequence[str]], used: Settings) -> list[str]:
    """One sentence for each parameter of a link that says something not allowed, and what is used instead."""
    asked = [key for key in chosen_with(used.encoder) if key in OPTIONS]
    found = (link_problem(key, params.get(key, []), OPTIONS[key], getattr(used, key)) for key in asked)
    return [problem for problem in found if problem]


def link_problem(key: str, given: Sequence[str], options: Sequence[Any], used: Any) -> str | None:
    """One sentence for markdown, if a link gives this parameter a value that is not among the options, or several."""
    in_use = f"{_spoken(used)} is used."
    if len(given) > 1:
        return f"The link gives {key} {len(given)} times; {in_use}"
    if given and _parse(given[0], options[0]) not in options:
        return f"The link asks for {key} = “{sentence(shorten(given[0], MOST_QUOTED))}”; {_allowed(options)}. {in_use}"
    return None


def _parse(text: str, like: Any) -> Any:
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text.lower())
    if isinstance(like, int):
        return int(text) if len(text) < 9 and text.isdecimal() and str(int(text)) == text else None
    return text


def _allowed(options: Sequence[Any]) -> str:
    if isinstance(options, range):
        step = f" in steps of {options.step}" if options.step > 1 else ""
        return f"allowed are {options[0]} to {options[-1]}{step}"
    spoken = [_spoken(option) for option in options]
    if len(spoken) > _MOST_SPOKEN:
        spoken = [*spoken[:2], "…", *spoken[-2:]]
    return "allowed are " + ", ".join(spoken)


def _spoken(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
