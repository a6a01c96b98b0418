"""Train the encoders that are part of this package: `python -m encoder_core.training.ship [name ...]`.

It takes about ten minutes. The seed of each plan makes the result the same on the same machine.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from encoder_core.support.number_format import format_percent
from encoder_core.support.wording import format_count
from encoder_core.training import head_counts
from encoder_core.training.plan import TrainingPlan
from encoder_core.training.run import Evaluation, TrainingRun
from encoder_core.training.seen_inputs import NUM_TESTS, share_seen
from encoder_core.training.shipped import FOLDER, PLANS

_CARD = """# {name}: {title}

{goal}

- **Input**: {rule} Examples: {examples}.
- **What to look for**: {look_for}
- **Architecture**: {layers} layers, {heads} heads, d_model {d_model}, d_ff {d_ff}, {norm}-norm, {positions} \
positions, vocabulary of {vocab} tokens, {parameters:,} parameters (float32).
- **Training**: {steps:,} steps of AdamW with {batch} random inputs each, learning rate {rate:g} with a warm-up of \
{warm_up} steps and a cosine decay, seed {seed}.
- **Measured** on {tests} random test inputs, {seen}: {accuracy:.1%} of the outputs are right, and all outputs of \
{sequence_accuracy:.1%} of the inputs; loss {loss:.3g} nats.{counted}
- **Limits**: {limits}
- **Data**: {data}
- **Licence**: that of this project (MIT).
"""
_RANDOM = (
    "It has seen inputs of up to {max_len} tokens only, and nothing but this task.",
    "made by the program, see `encoder_core/training/tasks/{name}.py`",
)
_TEXT = (
    "It knows only the words and the patterns of a small text; its answers about anything else mean nothing.",
    "`encoder_core/inputs/corpus/sentences.txt`, written for this project; a tenth of its sentences was set aside for "
    "the measurement",
)


_HEADS_CARD = """# {name}: the task “{title}” with {heads} heads

{goal}

- **What they are for**: the experiment “{experiment}” compares them: they differ in their number of heads alone.
- **Input**: {rule}
- **Architecture**: {layers} layer, d_model {d_model}, d_ff {d_ff}, {norm}-norm, {positions} positions, vocabulary of \
{vocab} tokens, {parameters:,} parameters each (stored as float16).
- **Training**: {steps:,} steps of AdamW with {batch} random inputs each, learning rate {rate:g} with a warm-up of \
{warm_up} steps and a cosine decay, seeds {seeds}.
- **Measured** on {tests} random test inputs, {seen}, as the fraction of right outputs for each seed: {measured}.
- **Limits**: they are trained briefly, so that they differ; `reverse`, `bracket` and others are trained well.
- **Data**: made by the program, see `encoder_core/training/tasks/{task}.py`
- **Licence**: that of this project (MIT).
"""


def main(names: list[str]) -> None:
    """Train the named encoders, or all, and write their weights and model cards."""
    folder = Path(__file__).with_name(FOLDER)
    folder.mkdir(exist_ok=True)
    tasks_of_head_counts = {head_counts.file_name(task): task for task in head_counts.TASKS}
    for name in names or (*PLANS, *tasks_of_head_counts):
        if name in tasks_of_head_counts:
            _ship_head_counts(folder, tasks_of_head_counts[name])
            continue
        run = TrainingRun(PLANS[name])
        run.advance(run.plan.steps)
        evaluation = run.evaluate()
        save_file(run.parameters(), folder / f"{name}.safetensors")
        card = model_card(name, run.plan, evaluation, run.encoder().num_parameters)
        (folder / f"{name}.md").write_text(card, encoding="utf-8")
        print(f"{name}: {evaluation}")


def _ship_head_counts(folder: Path, task: str) -> None:
    """Train the encoders with different numbers of heads, and write one file and one model card for all of them."""
    stored: dict[str, np.ndarray] = {}
    measured: dict[int, list[float]] = {}
    for heads, seed in product(head_counts.HEADS, head_counts.SEEDS):
        run = TrainingRun(head_counts.head_count_plan(task, heads, seed))
        run.advance(run.plan.steps)
        measured.setdefault(heads, []).append(run.evaluate().accuracy)
        for name, array in run.parameters().items():
            stored[head_counts.stored_name(heads, seed, name)] = array.astype(np.float16)
        print(f"{task}, {heads} heads, seed {seed}: {measured[heads][-1]:.1%}")
    name = head_counts.file_name(task)
    save_file(stored, folder / f"{name}.safetensors")
    (folder / f"{name}.md").write_text(_head_counts_card(name, run, measured), encoding="utf-8")


def _head_counts_card(name: str, run: TrainingRun, measured: Mapping[int, Sequence[float]]) -> str:
    """The model card of the encoders of one task; `run` is that of one of them."""
    plan, task = run.plan, run.plan.definition
    return _HEADS_CARD.format(
        name=name,
        task=task.name,
        title=task.title,
        heads=", ".join(map(str, measured)),
        experiment="More heads, narrower heads",
        goal=task.goal,
        rule=task.rule,
        vocab=len(task.vocabulary),
        parameters=run.encoder().num_parameters,
        seeds=", ".join(map(str, head_counts.SEEDS)),
        seen=seen_sentence([replace(plan, seed=seed) for seed in head_counts.SEEDS]),
        measured="; ".join(
            f"{format_count(heads, 'head')} {', '.join(f'{share:.1%}' for share in shares)}"
            for heads, shares in measured.items()
        ),
        **_training_of(plan),
    )


def seen_sentence(plans: Sequence[TrainingPlan]) -> str:
    """How many of the test inputs occur in the training of these plans, which differ in their seeds."""
    if plans[0].definition.draw_unseen:
        return "whose sentences do not occur in its training"
    shares = sorted(map(share_seen, plans))
    ends = list(dict.fromkeys(format_percent(share) for share in (shares[0], shares[-1])))
    return f"of which {' to '.join(ends)} occur in its training, too (there are few short inputs)"


def _training_of(plan: TrainingPlan) -> dict[str, Any]:
    """What both kinds of model cards say about a plan."""
    return {
        "layers": plan.num_layers,
        "d_model": plan.d_model,
        "d_ff": plan.d_ff,
        "norm": plan.norm,
        "positions": plan.positions,
        "steps": plan.steps,
        "batch": plan.batch,
        "rate": plan.learning_rate,
        "warm_up": plan.warm_up,
        "tests": NUM_TESTS,
    }


def model_card(name: str, plan: TrainingPlan, measured: Evaluation, num_parameters: int) -> str:
    """What a model is, how it was trained and measured, and its limits, in markdown."""
    task = plan.definition
    limits, data = _TEXT if task.draw_unseen else _RANDOM
    return _CARD.format(
        name=name,
        title=task.title,
        goal=task.goal,
        rule=task.rule,
        examples=", ".join(f"“{example}”" for example in task.examples),
        look_for=task.look_for,
        counted=f" {task.counted}".rstrip(),
        heads=plan.num_heads,
        vocab=len(task.vocabulary),
        parameters=num_parameters,
        seed=plan.seed,
        seen=seen_sentence([plan]),
        **_training_of(plan),
        **measured._asdict(),
        limits=limits.format(max_len=task.max_len),
        data=data.format(name=name),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
