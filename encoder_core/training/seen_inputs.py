"""How many of the test inputs of a run are among those of its training: few short inputs are different."""

from functools import lru_cache

import numpy as np

from encoder_core.training.plan import TrainingPlan
from encoder_core.training.task import Batch

NUM_TESTS = 256  # random test inputs
_TEST_SEED, _TRAINING_SEED = 1, 2  # together with the seed of the plan


def training_generator(plan: TrainingPlan) -> np.random.Generator:
    """Draws the inputs of the steps, one batch after the other."""
    return np.random.default_rng((plan.seed, _TRAINING_SEED))


def set_aside(plan: TrainingPlan) -> Batch:
    """The test inputs of a plan. Without `Task.draw_unseen`, short ones can occur in training, too."""
    return plan.definition.sample(np.random.default_rng((plan.seed, _TEST_SEED)), NUM_TESTS, unseen=True)


class SeenInputs:
    """Counts the first `count` test inputs of a plan that the steps have drawn, too."""

    def __init__(self, plan: TrainingPlan, count: int = NUM_TESTS) -> None:
        self._tests = [] if plan.definition.draw_unseen else _contents(set_aside(plan))[:count]
        self._unseen = set(self._tests)

    def add(self, batch: Batch) -> None:
        """Add the inputs of a step."""
        if self._unseen:
            self._unseen.difference_update(_contents(batch))

    @property
    def share(self) -> float:
        """The fraction of the test inputs that were drawn; 0 for a task that sets its test inputs aside."""
        return sum(content not in self._unseen for content in self._tests) / max(len(self._tests), 1)


@lru_cache(maxsize=64)
def share_seen(plan: TrainingPlan, count: int = NUM_TESTS) -> float:
    """The fraction of the first `count` test inputs that all steps of the plan draw, too.

    Takes up to half a second for 2,000 steps.
    """
    seen, generator = SeenInputs(plan, count), training_generator(plan)
    for _ in range(plan.steps):
        seen.add(plan.definition.sample(generator, plan.batch))
    return seen.share


def _contents(batch: Batch) -> list[bytes]:
    """The tokens of each input."""
    return [ids[real].tobytes() for ids, real in zip(batch.ids, batch.real, strict=True)]
