"""What the user chose in the sidebar: one frozen value, always valid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dashboard.state.offered_encoders import OFFERED
from dashboard.state.parameter import Parameter, declare, option
from dashboard.state.session import session
from encoder_core import RECIPES, EncoderConfig
from encoder_core.config import Activation, EmbeddingScale, Norm
from encoder_core.inputs.masks import MaskName
from encoder_core.inputs.tokenizer import split_words
from encoder_core.recipes import VARIANTS, Recipe, Variant

# Of sinusoids, the layout and the frequencies are chosen with them.
PositionChoice = Literal["sinusoidal", "concatenated", "per_dimension", "learned", "none"]

DEFAULT_TEXT = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
MAX_CHARACTERS, MAX_SENTENCES, MAX_TOKENS = 2_000, 8, 64

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
OF_TRAINED = ("encoder", "text", "mask")  # all that can be chosen with a trained encoder

SETTINGS: dict[str, Parameter[Any]] = {
    key: option(key, OPTIONS[key], default, steps=key == "encoder")
    if key in OPTIONS
    else declare(Parameter(key, default, lambda given: fit_text(given)[0]))
    for key, default in DEFAULTS.items()
}

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


def current_settings() -> Settings:
    """The settings of this session. A width that the heads do not divide, as a link may ask for, is corrected."""
    current = session()
    chosen = {key: current.get(parameter) for key, parameter in SETTINGS.items()}
    held = current.memo.get("settings")
    if held and held[0] == chosen:
        return held[1]
    width, heads = chosen["d_model"], chosen["heads"]
    if width % heads:
        set_width(nearest_width(width, heads), asked=width)
        chosen["d_model"] = current.get(SETTINGS["d_model"])
    found = Settings.from_state(chosen)
    current.memo["settings"] = (chosen, found)
    return found


def move_size(key: str, value: int) -> None:
    """The user moves d_model or heads: d_model becomes the nearest multiple of heads in the direction of the move."""
    current = session()
    before = current.get(SETTINGS["d_model"])
    current.set(SETTINGS[key], value)
    width, heads = current.get(SETTINGS["d_model"]), current.get(SETTINGS["heads"])
    valid = nearest_width(width, heads, direction=(width > before) - (width < before))
    if valid != width:
        set_width(valid, asked=width)


def set_width(width: int, asked: int) -> None:
    """Correct d_model, and say so."""
    current = session()
    current.put(SETTINGS["d_model"], width)
    heads = current.get(SETTINGS["heads"])
    current.notes["d_model"] = f"{asked} is not a multiple of {heads} heads: d_model is {width} now."


def change_text(given: str) -> None:
    """The user typed another text; what is beyond the limits is cut, and that is said."""
    text, problem = fit_text(given)
    session().set(SETTINGS["text"], text)
    if problem:
        session().notes["text"] = problem
