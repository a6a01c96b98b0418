"""Types of the transitions, and wording that several stages share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.models.model import Model
from dashboard.state.choices import EXPERIMENT, PREDICTION, SETUP
from dashboard.state.parameter import Parameter
from encoder_core.experiments import experiments
from encoder_core.support.wording import format_count


@dataclass(frozen=True)
class Demonstration:
    """Where the user can test an answer.

    label    the text of the button
    page     the URL of the page that it opens
    changes  (parameter, value): what the button sets before
    """

    label: str
    page: str
    changes: Sequence[tuple[Parameter[Any], Any]] = ()


@dataclass(frozen=True)
class Why:
    """A question about a stage, its answer, and a demonstration."""

    question: str
    answer: str
    demonstration: Demonstration


@dataclass(frozen=True)
class Transition:
    """The texts of one stage for one model, in markdown with the marks of dashboard/glossary.py.

    opening    what we have, what is missing, and what the stage does about it
    closing    what the next stage needs from this one; empty for the last stage
    why_label  the text of the button that shows `whys`
    """

    opening: str
    closing: str = ""
    why_label: str = ""
    whys: Sequence[Why] = ()


def experiment(name: str) -> Demonstration:
    """The experiment with this name, in its default setup and before the prediction."""
    changes = ((EXPERIMENT, name), (SETUP, ""), (PREDICTION, None))
    return Demonstration(f"Experiment: {experiments()[name].title}", "experiments", changes)


def tokens_text(model: Model) -> str:
    """The size of the input: "18 tokens", "2 sentences of 18 tokens", "2 sentences of up to 18 tokens"."""
    batch, seq = model.batch.ids.shape
    if batch == 1:
        return format_count(seq, "token")
    return f"{batch} sentences of {'' if model.batch.real.all() else 'up to '}{format_count(seq, 'token')}"
