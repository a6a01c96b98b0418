"""Claim 15: attention patterns are learned."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import stack_patterns
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import (
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    seed_control,
    verdict_if,
)
from encoder_core.figures import HeatmapStyle, Line, ThemeName, heatmap
from encoder_core.support.wording import head_name
from encoder_core.training import tasks
from encoder_core.training.expected_keys import TASK_KEYS, key_sets, weight_on
from encoder_core.training.shipped import PLANS, initial_encoder, trained_encoder

NUM_INPUTS = 40
_TASKS = tuple(name for name in PLANS if name in TASK_KEYS)
_HEIGHT = 250
_NOTABLE = 1.5  # times the weight of equal weights
_LARGE = 0.5  # of the weight of a query


class KeyWeights(NamedTuple):
    """The weight that each head gives to the keys of the task, as a mean over random inputs.

    before  (layer, head) in the initial state of the encoder
    after   (layer, head) after training
    equal   with equal weights on all keys
    inputs  number of inputs in which some query has a key: those of the mean
    """

    before: Float[np.ndarray, "layer head"]
    after: Float[np.ndarray, "layer head"]
    equal: float
    inputs: int


def key_weights(task: str, seed: int = 0) -> KeyWeights:
    """The weights of a shipped encoder before and after its training."""
    inputs = tasks()[task].random_inputs(NUM_INPUTS, seed)
    keys = [key_sets(task, batch.ids[0])[TASK_KEYS[task]] for batch in inputs]
    before, after = (
        _mean_weights([stack_patterns(encoder.trace(batch, "padding"), 0) for batch in inputs], keys)
        for encoder in (initial_encoder(task), trained_encoder(task))
    )
    equal = _mean_weights([np.full((1, 1, *matrix.shape), 1 / len(matrix)) for matrix in keys], keys)
    return KeyWeights(before, after, float(equal[0, 0]), sum(bool(matrix.any()) for matrix in keys))


def _mean_weights(
    patterns: list[Float[np.ndarray, "layer head _ _"]], keys: list[Bool[np.ndarray, "_ _"]]
) -> Float[np.ndarray, "layer head"]:
    """The mean over those inputs in which some query has a key."""
    weights = (weight_on(matrix, pattern) for matrix, pattern in zip(keys, patterns, strict=True))
    return np.mean([weight for weight in weights if weight is not None], axis=0)


def _patterns(task: str, encoder: Encoder) -> tuple[tuple[str, ...], Float[np.ndarray, "layer head query key"]]:
    """The tokens of the task's first example, and its patterns."""
    trace = encoder.trace(tasks()[task].examples[0], "padding")
    assert trace.tokens is not None
    return trace.tokens[0], stack_patterns(trace, 0)


def _measure(setup: Setup) -> Measurement:
    task, weights = str(setup["task"]), key_weights(str(setup["task"]), int(setup["seed"]))
    name = TASK_KEYS[task]
    layer, head = (int(index) for index in np.unravel_index(weights.after.argmax(), weights.after.shape))
    before, after = float(weights.before.max()), float(weights.after.max())

    def draw(theme: ThemeName) -> Line:
        rows, columns = ([str(index + 1) for index in range(count)] for count in weights.after.shape)
        numbers = HeatmapStyle(kind="weights", limit=1.0, row_axis="layer", column_axis="head", show_values=True,
                               height=_HEIGHT, theme=theme)  # fmt: skip
        cells = HeatmapStyle(kind="weights", limit=1.0, row_axis="query", column_axis="key", title_colour="attention",
                             height=_HEIGHT, theme=theme)  # fmt: skip
        tokens, untrained = _patterns(task, initial_encoder(task))
        _, trained = _patterns(task, trained_encoder(task))
        where = head_name(layer, head)
        return [
            heatmap(weights.before, rows, columns, title="mean weight, untrained", style=numbers),
            "→",
            heatmap(weights.after, rows, columns, title="trained", marks=[(layer, head)], style=numbers),
            "|",
            heatmap(untrained[layer, head], tokens, tokens, title=f"{where}, untrained", style=cells),
            "→",
            heatmap(trained[layer, head], tokens, tokens, title=f"{where}, trained", style=cells),
        ]

    return Measurement(
        0 if after <= _NOTABLE * weights.equal else 1 if after < _LARGE else 2,
        f"the head with the most weight on {name}: {before:.2f} before training, {after:.2f} after it; with equal "
        f"weights it would be {weights.equal:.2f}",
        f"After training, {head_name(layer, head)} gives **{after:.2f}** of the weight of a query to {name}, "
        f"as a mean over {weights.inputs} random inputs; the same head gave **{weights.before[layer, head]:.2f}** "
        "before training. Nobody told the encoder where to look: it was trained on the right outputs only. The page "
        "Training in the menu Lab repeats this while you watch.",
        draw,
        verdict_if(before <= _NOTABLE * weights.equal < after),
    )


EXPERIMENT = Experiment(
    number=15,
    name="learned-attention",
    title="Attention patterns are learned",
    claim="Who attends to whom is not built into an encoder: training on a task makes the patterns.",
    hypothesis="In the initial state, no head singles out the keys that the task needs. After training, one does.",
    question="A small encoder learns the task “{task}” from right outputs alone. How much of its weight will its best "
    "head give to the keys that the task needs, as a mean over the queries that need one?",
    options=(
        Option("At most 1.5 times as much as with equal weights", "That is hardly more than a head that looks at all "
               "tokens alike; the two maps on the left have the weights before and after training."),
        Option("Over 1.5 times as much as with equal weights, but less than half", "Several heads can share the work, "
               "and a head can find the keys of some queries only."),
        Option("Over 1.5 times as much as with equal weights, and at least half", "The right outputs can be read from "
               "these keys, so that rewarding right outputs can lead W_Q and W_K there; how far it goes differs from "
               "task to task."),
    ),
    controls=(
        Control("task", "Task", _TASKS, "reverse"),
        seed_control("Seed of the random inputs on which the weights are measured"),
    ),
    measure=_measure,
    limits="The trained encoders are small and each knows one task. That a head looks where we expect it does not "
    "show that the output depends on it; the ablation of the page Full stack tests that.",
    code=(key_weights, weight_on, key_sets),
    stage="multi_head",
    source="Clark et al. 2019, “What Does BERT Look At?”; the tasks follow Weiss et al. 2021, “Thinking Like "
    "Transformers”",
)  # fmt: skip
