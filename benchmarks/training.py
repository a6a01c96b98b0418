"""Training: how soon a task is learned, how fast it is against a plain loop, and how much it slows other people down.

    python -m benchmarks.training

Prints one JSON object.

cpu_seconds_to_99   processor time of the same, which other programs on the machine hardly change
seconds_to_99       from the start of a run until 99% of the test inputs of "reverse" are entirely right, at the default
                    plan: with the start of the training process and without compiled programs of an earlier one
steps_per_s         updates per second of `TrainingRun` at the default plan
plain_steps_per_s   the same of a loop with nnx.MultiHeadAttention, nnx.Optimizer and one jitted call per update: the
                    same sizes, batches and optimizer. The two alternate; both figures are medians
ratio               of these two
slowdown_of_others  the median time of a move of other sessions while a run is trained, divided by that without it
"""

import argparse
import json
import threading
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx

from benchmarks.load import Visitor, app
from benchmarks.measure import percentile
from benchmarks.plain_layer import PlainLayer
from benchmarks.processes import cpu_seconds
from benchmarks.soak import slowdown
from dashboard.training.process import TrainingProcess
from dashboard.training.registry import RunRegistry
from dashboard.training.storage import RunStorage
from encoder_core import EncoderConfig
from encoder_core.training import Batch, TrainingPlan, TrainingRun

GOAL = 0.99
ROUNDS, STEPS = 7, 50  # the two loops alternate so often, and make so many updates each time


class PlainEncoder(nnx.Module):
    """The encoder of the default plan as in a tutorial: learned positions, post-norm, output head."""

    def __init__(self, config: EncoderConfig, rngs: nnx.Rngs) -> None:
        self.tokens = nnx.Embed(config.vocab_size, config.d_model, rngs=rngs)
        self.positions = nnx.Embed(config.max_len, config.d_model, rngs=rngs)
        self.layers = nnx.List([PlainLayer(config, rngs) for _ in range(config.num_layers)])
        self.head = nnx.Linear(config.d_model, config.vocab_size, rngs=rngs)

    def __call__(self, ids: jax.Array, real: jax.Array) -> jax.Array:
        x = self.tokens(ids) + self.positions(jnp.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x, real[:, None, None, :])
        return self.head(x)


@nnx.jit
def plain_step(model: PlainEncoder, optimizer: nnx.Optimizer, batch: Batch) -> jax.Array:
    """One update; returns the loss."""

    def loss_of(model: PlainEncoder) -> jax.Array:
        logits = model(jnp.asarray(batch.ids), jnp.asarray(batch.real))
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch.targets)
        return (losses * batch.scored).sum() / batch.scored.sum()

    loss, gradients = nnx.value_and_grad(loss_of)(model)
    optimizer.update(model, gradients)
    return loss


def plain_loop(plan: TrainingPlan) -> Callable[[int], object]:
    """A function that makes some updates."""
    model = PlainEncoder(plan.config, nnx.Rngs(0))
    rates = optax.warmup_cosine_decay_schedule(0.0, plan.learning_rate, plan.warm_up, plan.steps)
    optimizer = nnx.Optimizer(model, optax.adamw(rates, b2=0.98), wrt=nnx.Param)
    generator = np.random.default_rng(0)

    def advance(count: int) -> object:
        for _ in range(count):
            loss = plain_step(model, optimizer, plan.definition.sample(generator, plan.batch))
        return loss.block_until_ready()

    return advance


def steps_per_second() -> tuple[float, float]:
    """Of `TrainingRun` and of the plain loop."""
    plan = TrainingPlan(steps=8000)
    loops = (TrainingRun(plan).advance, plain_loop(plan))
    taken: tuple[list[float], list[float]] = ([], [])
    for loop in loops:
        loop(STEPS)  # compiles
    for _ in range(ROUNDS):
        for loop, seconds in zip(loops, taken, strict=True):
            begin = time.perf_counter()
            loop(STEPS)
            seconds.append(time.perf_counter() - begin)
    ours, plain = (STEPS / percentile(seconds, 50) for seconds in taken)
    return ours, plain


def seconds_to_goal() -> tuple[float, float]:
    """From the start of a run until the goal, in a process of its own, as on the page Training; its processor time."""
    registry = RunRegistry(RunStorage(10**9, lambda _: True), 2, TrainingProcess, time.monotonic)
    begin = time.perf_counter()
    run = registry.start([TrainingPlan()], "benchmark")
    while not any(checkpoint.evaluation.sequence_accuracy >= GOAL for checkpoint in run.checkpoints):
        if not run.is_open:
            raise RuntimeError(f"the run is {run.status} before the goal: {run.sentence}")
        time.sleep(0.02)
    seconds, used = time.perf_counter() - begin, cpu_seconds()
    registry.close()
    return seconds, used


def train(url: str, stop: threading.Event) -> None:
    """One session that trains for as long as the others are measured, and watches."""
    with Visitor(url, "/training?train_steps=8000") as visitor:
        visitor.click("training_run")
        while not stop.is_set():
            time.sleep(1.0)
            visitor.discard()
        visitor.discard()


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast training is, and what it costs others.")
    parser.add_argument("--seconds", type=float, default=20.0, help="length of each part next to a run")
    parser.add_argument("--no-others", action="store_true", help="without the slowdown of others")
    options = parser.parse_args()
    to_goal, used = seconds_to_goal()
    ours, plain = steps_per_second()
    figures = {
        "seconds_to_99": round(to_goal, 1),
        "cpu_seconds_to_99": round(used, 1),
        "steps_per_s": round(ours, 1),
        "plain_steps_per_s": round(plain, 1),
        "ratio": round(ours / plain, 2),
    }
    if not options.no_others:
        with app(processes=1) as url:
            others = slowdown(url, train, options.seconds)
        figures |= {"slowdown_of_others": others["ratio"], **{f"others_{name}": x for name, x in others.items()}}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
