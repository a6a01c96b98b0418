"""One training run: updates by AdamW on random inputs of the task, and measurements on test inputs."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, Shaped

from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.parameters import ParameterDict, draw_parameters
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_integer, require_type
from encoder_core.training.network import ParameterArrays, forward_logits
from encoder_core.training.plan import CHUNK, TrainingPlan
from encoder_core.training.run_state import GENERATOR_STATES, RunState, require_state_of
from encoder_core.training.seen_inputs import SeenInputs, set_aside, training_generator
from encoder_core.training.task import Batch

_TOO_LARGE = 3.0  # a loss of so many times that of a uniform guess counts as divergence
# AdamW (Loshchilov & Hutter 2019). Without weight decay, the scores keep growing after all outputs are right: after
# 2,000 steps of reverse up to 45 instead of 16, so that most weights are 1 or invisible.
_OPTIMIZER = optax.chain(optax.scale_by_adam(b2=0.98), optax.add_decayed_weights(0.3))
_start_optimizer = jax.jit(_OPTIMIZER.init)  # as single operations it is a program for each shape


@compared_by_identity
class Steps(NamedTuple):
    """What was measured in each of some consecutive steps, before its update.

    loss            (step,) mean cross-entropy of the scored outputs, in nats
    accuracy        (step,) fraction of the scored outputs that are right
    gradient_norms  (step, part) Euclidean norm of the gradient of each part in `TrainingRun.parts`
    """

    loss: Float[np.ndarray, "step"]
    accuracy: Float[np.ndarray, "step"]
    gradient_norms: Float[np.ndarray, "step part"]


class Diverged(ValueError):
    """The loss is no finite number or far above that of a guess; the message is one sentence.

    step   the step that diverged, counted from 1
    steps  what was measured in the steps of the call up to this one
    """

    def __init__(self, message: str, step: int, steps: Steps) -> None:
        super().__init__(message)
        self.step, self.steps = step, steps


class Evaluation(NamedTuple):
    """Measured on test inputs.

    loss               mean cross-entropy of the scored outputs, in nats
    accuracy           fraction of the scored outputs that are right
    sequence_accuracy  fraction of the inputs whose scored outputs are all right
    seen               fraction of the inputs that were among those of the steps so far, too
    """

    loss: float
    accuracy: float
    sequence_accuracy: float
    seen: float


class TrainingRun:
    """A run: its parameters, those of the optimizer, and the number of steps so far.

    `state` continues a run of the same plan. The first call of `advance` and of `evaluate` compiles, once for each
    configuration and batch size in a process. Raises ValueError for another type of plan or state, and for a state of
    another plan, or which does not have the names, types and shapes of the plan's.
    """

    def __init__(self, plan: TrainingPlan, state: RunState | None = None) -> None:
        require_type("plan", plan, TrainingPlan, 'plans, such as TrainingPlan(task="reverse")')
        require_type("state", state, RunState | None, "None and states of a run")
        self.plan = plan
        self.config = plan.config
        self.step = 0
        self.parts = plan.parts
        self._parameters: ParameterArrays = {
            name: jnp.asarray(array) for name, array in draw_parameters(self.config, plan.seed).items()
        }
        self._optimizer = _start_optimizer(self._parameters)
        self._generator = training_generator(plan)
        self._tests, self._seen = set_aside(plan), SeenInputs(plan)
        if state is not None:
            require_state_of(plan, state, self.state())
            for _ in range(state.step):
                self._draw()
            self.step = state.step
            self._parameters, self._optimizer = jax.tree.map(jnp.asarray, (state.parameters, state.optimizer))
            try:
                self._generator.bit_generator.state = state.generator
            except (KeyError, OverflowError, TypeError, ValueError):
                raise invalid_value("generator", state.generator, GENERATOR_STATES) from None

    def __repr__(self) -> str:
        return f"TrainingRun(task={self.plan.task!r}, seed={self.plan.seed}, step={self.step} of {self.plan.steps})"

    def advance(self, count: int) -> Steps:
        """Make `count` updates, or fewer if the run ends before. Raises Diverged after a step that diverges.

        Raises ValueError unless `count` is a whole number from 0.
        """
        count = require_integer("count", count, 0)
        start, end = self.step, min(self.step + count, self.plan.steps)
        guess = float(np.log(self.config.vocab_size))
        steps = Steps(np.zeros(0, np.float32), np.zeros(0, np.float32), np.zeros((0, len(self.parts)), np.float32))
        while self.step < end:
            chunk = self._advance_chunk(min(CHUNK, end - self.step))
            steps = Steps(*(np.concatenate(arrays) for arrays in zip(steps, chunk, strict=True)))
            is_too_large = ~(steps.loss < _TOO_LARGE * guess)
            if is_too_large.any():
                last = int(is_too_large.argmax())
                size = f"{steps.loss[last]:.3g}" if np.isfinite(steps.loss[last]) else "not a number"
                raise Diverged(
                    f"the run diverged at step {start + last + 1:,}: the loss is {size}, and a uniform guess has "
                    f"{guess:.3g}. A smaller learning rate helps.",
                    start + last + 1,
                    Steps(*(array[: last + 1] for array in steps)),
                )
        return steps

    def evaluate(self) -> Evaluation:
        """The loss and the accuracy on the test inputs."""
        tests = map(jnp.asarray, self._tests)
        loss, accuracy, sequences = map(float, _evaluate(self.config, self._parameters, *tests))
        return Evaluation(loss, accuracy, sequences, self._seen.share)

    def parameters(self) -> ParameterDict:
        """The parameters after the latest step, as in `Encoder.parameters`."""
        return {name: np.asarray(array) for name, array in self._parameters.items()}

    def state(self) -> RunState:
        """The state after the latest step."""
        optimizer = jax.tree.map(np.asarray, self._optimizer)
        return RunState(self.step, self.parameters(), optimizer, dict(self._generator.bit_generator.state), self.plan)

    def encoder(self) -> Encoder:
        """The encoder after the latest step."""
        return Encoder.from_parameters(self.config, self.parameters(), tokenizer=self.plan.definition.tokenizer)

    def _draw(self) -> Batch:
        """The inputs of the next step."""
        batch = self.plan.definition.sample(self._generator, self.plan.batch)
        self._seen.add(batch)
        return batch

    def _advance_chunk(self, count: int) -> Steps:
        samples = [self._draw() for _ in range(count)]
        # The compiled program looks at the first `count` only. Programs are compiled for each other number.
        samples += samples[:1] * (CHUNK - count)
        rates = self.plan.learning_rates(self.step, CHUNK)
        batches = tuple(jnp.asarray(np.stack(arrays)) for arrays in zip(*samples, strict=True))
        self._parameters, self._optimizer, measured = _train(
            self.config, self._parameters, self._optimizer, batches, jnp.asarray(rates), count
        )
        self.step += count
        return Steps(*(np.asarray(array)[:count] for array in measured))


def _loss(
    parameters: ParameterArrays,
    config: EncoderConfig,
    ids: Int[Array, "batch seq"],
    real: Bool[Array, "batch seq"],
    targets: Int[Array, "batch seq"],
    scored: Bool[Array, "batch seq"],
) -> tuple[Float[Array, ""], Bool[Array, "batch seq"]]:
    """The mean cross-entropy of the scored outputs, and which outputs are right or not scored."""
    logits = jax.vmap(partial(forward_logits, parameters, config))(ids, real)
    losses = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
    right = (logits.argmax(axis=-1) == targets) | ~scored
    return (losses * scored).sum() / jnp.maximum(scored.sum(), 1), right


def _accuracy(right: Bool[Array, "batch seq"], scored: Bool[Array, "batch seq"]) -> Float[Array, ""]:
    return (right & scored).sum() / jnp.maximum(scored.sum(), 1)


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def _train(
    config: EncoderConfig,
    parameters: ParameterArrays,
    optimizer: optax.OptState,
    batches: tuple[Shaped[Array, "step batch seq"], ...],
    rates: Float[Array, "step"],
    count: Int[Array, ""] | int,
) -> tuple[ParameterArrays, optax.OptState, tuple[Float[Array, "..."], ...]]:
    """The first `count` of several updates. One call for several steps, because calling takes as long as computing."""
    layers = config.num_layers
    measured = (jnp.zeros(len(rates)), jnp.zeros(len(rates)), jnp.zeros((len(rates), layers + 2)))

    def step(
        index: Int[Array, ""], state: tuple[ParameterArrays, optax.OptState, tuple[Float[Array, "..."], ...]]
    ) -> tuple[ParameterArrays, optax.OptState, tuple[Float[Array, "..."], ...]]:
        parameters, optimizer, measured = state
        ids, real, targets, scored = (array[index] for array in batches)
        loss_and_gradient = jax.value_and_grad(_loss, has_aux=True)
        (loss, right), gradient = loss_and_gradient(parameters, config, ids, real, targets, scored)
        updates, optimizer = _OPTIMIZER.update(gradient, optimizer, parameters)
        parameters = jax.tree.map(lambda value, update: value - rates[index] * update, parameters, updates)
        results = loss, _accuracy(right, scored), _norms(gradient, layers)
        measured = tuple(array.at[index].set(result) for array, result in zip(measured, results, strict=True))
        return parameters, optimizer, measured

    return jax.lax.fori_loop(0, count, step, (parameters, optimizer, measured))


def _norms(gradient: ParameterArrays, num_layers: int) -> Float[Array, "part"]:
    """The norm of the gradient of each part: embedding, each layer, output."""
    squares = [jnp.zeros(())] * (num_layers + 2)
    for name, array in gradient.items():
        part = (
            int(name.split(".")[1]) + 1
            if name.startswith("layers.")
            else -1
            if name.startswith(("final_norm", "output_head"))
            else 0
        )
        squares[part] += (array**2).sum()
    return jnp.sqrt(jnp.stack(squares))


@partial(jax.jit, static_argnums=0)
def _evaluate(
    config: EncoderConfig,
    parameters: ParameterArrays,
    ids: Int[Array, "batch seq"],
    real: Bool[Array, "batch seq"],
    targets: Int[Array, "batch seq"],
    scored: Bool[Array, "batch seq"],
) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    loss, right = _loss(parameters, config, ids, real, targets, scored)
    is_scored = scored.any(axis=1)
    sequences = (right.all(axis=1) & is_scored).sum() / jnp.maximum(is_scored.sum(), 1)
    return loss, _accuracy(right, scored), sequences
