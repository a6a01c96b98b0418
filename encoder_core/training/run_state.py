"""The state of a training run, and the check that it is one of a plan."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import jax
import numpy as np
import optax

from encoder_core.parameters import Parameters
from encoder_core.support.validation import invalid_value, require_integer, require_type
from encoder_core.training.plan import TrainingPlan

GENERATOR_STATES = "states of a random generator, as in `TrainingRun.state`"


class RunState(NamedTuple):
    """All that a run needs to continue in another process, as NumPy arrays.

    step        number of steps so far
    parameters  as in `Encoder.parameters`
    optimizer   the averages of AdamW
    generator   the state of the random generator of the inputs
    plan        of the run
    """

    step: int
    parameters: Parameters
    optimizer: optax.OptState
    generator: dict[str, Any]
    plan: TrainingPlan

    def __repr__(self) -> str:
        return f"RunState(step={self.step}, num_bytes={self.num_bytes})"

    @property
    def num_bytes(self) -> int:
        """Memory of the parameters and the averages of the optimizer."""
        return sum(np.asarray(leaf).nbytes for leaf in jax.tree.leaves((dict(self.parameters), self.optimizer)))


def require_state_of(plan: TrainingPlan, state: RunState, initial: RunState) -> None:
    """Raises ValueError unless the state is of this plan, and has the names, types and shapes of `initial`, that before
    the first step."""
    require_type("plan", state.plan, TrainingPlan, "plans")
    if others := [
        f"{field.name}={of_state!r} instead of {of_plan!r}"
        for field in fields(plan)
        if (of_state := getattr(state.plan, field.name)) != (of_plan := getattr(plan, field.name))
    ]:
        raise ValueError(f"the state is one of another plan: it has {', '.join(others)}.")
    require_integer("step", state.step, 0, plan.steps)
    if not isinstance(state.parameters, Mapping):
        raise invalid_value("parameters", state.parameters, "dictionaries like that of `TrainingRun.parameters`")
    given, needed = (
        {name: _type_and_shape(array) for name, array in parameters.items()}
        for parameters in (state.parameters, initial.parameters)
    )
    for name in sorted(given.keys() | needed.keys(), key=str):
        if given.get(name) != needed.get(name):
            raise ValueError(
                f"the state is not one of this plan: its parameter {name!r} is {given.get(name)}, and that of the plan "
                f"is {needed.get(name)} (None: there is no such parameter)."
            )
    if _types_of_tree(state.optimizer) != _types_of_tree(initial.optimizer):
        raise ValueError(
            "the state is not one of this plan: the averages of the optimizer have other names, types or shapes."
        )
    if not isinstance(state.generator, Mapping) or state.generator.keys() != initial.generator.keys():
        raise invalid_value("generator", state.generator, GENERATOR_STATES)


def _type_and_shape(value: object) -> str:
    """Such as "float32 of shape (3, 2)"; of what is no array, the name of its class."""
    if not isinstance(value, np.ndarray | np.generic | jax.Array):
        return type(value).__name__
    return f"{value.dtype} of shape {value.shape}"


def _types_of_tree(tree: optax.OptState) -> tuple[Any, list[str]]:
    return jax.tree.structure(tree), [_type_and_shape(leaf) for leaf in jax.tree.leaves(tree)]
