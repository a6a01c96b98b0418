"""Claim 11: more heads at the same width cost the same and see different things."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import numerical_rank
from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, verdict_if
from encoder_core.figures import Line, PanelStyle, ThemeName, bars, curves
from encoder_core.support.number_format import format_number, format_percent
from encoder_core.training import tasks
from encoder_core.training.head_counts import HEADS, NUM_INPUTS, SEEDS, TASKS, head_count_plan, right_outputs
from encoder_core.training.seen_inputs import share_seen

_SEQ = 24
_CONFIG = EncoderConfig(vocab_size=_SEQ, max_len=32, d_model=64, num_heads=1, d_ff=256, num_layers=2)
_HEIGHT = 280
_SEEDS = 3  # of the random encoders


class HeadStatistics(NamedTuple):
    """Of an encoder with so many heads.

    parameters, flops  of the whole encoder, and of one forward pass
    rank               of Q Kᵀ of each head in layer 1; at most d_head
    difference         share of a query's weight in which two heads of layer 1 differ, mean over all pairs; 0 for one
    """

    parameters: int
    flops: int
    rank: int
    difference: float


@lru_cache(maxsize=32)
def head_statistics(heads: int, seed: int) -> HeadStatistics:
    """The statistics of a random encoder, on a sentence of different tokens."""
    encoder = Encoder.random(replace(_CONFIG, num_heads=heads), seed)
    layer = encoder.trace(np.arange(_SEQ, dtype=np.int32)[None]).layers[0]
    pattern = layer.pattern[0]
    pairs = [(a, b) for a in range(heads) for b in range(a)]
    differences = [np.abs(pattern[a] - pattern[b]).sum(-1).mean() / 2 for a, b in pairs]
    return HeadStatistics(
        encoder.num_parameters,
        encoder.flops(_SEQ),
        max(numerical_rank(dots) for dots in layer.dot_products[0]),
        float(np.mean(differences)) if pairs else 0.0,
    )


def _measure(setup: Setup) -> Measurement:
    heads, task = int(setup["heads"]), str(setup["task"])
    by_count = {count: [head_statistics(count, seed) for seed in range(_SEEDS)] for count in HEADS}
    one, chosen = by_count[1][0], by_count[heads][0]
    differences = np.array([statistics.difference for statistics in by_count[heads]])
    learned = {count: np.array([right_outputs(task, count, seed) for seed in SEEDS]) for count in HEADS}

    def draw(theme: ThemeName) -> Line:
        style, names = PanelStyle(height=_HEIGHT, theme=theme), [f"{count}" for count in HEADS]
        values: dict[str, list[float]] = {
            "parameters": [statistics[0].parameters / 1e3 for statistics in by_count.values()],
            "rank of Q Kᵀ of a head": [statistics[0].rank for statistics in by_count.values()],
            "difference of two heads": [
                float(np.mean([s.difference for s in statistics]))
                for count, statistics in by_count.items()
                if count > 1
            ],
        }
        axes = ("thousands", "rank", "share of the weight")
        line: Line = []
        for (title, column), axis in zip(values.items(), axes, strict=True):
            first = len(HEADS) - len(column)
            panel = bars(np.array(column, float), names[first:], title=f"{title}, by heads", y_axis=axis,
                         marks=[HEADS.index(heads) - first], show_values=True, style=style)  # fmt: skip
            line += [*(["|"] if line else []), panel]
        by_seed = {
            f"seed {seed}": np.array([learned[count][index] for count in HEADS]) for index, seed in enumerate(SEEDS)
        }
        title = f"right outputs after training on “{task}”, by heads"
        return [*line, "|", curves(by_seed, names, title=title, x_axis="heads", y_axis="share", style=style)]

    answer = int(np.sign(chosen.rank - one.rank)) + 1
    low, high = format_number(float(differences.min()), 2), format_number(float(differences.max()), 2)
    plan = head_count_plan(task, heads, SEEDS[0])
    # The inputs are the same for every number of heads, and take half a second to draw.
    seen = float(np.mean([share_seen(head_count_plan(task, HEADS[0], seed), NUM_INPUTS) for seed in SEEDS]))
    return Measurement(
        answer,
        f"the rank of Q Kᵀ is {chosen.rank} with {heads} heads, {one.rank} with one; {chosen.parameters:,} and "
        f"{one.parameters:,} parameters; two heads differ in {format_number(float(np.median(differences)), 2)} of the "
        f"weight ({low} to {high}); trained on “{tasks()[task].title}”, {_share(learned[heads])} of the outputs are "
        f"right, with one head {_share(learned[1])}",
        f"Parameters and operations of the matrix products are the same: **{chosen.parameters:,}** and "
        f"**{chosen.flops:,}**. What changes is the width of a head, {_CONFIG.d_model} / {heads} = "
        f"**{_CONFIG.d_model // heads}**, and with it the largest rank that its Q Kᵀ can have: here the rank is "
        f"**{chosen.rank}** for {_SEQ} tokens"
        f"{', which are fewer than that width and limit it' if chosen.rank == _SEQ < _CONFIG.d_model // heads else ''}"
        f". A narrow head cannot have every table of scores, but several of them can look at different keys at once. "
        f"What is better is measured on a task: of small "
        f"encoders (d_model {plan.d_model}, one layer) that were trained for {plan.steps:,} steps on "
        f"“{tasks()[task].title}”, those with {heads} heads of d_head {plan.config.d_head} give "
        f"**{_share(learned[heads])}** right outputs to {NUM_INPUTS} random test inputs, and those with "
        f"one head **{_share(learned[1])}**, as the median of {len(SEEDS)} seeds with the lowest and the highest. "
        f"{format_percent(seen)} of these inputs occurred in training, too: there are few short ones.",
        draw,
        verdict_if(
            (chosen.parameters, chosen.flops) == (one.parameters, one.flops)
            and chosen.rank <= _CONFIG.d_model // heads
            and bool(differences.all())
        ),
    )


def _share(fractions: Float[np.ndarray, "seed"]) -> str:
    """The median and the range, in percent."""
    median, low, high = map(format_percent, (np.median(fractions), fractions.min(), fractions.max()))
    return f"{median} ({low} to {high})"


EXPERIMENT = Experiment(
    number=11,
    name="head-count",
    title="More heads, narrower heads",
    claim="At the same d_model, more heads cost the same and see different things: each has d_head = d_model / heads "
    "dimensions.",
    hypothesis="The numbers of parameters and of operations in matrix products do not depend on the number of heads. "
    "The patterns of the heads differ, and the rank of Q Kᵀ is at most d_head.",
    question="An encoder of width 64 reads 24 tokens, with {heads} heads instead of one. What happens to the rank of "
    "Q Kᵀ of a head, the table of its scores?",
    options=(
        Option(
            "It falls",
            "Q and K of a head have 64 / heads columns, and the rank of their product is at most that; it is at most "
            "24, too, as there are 24 tokens.",
        ),
        Option(
            "It stays the same",
            "A table of 24 × 24 scores has a rank of at most 24, which heads of 24 dimensions or more can reach; "
            "narrower ones cannot.",
        ),
        Option("It grows", "A head is not an addition: the heads divide the columns of the same matrices."),
    ),
    controls=(Control("heads", "Heads", HEADS[1:], 4), Control("task", "Task", TASKS, TASKS[0])),
    measure=_measure,
    limits="The operations are those of the matrix products: each head has a softmax of its own, so that the work of "
    "softmax grows with the number of heads. The first three figures are of random encoders, the last one of small "
    "encoders that were trained for a short time. Which number of heads learns best depends on the task, the width and "
    "the training.",
    code=(head_statistics, right_outputs),
    stage="multi_head",
    source="Vaswani et al. 2017, section 3.2.2 and table 3 (rows A)",
)  # fmt: skip
