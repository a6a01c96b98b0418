"""The settings of the sidebar as one frozen value that is always valid."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from dashboard.state.offered_encoders import OFFERED
from dashboard.state.parameter import describe_allowed, parse_whole_number
from dashboard.state.position_choice import PositionChoice, position_fields
from dashboard.state.session import session
from dashboard.state.setting_parameters import (
    DEFAULT_TEXT,
    DEFAULTS,
    MAX_TOKENS,
    OPTIONS,
    SETTINGS,
    available_settings,
    mask_setting,
    task_name,
)
from dashboard.state.text import has_words, truncate_text
from encoder_core import RECIPES, EncoderConfig
from encoder_core.config import Activation, EmbeddingScale, Norm
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.masks import MaskName
from encoder_core.recipes import Recipe, Variant
from encoder_core.recipes.article import SENTENCE
from encoder_core.training import Task, tasks


@dataclass(frozen=True)
class Settings:
    """The settings as one value: every field is among its OPTIONS, and `heads` divides `d_model`.

    Fields that cannot be chosen for the encoder, and a custom mask that is not in use, have their defaults. `input` is
    the text for an encoder whose task reads no sentences; empty stands for the task's example.
    """

    encoder: str
    variant: Variant
    text: str
    input: str
    run: str | None
    checkpoint: int | None
    train_task: str
    seed: int
    d_model: int
    heads: int
    d_ff: int
    layers: int
    norm: Norm
    activation: Activation
    positions: PositionChoice
    scale: EmbeddingScale
    mask: Literal["none", "padding", "causal", "both", "custom"]
    recipe_mask: Literal["tutorial", "none", "causal", "custom"]
    custom_mask: CustomMask
    scaled: bool
    bias: bool

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Settings":
        """The settings from a mapping of names to values. A missing or invalid value becomes its default."""
        values = dict(DEFAULTS)
        for key, options in OPTIONS.items():
            if key in state and state[key] in options:
                values[key] = state[key]
        text, _ = truncate_text(str(state.get("text", DEFAULT_TEXT)))
        values["text"] = text if has_words(text) else DEFAULT_TEXT
        values["input"], _ = truncate_text(str(state.get("input", "")))
        values["run"], values["checkpoint"] = state.get("run"), state.get("checkpoint")
        encoder = values["encoder"]
        if values[mask_setting(encoder)] == "custom" and isinstance(state.get("custom_mask"), CustomMask):
            values["custom_mask"] = state["custom_mask"]
        values["d_model"] = nearest_d_model(values["d_model"], values["heads"])
        return cls(**DEFAULTS | {key: values[key] for key in available_settings(encoder, values["train_task"])})

    @property
    def recipe(self) -> Recipe | None:
        """The chosen recipe; None for any other encoder."""
        return RECIPES.get(self.encoder)

    @property
    def trained(self) -> str | None:
        """The chosen trained encoder, as a name on the hub or a folder; None for any other encoder."""
        return OFFERED.get(self.encoder)

    @property
    def task(self) -> Task | None:
        """The task that the chosen encoder was trained on; None for an encoder without a task."""
        name = task_name(self.encoder, self.train_task)
        return tasks()[name] if name else None

    @property
    def reads_sentences(self) -> bool:
        """Whether the input is the text, and no other sequence of signs, as for some tasks."""
        return self.task is None or self.task.reads_sentences

    @property
    def has_words(self) -> bool:
        """Whether the tokens are words of the text: not the fixed batch of a recipe, and no signs of a task."""
        return self.recipe is None and self.reads_sentences

    @property
    def sentences(self) -> list[str]:
        """The lines of the text, or of the input of the task, without blank lines."""
        text = self.text if self.reads_sentences else self.input
        return [line.strip() for line in text.splitlines() if line.strip()]

    @property
    def example(self) -> str:
        """The sentence that is used instead of a text that the encoder cannot read."""
        return SENTENCE if self.task is None or self.task.reads_sentences else self.task.examples[0]

    @property
    def has_custom_mask(self) -> bool:
        """Whether the user's own mask is in use."""
        return "custom" in (self.mask, self.recipe_mask)

    @property
    def without_custom_mask(self) -> "Settings":
        """The same settings with the default masks."""
        return replace(self, **{key: DEFAULTS[key] for key in ("mask", "recipe_mask", "custom_mask")})

    @property
    def mask_name(self) -> MaskName | None:
        """The name of the mask for `Encoder.trace`, if it is not a custom one."""
        names: dict[str, MaskName] = {"padding": "padding", "causal": "causal", "both": "causal+padding"}
        return names.get(self.mask)

    def config(self, vocab_size: int) -> EncoderConfig:
        """The configuration of a random encoder with these settings, for a vocabulary of this size."""
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
            **position_fields(self.positions),
        )


def _widths(heads: int) -> list[int]:
    """The options of d_model that `heads` divide."""
    return [width for width in OPTIONS["d_model"] if width % heads == 0]


def _describe_widths(heads: int) -> str:
    """Which d_model a link can have next to this number of heads."""
    widths = _widths(heads)
    allowed = describe_allowed(range(widths[0], widths[-1] + 1, widths[0]))
    return allowed if widths == list(OPTIONS["d_model"]) else f"{allowed} with {heads} heads"


def nearest_d_model(d_model: int, heads: int, direction: int = 0) -> int:
    """The allowed multiple of `heads` nearest to d_model; at least d_model for direction 1, at most for -1,
    if there is one."""
    valid = _widths(heads)
    ahead = [width for width in valid if (width - d_model) * direction >= 0] or valid
    return min(ahead, key=lambda width: (abs(width - d_model), width))


def current_settings() -> Settings:
    """The settings of this session. A d_model that is not a multiple of heads, possible in a link, is corrected."""
    current = session()
    version, settings = current.memo.get("settings", (None, None))
    if version == current.version:
        return settings
    values = {key: current.get(parameter) for key, parameter in SETTINGS.items()}
    d_model, heads = values["d_model"], values["heads"]
    rejected = current.rejected_text(SETTINGS["d_model"])  # it is not the user who has chosen `d_model`
    if rejected is not None:
        if d_model % heads:  # the default is no multiple of `heads`, either
            number = parse_whole_number(rejected)
            values["d_model"] = nearest_d_model(d_model if number is None else number, heads)
            current.set_derived(SETTINGS["d_model"], values["d_model"])
        current.report_invalid(SETTINGS["d_model"], _describe_widths(heads), values["d_model"])
    elif d_model % heads:
        values["d_model"] = nearest_d_model(d_model, heads)
        correct_d_model(values["d_model"], rejected=d_model)
    settings = Settings.from_state(values)
    current.memo["settings"] = (current.version, settings)
    return settings


def correct_d_model(d_model: int, rejected: int) -> None:
    """Set d_model, with a note on the rejected value."""
    current = session()
    current.set_derived(SETTINGS["d_model"], d_model)
    heads = current.get(SETTINGS["heads"])
    current.notes["d_model"] = f"{rejected} is not a multiple of {heads} heads: d_model is {d_model} now."
