"""The small trained encoders that are part of this package: how they were trained, and how to open them.

Their weights and one model card each are in the folder `shipped_encoders`; `python -m encoder_core.training.ship` makes
both.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from importlib.resources import files
from typing import TypeVar

from safetensors.numpy import load

from encoder_core.encoder import Encoder
from encoder_core.support.once import once
from encoder_core.support.validation import require_choice
from encoder_core.training.plan import TrainingPlan

FOLDER = "shipped_encoders"

Made = TypeVar("Made")

_SMALL = TrainingPlan(d_model=32, num_heads=2, d_ff=64, steps=2000)
PLANS: Mapping[str, TrainingPlan] = {
    "reverse": replace(_SMALL, task="reverse"),
    "bracket": replace(_SMALL, task="bracket"),
    "repeat": replace(_SMALL, task="repeat", steps=4000),
    "words": TrainingPlan(task="words", d_model=64, steps=2000),
}


def _made_once(make: Callable[[str], Made]) -> Callable[[str], Made]:
    """What is made for a name of PLANS, made once. Raises ValueError, which lists the names, for others."""
    cached = once(make)

    @wraps(make)
    def call(name: str) -> Made:
        require_choice("name", name, PLANS)  # before the cache, which can look up only what is hashable
        return cached(name)

    return call


@_made_once
def trained_encoder(name: str) -> Encoder:
    """The trained encoder of a task, shared by all callers. Raises ValueError, which lists the names, for others."""
    plan = PLANS[name]
    weights = files("encoder_core.training").joinpath(FOLDER, f"{name}.safetensors").read_bytes()
    return Encoder.from_parameters(plan.config, load(weights), tokenizer=plan.definition.tokenizer)


@_made_once
def model_card(name: str) -> str:
    """What the encoder of a task is, how it was trained and measured, and its limits, in markdown.

    Raises ValueError, which lists the names, for others.
    """
    return files("encoder_core.training").joinpath(FOLDER, f"{name}.md").read_text(encoding="utf-8")


@_made_once
def initial_encoder(name: str) -> Encoder:
    """The same encoder before its training, with the random parameters that the training began with.

    Raises ValueError, which lists the names, for others.
    """
    plan = PLANS[name]
    return Encoder.random(plan.config, plan.seed, tokenizer=plan.definition.tokenizer)
