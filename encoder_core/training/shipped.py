"""The small trained encoders that are part of this package: how they were trained, and how to open them.

Their weights and one model card each are in the folder `shipped_encoders`; `python -m encoder_core.training.ship` makes
both.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from safetensors.numpy import load

from encoder_core.encoder import Encoder
from encoder_core.training.plan import TrainingPlan
from encoder_core.validation import require_choice

FOLDER = "shipped_encoders"

_SMALL = TrainingPlan(d_model=32, num_heads=2, d_ff=64, steps=2000)
PLANS: Mapping[str, TrainingPlan] = {
    "reverse": replace(_SMALL, task="reverse"),
    "bracket": replace(_SMALL, task="bracket"),
    "repeat": replace(_SMALL, task="repeat", steps=4000),
    "words": TrainingPlan(task="words", d_model=64, steps=2000),
}


def trained_encoder(name: str) -> Encoder:
    """The trained encoder of a task, shared by all callers. Raises ValueError, which lists the names, for others."""
    require_choice("name", name, PLANS)  # before the cache, which can look up only what is hashable
    return _trained_encoder(name)


def model_card(name: str) -> str:
    """What the encoder of a task is, how it was trained and measured, and its limits, in markdown.

    Raises ValueError, which lists the names, for others.
    """
    require_choice("name", name, PLANS)
    return _model_card(name)


def initial_encoder(name: str) -> Encoder:
    """The same encoder before its training, with the random parameters that the training began with.

    Raises ValueError, which lists the names, for others.
    """
    require_choice("name", name, PLANS)
    return _initial_encoder(name)


@cache
def _trained_encoder(name: str) -> Encoder:
    plan = PLANS[name]
    weights = files("encoder_core.training").joinpath(FOLDER, f"{name}.safetensors").read_bytes()
    return Encoder.from_parameters(plan.config, load(weights), tokenizer=plan.definition.tokenizer)


@cache
def _model_card(name: str) -> str:
    return files("encoder_core.training").joinpath(FOLDER, f"{name}.md").read_text(encoding="utf-8")


@cache
def _initial_encoder(name: str) -> Encoder:
    plan = PLANS[name]
    return Encoder.random(plan.config, plan.seed, tokenizer=plan.definition.tokenizer)
