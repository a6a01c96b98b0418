"""Two plans that differ in one thing, to be trained on the same inputs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from encoder_core.support.wording import format_count
from encoder_core.training.plan import CHOICES, TrainingPlan

_DEFAULT = TrainingPlan()


class Comparison(NamedTuple):
    """A thing in which two plans can differ.

    title     in a list
    other     plan -> the plan that differs from it
    describe  plan -> its side, in a few words
    """

    title: str
    other: Callable[[TrainingPlan], TrainingPlan]
    describe: Callable[[TrainingPlan], str]


COMPARISONS: Mapping[str, Comparison] = {
    "norm": Comparison(
        "the other norm placement",
        lambda plan: replace(plan, norm="pre" if plan.norm == "post" else "post"),
        lambda plan: f"{plan.norm}-norm",
    ),
    "positions": Comparison(
        "with and without positions",
        lambda plan: replace(plan, positions=_DEFAULT.positions if plan.positions == "none" else "none"),
        lambda plan: "no positions" if plan.positions == "none" else f"{plan.positions} positions",
    ),
    "warm_up": Comparison(
        "with and without warm-up",
        lambda plan: replace(plan, warm_up=0 if plan.warm_up else _DEFAULT.warm_up),
        lambda plan: f"warm-up of {plan.warm_up_steps} steps" if plan.warm_up_steps else "no warm-up",
    ),
    "heads": Comparison(
        "one head and several",
        lambda plan: replace(plan, num_heads=_DEFAULT.num_heads if plan.num_heads == 1 else 1),
        lambda plan: f"{format_count(plan.num_heads, 'head')}, d_head {plan.config.d_head}",
    ),
    "seed": Comparison(
        "another seed",
        lambda plan: replace(plan, seed=(plan.seed + 1) % len(CHOICES["seed"])),
        lambda plan: f"seed {plan.seed}",
    ),
}
