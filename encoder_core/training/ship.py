"""Train the encoders that are part of this package: `python -m encoder_core.training.ship [name ...]`.

It takes a few minutes. The seed of each plan makes the result the same on the same machine.
"""

import sys
from pathlib import Path

from safetensors.numpy import save_file

from encoder_core.training.plan import TrainingPlan
from encoder_core.training.run import NUM_TESTS, Evaluation, TrainingRun
from encoder_core.training.shipped import FOLDER, PLANS

_CARD = """# {name}: {title}

{goal}

- **Input**: {rule} Examples: {examples}.
- **What to look for**: {look_for}
- **Architecture**: {layers} blocks, {heads} heads, d_model {d_model}, d_ff {d_ff}, {norm}-norm, {positions} \
positions, vocabulary of {vocab} tokens, {parameters:,} parameters (float32).
- **Training**: {steps:,} steps of AdamW with {batch} random inputs each, learning rate {rate:g} with a warm-up of \
{warm_up} steps and a cosine decay, seed {seed}.
- **Measured** on {tests} inputs that were not trained on: {accuracy:.1%} of the outputs are right, and all outputs of \
{sequence_accuracy:.1%} of the inputs; loss {loss:.3g} nats.
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
    "`encoder_core/corpus/sentences.txt`, written for this project; a tenth of its sentences was set aside for the "
    "measurement",
)


def main(names: list[str]) -> None:
    """Train the named encoders, or all, and write their weights and model cards."""
    folder = Path(__file__).with_name(FOLDER)
    folder.mkdir(exist_ok=True)
    for name in names or PLANS:
        run = TrainingRun(PLANS[name])
        run.advance(run.plan.steps)
        evaluation = run.evaluate()
        save_file(run.parameters(), folder / f"{name}.safetensors")
        (folder / f"{name}.md").write_text(model_card(name, run.plan, evaluation, run.encoder().num_parameters))
        print(f"{name}: {evaluation}")


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
        layers=plan.num_layers,
        heads=plan.num_heads,
        d_model=plan.d_model,
        d_ff=plan.d_ff,
        norm=plan.norm,
        positions=plan.positions,
        vocab=len(task.vocabulary),
        parameters=num_parameters,
        steps=plan.steps,
        batch=plan.batch,
        rate=plan.learning_rate,
        warm_up=plan.warm_up,
        seed=plan.seed,
        tests=NUM_TESTS,
        **measured._asdict(),
        limits=limits.format(max_len=task.max_len),
        data=data.format(name=name),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
