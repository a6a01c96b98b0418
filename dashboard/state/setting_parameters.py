"""The parameters of the settings of the sidebar: what each can be, its default, and how a link writes it."""

from collections.abc import Sequence
from typing import Any, Literal

from dashboard.state.offered_encoders import CHECKPOINT, OFFERED, RANDOM, TASK_ENCODERS
from dashboard.state.parameter import Parameter, declare, declare_number, declare_option, declare_pattern
from dashboard.state.text import truncate_text
from encoder_core import RECIPES
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.mask_link import format_mask, parse_mask
from encoder_core.recipes import VARIANTS
from encoder_core.recipes.article import SENTENCE
from encoder_core.training import TrainingPlan, tasks
from encoder_core.training.shipped import PLANS

# Two sentences of different lengths: the first is padded, so that a mask has something to hide. In both, "it" stands
# for an animal that is not the nearest noun.
DEFAULT_TEXT = f"{SENTENCE}\nThe dog ran to the river, drank water and slept under the table, because it was very tired"
MAX_TOKENS = 64

WORDS = "words"  # the only one of TASK_ENCODERS that reads sentences

# The controls of the sidebar, by the name of their parameter in the URL.
DEFAULTS: dict[str, Any] = {
    "encoder": RANDOM,
    "variant": "as intended",
    "text": DEFAULT_TEXT,
    "input": "",
    "run": None,
    "checkpoint": None,
    "train_task": TrainingPlan().task,
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
    "recipe_mask": "tutorial",
    "custom_mask": CustomMask(),
    "scaled": True,
    "bias": True,
}
OPTIONS: dict[str, Sequence[Any]] = {
    "encoder": (RANDOM, *OFFERED, *TASK_ENCODERS, CHECKPOINT, *RECIPES),
    "train_task": tuple(tasks()),
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
    "mask": ("none", "padding", "causal", "both", "custom"),
    "recipe_mask": ("tutorial", "none", "causal", "custom"),
    "scaled": (True, False),
    "bias": (True, False),
}
# The user can choose these for a recipe; the recipe defines the rest.
RECIPE_SETTINGS = ("encoder", "variant", "seed", "recipe_mask", "custom_mask")
TRAINED_SETTINGS = ("encoder", "text", "mask", "custom_mask")  # the user can choose these for a trained encoder
_RUN_SETTINGS = ("run", "checkpoint", "train_task")
_RANDOM_SETTINGS = tuple(key for key in DEFAULTS if key not in ("variant", "recipe_mask", "input", *_RUN_SETTINGS))
TASK_SETTINGS = ("encoder", "input", "mask", "custom_mask")  # for one whose task reads no sentences


def _declare_setting(key: str, default: Any) -> Parameter[Any]:
    if key in ("text", "input"):
        return declare(Parameter(key, default, lambda text: truncate_text(text)[0]))
    if key == "custom_mask":
        return declare(Parameter(key, default, parse_mask, format_mask))
    if key == "run":
        # Back shows the run before: only the URL names it.
        return declare_pattern(key, r"[0-9a-f]{10}", "ids of training runs, of 10 digits and letters from a to f",
                               adds_history_entry=True)  # fmt: skip
    if key == "checkpoint":
        return declare_number(key, 0)
    return declare_option(key, OPTIONS[key], default, adds_history_entry=key == "encoder")


SETTINGS: dict[str, Parameter[Any]] = {key: _declare_setting(key, default) for key, default in DEFAULTS.items()}


def task_name(encoder: str, train_task: str) -> str | None:
    """The name of the task that an encoder was trained on; None for an encoder without a task."""
    return PLANS[encoder].task if encoder in TASK_ENCODERS else train_task if encoder == CHECKPOINT else None


def available_settings(encoder: str, train_task: str = TrainingPlan().task) -> Sequence[str]:
    """The names of the settings that the user can choose for an encoder, or for a checkpoint of a run on a task."""
    if encoder in OFFERED:
        return TRAINED_SETTINGS
    task = task_name(encoder, train_task)
    if task:
        names = TRAINED_SETTINGS if tasks()[task].reads_sentences else TASK_SETTINGS
        return (*names, *_RUN_SETTINGS) if encoder == CHECKPOINT else names
    return RECIPE_SETTINGS if encoder in RECIPES else _RANDOM_SETTINGS


def mask_setting(encoder: str) -> Literal["mask", "recipe_mask"]:
    """The setting with the mask of an encoder: a recipe has its tutorial's mask until the user chooses another one."""
    return "recipe_mask" if encoder in RECIPES else "mask"
